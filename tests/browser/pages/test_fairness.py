"""The fairness check in the browser: it passes for real games and fails for tampered ones."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app import rules
from tests.browser.game_server import SHORT, Player, begin
from tests.browser.pages.page_paths import played_record
from tests.js.random_games import PRESETS

SEED = "5eed" * 16


def check(page: Page, url: str, record: dict[str, Any], folder: Path) -> None:
    file = folder / "record.json"
    file.write_text(json.dumps(record))
    page.goto(f"{url}/fairness")
    page.locator("#record-file").set_input_files(file)


GAMES: dict[str, dict[str, Any]] = {
    "jamaica": {},
    "tortuga": {"copies": 10},
    "complete": {"scoundrels": True, "card_gain": "both", "pirates": 4},
    "dungeon": {"black_magic": True, "scoundrels": True, "pirates": 4},
}


@pytest.mark.parametrize("preset", GAMES)
def test_real_game_passes_the_check(person: Callable[..., Player], tmp_path: Path, preset: str):
    ann = person(None)
    record = played_record(preset, **GAMES[preset])
    check(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-verdict]")).to_contain_text("This game was fair")
    expect(ann.page.locator("[data-commitment]")).to_have_text(record["commitment"])
    expect(ann.page.locator(".check-bad")).to_have_count(0)


def replace_seed(record: dict[str, Any]) -> None:
    record["server_seed"] = "0" * 64


def replace_seed_and_commitment(record: dict[str, Any]) -> None:
    record["server_seed"] = "0" * 64
    record["commitment"] = rules.commitment_of("0" * 64)


def replace_nonce(record: dict[str, Any]) -> None:
    record["nonces"][0] = "f" * 32


def claim_bot_seat(record: dict[str, Any]) -> None:
    """Claim that Bo was a bot of the server: then the server chose the nonce, and with it the deck."""
    record["players"][1]["bot"] = "sailor"


def play_card_never_held(record: dict[str, Any]) -> None:
    """Change the first possible advance to a symbol that is not in the hand."""
    symbols = {"bottle", "dagger", "hat", "key", "pistol", "skull"}
    positions = rules.replay(rules.record_from_json(record))
    for move, (before, _) in zip(record["actions"], positions, strict=False):
        missing = symbols - set(before.hand_names(move["seat"]))
        if move["action"]["type"] == "advance" and missing:
            move["action"]["card"] = min(missing)
            return
    raise AssertionError("every hand held every symbol at every advance")


def drop_a_move(record: dict[str, Any]) -> None:
    del record["actions"][4]


@pytest.mark.parametrize(
    "tamper",
    [
        replace_seed,
        replace_seed_and_commitment,
        replace_nonce,
        claim_bot_seat,
        play_card_never_held,
        drop_a_move,
    ],
)
def test_tampered_record_fails_the_check(
    person: Callable[..., Player], tmp_path: Path, tamper: Callable[[dict[str, Any]], None]
):
    ann = person(None)
    record = copy.deepcopy(played_record("jamaica"))
    tamper(record)
    check(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-verdict]")).to_contain_text("does not match")
    ann.complaints.clear()


def test_server_that_deals_another_card_is_detected(person: Callable[..., Player], tmp_path: Path):
    """Swap one drawn card in the server's events; the browser computes the cards itself."""
    ann = person(None)

    def cheat(route: Any) -> None:
        answer = route.fetch()
        payload = answer.json()
        drawn = next(e for step in payload["steps"] for e in step["events"] if e["type"] == "cards_drawn")
        drawn["cards"][0] = "hat" if drawn["cards"][0] != "hat" else "key"
        route.fulfill(response=answer, json=payload)

    ann.page.route("**/replay/steps", cheat)
    check(ann.page, ann.url, played_record("jamaica"), tmp_path)
    expect(ann.page.locator(".check-bad")).to_contain_text("was not on top of the deck")
    expect(ann.page.locator("[data-verdict]")).to_contain_text("does not match")


def test_game_page_shows_the_commitment_first_and_the_seed_at_the_end(person: Callable[..., Player]):
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.page.goto(f"{ann.url}/g/{game}/fairness")
    table = ann.state()["table"]
    expect(ann.page.locator("[data-commitment]")).to_have_text(table["commitment"])
    expect(ann.page.locator("[data-server-seed]")).to_have_text("still secret")
    expect(ann.page.locator("[data-nonces] code").first).to_have_text(table["nonces"][0])
    expect(ann.page.get_by_role("button", name="Check this game")).to_be_disabled()
    bo.act({"type": "resign"})
    ann.page.reload()
    secret = ann.page.locator("[data-server-seed]")
    expect(secret).to_have_text(re.compile("^[0-9a-f]{64}$"))
    assert rules.commitment_of(secret.inner_text()) == table["commitment"]
    ann.page.get_by_role("button", name="Check this game").click()
    expect(ann.page.locator("[data-verdict]")).to_contain_text("This game was fair")


def test_browser_deals_the_same_set_up_as_the_engine(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(f"{ann.url}/fairness")
    for options in PRESETS:
        full = rules.options_to_json(rules.parse_options(options))
        made = rules.position_to_json(rules.new_game(rules.parse_options(options), SEED))
        found = ann.page.evaluate(
            "async ([options, seed]) => (await import('/static/js/pages/seeded_setup.js')).setUp(options, seed)",
            [full, SEED],
        )
        assert found["board"] == made["board"], options
        assert found["hands"] == [player["hand"] for player in made["players"]], options
        assert (found["deck"], found["row"]) == (made["deck"], made["row"]), options
        assert found["first"] == made["turn"]["seat"], options
        assert (found["chests"], found["aside"]) == (made["chests"], made["chests_aside"]), options


def test_page_without_a_game_offers_only_the_record_upload(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(f"{ann.url}/fairness")
    expect(ann.page.get_by_text("Choose a record file")).to_be_visible()
    expect(ann.page.locator("[data-seals]")).to_be_hidden()
    expect(ann.page.get_by_role("button", name="Check this game")).to_have_count(0)
