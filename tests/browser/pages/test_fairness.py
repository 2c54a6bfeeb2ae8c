"""Chance checked in the browser by its own code: it holds for real games and fails for tampered ones."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app import rules
from tests.browser.pages.places import played
from tests.browser.table.house import SHORT, Player, begin
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
def test_a_real_game_holds(person: Callable[..., Player], tmp_path: Path, preset: str):
    ann = person(None)
    record = played(preset, **GAMES[preset])
    check(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-verdict]")).to_contain_text("This game was fair")
    expect(ann.page.locator("[data-commitment]")).to_have_text(record["commitment"])
    expect(ann.page.locator(".check-bad")).to_have_count(0)


def other_seed(record: dict[str, Any]) -> None:
    record["server_seed"] = "0" * 64


def other_seed_with_its_commitment(record: dict[str, Any]) -> None:
    record["server_seed"] = "0" * 64
    record["commitment"] = rules.commitment_of("0" * 64)


def other_nonce(record: dict[str, Any]) -> None:
    record["nonces"][0] = "f" * 32


def ground_bot(record: dict[str, Any]) -> None:
    """The server says that Bo was a bot of its own: then it chose the number, and with it the deck."""
    record["players"][1]["bot"] = "sailor"


def a_card_never_held(record: dict[str, Any]) -> None:
    """The first advance for which some symbol is not in the hand is said to be made with that one."""
    symbols = {"bottle", "dagger", "hat", "key", "pistol", "skull"}
    positions = rules.replay(rules.record_from_json(record))
    for move, (before, _) in zip(record["actions"], positions, strict=False):
        missing = symbols - set(before.hand_names(move["seat"]))
        if move["action"]["type"] == "advance" and missing:
            move["action"]["card"] = min(missing)
            return
    raise AssertionError("every hand held every symbol at every advance")


def a_move_left_out(record: dict[str, Any]) -> None:
    del record["actions"][4]


@pytest.mark.parametrize(
    "tamper",
    [other_seed, other_seed_with_its_commitment, other_nonce, ground_bot, a_card_never_held, a_move_left_out],
)
def test_a_tampered_record_does_not_hold(
    person: Callable[..., Player], tmp_path: Path, tamper: Callable[[dict[str, Any]], None]
):
    ann = person(None)
    record = copy.deepcopy(played("jamaica"))
    tamper(record)
    check(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-verdict]")).to_contain_text("does not hold")
    ann.complaints.clear()


def test_a_server_that_deals_another_card_is_caught(person: Callable[..., Player], tmp_path: Path):
    """The events come from the server; the cards are the browser's own. Swap one drawn card on the way."""
    ann = person(None)

    def cheat(route: Any) -> None:
        answer = route.fetch()
        told = answer.json()
        drawn = next(e for step in told["steps"] for e in step["events"] if e["type"] == "cards_drawn")
        drawn["cards"][0] = "hat" if drawn["cards"][0] != "hat" else "key"
        route.fulfill(response=answer, json=told)

    ann.page.route("**/replay/steps", cheat)
    check(ann.page, ann.url, played("jamaica"), tmp_path)
    expect(ann.page.locator(".check-bad")).to_contain_text("did not lie on top of the deck")
    expect(ann.page.locator("[data-verdict]")).to_contain_text("does not hold")


def test_the_page_of_a_game_shows_the_seal_first_and_the_secret_after(person: Callable[..., Player]):
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
    expect(secret).not_to_have_text("still secret")
    assert rules.commitment_of(secret.inner_text()) == table["commitment"]
    ann.page.get_by_role("button", name="Check this game").click()
    expect(ann.page.locator("[data-verdict]")).to_contain_text("This game was fair")


def test_the_browsers_set_up_is_the_engines(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(f"{ann.url}/fairness")
    for options in PRESETS:
        full = rules.options_to_json(rules.parse_options(options))
        made = rules.position_to_json(rules.new_game(rules.parse_options(options), SEED))
        found = ann.page.evaluate(
            "async ([options, seed]) => (await import('/static/js/pages/chance.js')).setUp(options, seed)",
            [full, SEED],
        )
        assert found["board"] == made["board"], options
        assert found["hands"] == [player["hand"] for player in made["players"]], options
        assert (found["deck"], found["row"]) == (made["deck"], made["row"]), options
        assert found["first"] == made["turn"]["seat"], options
        assert (found["chests"], found["aside"]) == (made["chests"], made["chests_aside"]), options


def test_without_a_game_there_is_nothing_to_show_but_the_way_to_a_record(person: Callable[..., Player]):
    ann = person(None)
    ann.page.goto(f"{ann.url}/fairness")
    expect(ann.page.get_by_text("Choose the file of a record")).to_be_visible()
    expect(ann.page.locator("[data-seals]")).to_be_hidden()
    expect(ann.page.get_by_role("button", name="Check this game")).to_have_count(0)
