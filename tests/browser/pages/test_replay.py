"""Replays: steps by slider, keys and link; every seat's view after the end, the own view before; record files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.pages.page_paths import played_record

HIDDEN = {**SHORT, "hands": "hidden", "supply": "deck"}


def load(page: Page, url: str, record: dict[str, Any], folder: Path) -> None:
    file = folder / "record.json"
    file.write_text(json.dumps(record))
    page.goto(f"{url}/replay")
    page.locator("#record-file").set_input_files(file)


def count(page: Page) -> str:
    return page.locator("[data-count]").inner_text()


@pytest.fixture
def finished(person: Callable[..., Player]) -> tuple[Player, str]:
    """Play a game to its end through the API."""
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=HIDDEN)
    for turn in range(30):
        player = (ann, bo)[turn % 2]
        if move_via_api(player) and turn > 20:
            break
    bo.act({"type": "resign"})
    return ann, game


def test_record_file_is_navigated_with_keys_and_slider(person: Callable[..., Player], tmp_path: Path):
    ann = person(None)
    record = played_record("tortuga")
    moves = len(record["actions"])
    load(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-count]")).to_have_text(f"0 / {moves}")
    ann.page.locator("h1").click()
    for _ in range(3):
        ann.page.keyboard.press("ArrowRight")
    assert count(ann.page) == f"3 / {moves}"
    ann.page.keyboard.press("ArrowLeft")
    assert count(ann.page) == f"2 / {moves}"
    ann.page.keyboard.press("End")
    assert count(ann.page) == f"{moves} / {moves}"
    expect(ann.page.locator("[data-players]")).to_contain_text("has won")
    ann.page.locator("[data-step]").fill("5")
    assert count(ann.page) == f"5 / {moves}"
    ann.page.locator("[data-log] button").nth(9).click()
    assert count(ann.page) == f"10 / {moves}"
    ann.page.get_by_label("Speed").select_option("200")
    ann.page.get_by_role("button", name="Start the replay").click()
    expect(ann.page.locator("[data-count]")).not_to_have_text(re.compile(r"^1[0-2] / "))
    ann.page.get_by_role("button", name="Pause").click()


def test_finished_game_can_be_seen_from_any_seat_and_linked_by_step(
    finished: tuple[Player, str], person: Callable[..., Player]
):
    ann, game = finished
    stranger = person(None)
    page = stranger.page
    page.goto(f"{ann.url}/g/{game}/replay?step=4")
    expect(page.locator("[data-count]")).to_contain_text("4 / ")
    hands = page.locator(".player .mini-hand")
    expect(hands.nth(0).locator(".mini-card")).not_to_have_count(0)
    expect(hands.nth(1).locator(".mini-card")).not_to_have_count(0)
    page.get_by_label("View as").select_option("0")
    expect(hands.nth(1).locator(".mini-card")).to_have_count(0)
    expect(page.locator("[data-count]")).to_contain_text("4 / ")
    page.get_by_label("View as").select_option("none")
    expect(hands.nth(0).locator(".mini-card")).to_have_count(0)
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("step=5$"))
    # the log scrolls to the line of every step
    page.keyboard.press("End")
    expect(page.locator("[data-log] [aria-current]")).to_be_in_viewport()


def test_record_can_be_downloaded_and_loaded_again(finished: tuple[Player, str], tmp_path: Path):
    ann, game = finished
    ann.page.goto(f"{ann.url}/g/{game}/replay")
    with ann.page.expect_download() as download:
        ann.page.get_by_role("link", name="Download the record").click()
    record = json.loads(Path(download.value.path()).read_text())
    assert record["format"] == "cartagena-record/2"
    load(ann.page, ann.url, record, tmp_path)
    expect(ann.page.locator("[data-count]")).to_have_text(f"0 / {len(record['actions'])}")


def test_replay_of_running_game_shows_only_what_the_player_saw(person: Callable[..., Player]):
    ann, bo, eve = person("Ann"), person("Bo"), person("Eve")
    game = begin(ann, bo, options=HIDDEN)
    for _ in range(4):
        move_via_api(ann)
        move_via_api(bo)
    frames: list[str] = []
    eve.page.on("response", lambda answer: frames.append(answer.text()) if "/seen" in answer.url else None)
    for player, shown in ((ann, (True, False)), (bo, (False, True)), (eve, (False, False))):
        player.page.goto(f"{player.url}/g/{game}/replay")
        expect(player.page.locator(".player")).to_have_count(2)
        player.page.keyboard.press("End")
        for seat, visible in enumerate(shown):
            cards = player.page.locator(".player").nth(seat).locator(".mini-card")
            assert (cards.count() > 0) is visible, (player, seat)
    assert frames
    seen = json.loads(frames[0])
    assert seen["view"]["seed"] is None
    assert all(seat["hand"] is None for seat in seen["view"]["players"])
    drawn = [event for step in seen["steps"] for event in step["events"] if event["type"] == "cards_drawn"]
    assert all(event["cards"] is None for event in drawn)


def test_invalid_record_file_is_refused_with_an_explanation(person: Callable[..., Player], tmp_path: Path):
    ann = person(None)
    for wrong in ({}, {"format": "cartagena-record/1"}, {**played_record("tortuga"), "nonces": []}):
        load(ann.page, ann.url, wrong, tmp_path)
        expect(ann.page.locator("[data-problem]")).to_be_visible()
    expect(ann.page.locator("[data-problem]")).to_have_text("The record is damaged: “nonces” is not valid.")
    whole = played_record("tortuga")
    load(ann.page, ann.url, whole, tmp_path)
    expect(ann.page.locator("[data-board] svg")).to_be_in_viewport(ratio=0.99)
    expect(ann.page.locator("[data-load]")).to_be_hidden()
    whole["actions"][4]["action"] = {"type": "sail"}
    (tmp_path / "forged.json").write_text(json.dumps(whole))
    ann.page.locator("#record-file").set_input_files(tmp_path / "forged.json")
    expect(ann.page.locator("[data-problem]")).to_contain_text("Move 5 of the record cannot be played")
    expect(ann.page.locator("[data-board] svg")).to_be_in_viewport(ratio=0.7)  # the one before stays
    (tmp_path / "noise.json").write_text("not json at all")
    ann.page.locator("#record-file").set_input_files(tmp_path / "noise.json")
    expect(ann.page.locator("[data-problem]")).to_contain_text("This file cannot be read.")
    ann.complaints.clear()


def test_step_buttons_share_a_row_on_phones(person: Callable[..., Player], tmp_path: Path) -> None:
    ann = person(None)
    load(ann.page, ann.url, played_record("tortuga"), tmp_path)
    buttons = ann.page.locator(".replay-buttons [data-go]")
    expect(buttons.first).to_be_visible()  # the record is read
    for width in (390, 320):
        ann.page.set_viewport_size({"width": width, "height": 700})
        expect(buttons.first).to_be_visible()  # hidden until the record is loaded
        assert len(set(buttons.evaluate_all("all => all.map((each) => each.offsetTop)"))) == 1, width
        assert min(buttons.evaluate_all("all => all.map((each) => each.offsetWidth)")) >= 44
        assert ann.page.evaluate("document.documentElement.scrollWidth") == width
        expect(ann.page.get_by_role("button", name="Start the replay")).to_be_visible()
