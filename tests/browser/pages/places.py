"""Every page there is, and games to look at."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from playwright.sync_api import expect

from app import rules
from tests.browser.table.house import SHORT, Player, begin, best, move_beside
from tools.records import record_to_json

# Pages that need no game; each is looked at in every language and both themes.
PLACES = (
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
    "/tutorial",
    "/replay",
    "/fairness",
    "/me",
    "/account",
    "/about",
    "/offline",
    "/resume/ABCD-EFGH-JKLM",
    "/stop/nobodys-token",
    "/nowhere",
)


def visit(player: Player, path: str) -> None:
    """Go there, and wait until its scripts have asked for all they need and drawn it."""
    player.page.goto(f"{player.url}{path}", wait_until="networkidle")
    # the lobby is told by a socket, and a review is thought about for a while
    for waiting in player.page.locator("[data-waiting]").all():
        expect(waiting).to_be_hidden(timeout=60_000)


def every_place(person: Callable[..., Player], ann: Player) -> tuple[str, ...]:
    """All of them, and those of games that Ann has played."""
    return (*PLACES, *(path_of(person, ann) for path_of in OF_GAMES.values()))


def in_language(place: str, language: str) -> str:
    return f"{place}{'&' if '?' in place else '?'}lang={language}"


def review_of(person: Callable[..., Player], ann: Player) -> str:
    """Where the review of a game is that Ann has finished."""
    bo = person("Bo")
    game = begin(ann, bo, options=SHORT)
    for _ in range(12):
        assert move_beside(ann) or move_beside(bo)
    bo.act({"type": "resign"})
    return f"/g/{game}/review"


def screen_of(person: Callable[..., Player], ann: Player) -> str:
    """The big screen of a game that Ann plays."""
    bo = person("Bo")
    game = begin(ann, bo, options=SHORT)
    assert move_beside(ann) or move_beside(bo)
    return f"/g/{game}/screen"


def waiting_screen_of(person: Callable[..., Player], ann: Player) -> str:
    """The same before anybody sits there."""
    game = ann.api("POST", "/games", {"options": {"preset": "jamaica", "players": 3}, "screen": True})["id"]
    return f"/g/{game}/screen"


# Pages that need one; each is asked for its path.
OF_GAMES: dict[str, Callable[[Callable[..., Player], Player], str]] = {
    "the review of a game": review_of,
    "the big screen of a game": screen_of,
    "the big screen before one": waiting_screen_of,
}


@lru_cache(maxsize=16)
def played(preset: str = "jamaica", **changes: Any) -> dict[str, Any]:
    """The record of a whole game, played by the real engine in a plain way."""
    options = rules.parse_options({"preset": preset, "players": 2, **changes})
    chance = random.Random(f"{preset} {sorted(changes.items())}")  # the same deal in every run
    server_seed = f"{chance.getrandbits(256):064x}"
    nonces = tuple(f"{chance.getrandbits(128):032x}" for _ in range(options.players))
    position = rules.new_game(options, rules.seed_from(server_seed, nonces))
    moves: list[rules.Move] = []
    while position.winner is None:
        seat = rules.seats_to_act(position)[0]
        chosen = best(rules.choices(position, seat))["action"]
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
        places=tuple(rules.places(position)),
        reason=reason,
        rules_version=2,
        scheme=2,
        seals=tuple(rules.seal_of(commitment, nonce) for nonce in nonces),
    )
    return record_to_json(record)
