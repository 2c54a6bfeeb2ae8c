"""The paths of all pages, and games for the pages that need one."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from playwright.sync_api import expect

from app import rules
from tests.browser.game_server import SHORT, Player, begin, best_choice, move_via_api
from tests.choices import choices_of
from tools.records import record_to_json

# A position of tests/golden/tortuga.json.
MIDGAME_CODE = (
    "1~tortuga.3~042513150432213045421503524301431250~EFHJQV.DGNRRU.AAFNNSef~bfdd~a6b5c8d3e6f8~110~"
)
# Pages that need no game; each is checked in every language and both themes.
PAGE_PATHS = (
    "/",
    "/deal",
    "/new",
    "/new?screen=1",
    "/rules",
    "/rules/editions",
    "/rules/complete",
    "/rules/morgan",
    "/rules/scoundrels",
    "/rules/black-magic",
    "/rules/options",
    "/rules/chance",
    "/rules/ratings",
    "/ratings",
    "/tutorial",
    "/practice",
    "/analysis",
    f"/analysis?p={MIDGAME_CODE}",
    "/replay",
    "/fairness",
    "/me",
    "/friends",
    "/account",
    "/about",
    "/offline",
    "/resume/ABCD-EFGH-JKLM",
    "/stop/nobodys-token",
    "/nowhere",
)


def visit(player: Player, path: str) -> None:
    """Open a path and wait until its scripts have loaded and rendered everything."""
    player.page.goto(f"{player.url}{path}", wait_until="networkidle")
    # the lobby loads through a socket, and a review takes a while to compute
    for waiting in player.page.locator("[data-waiting]").all():
        expect(waiting).to_be_hidden(timeout=60_000)


def all_page_paths(person: Callable[..., Player], ann: Player) -> tuple[str, ...]:
    """Return all paths, with those of games that Ann has played."""
    return (*PAGE_PATHS, *(path_of(person, ann) for path_of in GAME_PAGES.values()))


def with_language(place: str, language: str) -> str:
    return f"{place}{'&' if '?' in place else '?'}lang={language}"


def review_of(person: Callable[..., Player], ann: Player) -> str:
    """Return the path of the review of a game that Ann has finished."""
    bo = person("Bo")
    game = begin(ann, bo, options=SHORT)
    for _ in range(12):
        assert move_via_api(ann) or move_via_api(bo)
    bo.act({"type": "resign"})
    return f"/g/{game}/review"


def screen_of(person: Callable[..., Player], ann: Player) -> str:
    """Return the path of the big screen of a game that Ann plays."""
    bo = person("Bo")
    game = begin(ann, bo, options=SHORT)
    assert move_via_api(ann) or move_via_api(bo)
    return f"/g/{game}/screen"


def waiting_screen_of(person: Callable[..., Player], ann: Player) -> str:
    """The same before a player sits there."""
    game = ann.api("POST", "/games", {"options": {"preset": "jamaica", "players": 3}, "screen": True})["id"]
    return f"/g/{game}/screen"


# Pages that need a game: functions that create it and return the path.
GAME_PAGES: dict[str, Callable[[Callable[..., Player], Player], str]] = {
    "the review of a game": review_of,
    "the big screen of a game": screen_of,
    "the big screen before one": waiting_screen_of,
}


@lru_cache(maxsize=16)
def played_record(preset: str = "jamaica", **changes: Any) -> dict[str, Any]:
    """Return the record of a whole game, played by the real engine."""
    options = rules.parse_options({"preset": preset, "players": 2, **changes})
    chance = random.Random(f"{preset} {sorted(changes.items())}")  # the same deal in every run
    server_seed = f"{chance.getrandbits(256):064x}"
    nonces = tuple(f"{chance.getrandbits(128):032x}" for _ in range(options.players))
    position = rules.new_game(options, rules.seed_from(server_seed, nonces))
    moves: list[rules.Move] = []
    while position.winner is None:
        seat = rules.seats_to_act(position)[0]
        chosen = best_choice(choices_of(position, seat))["action"]
        if chosen["type"] == "discard":
            hand = rules.view(position, seat)["players"][seat]["hand"]
            chosen = {"type": "discard", "cards": hand[: chosen["count"]]}
        if len(moves) > 1500:
            chosen = {"type": "resign"}
        action = rules.action_from_json(chosen)
        position, _ = rules.apply(position, seat, action)
        moves.append(rules.Move(seat, action, 1_794_795_000_000 + 1000 * len(moves)))
    reason = "resigned" if any(position.resigned) else "goal"
    commitment = rules.commitment_of(server_seed)
    record = rules.Record(
        options=options,
        commitment=commitment,
        server_seed=server_seed,
        nonces=nonces,
        players=(("Ann", None), ("Bo", None)),
        moves=tuple(moves),
        winner=position.winner,
        places=tuple(rules.finishing_places(position)),
        reason=reason,
        rules_version=2,
        scheme=2,
        seals=tuple(rules.seal_of(commitment, nonce) for nonce in nonces),
    )
    return record_to_json(record)
