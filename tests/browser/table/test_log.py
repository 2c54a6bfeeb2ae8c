"""The log: late clients get the earlier lines they may know, and no line twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.table.test_sealing import sit

HIDDEN: dict[str, Any] = {**SHORT, "hands": "hidden", "supply": "deck"}


def lines(page: Page) -> list[str]:
    return page.locator(".log-line").all_inner_texts()


def another_device(player: Player) -> Page:
    """Return a new tab of the same person without any state."""
    page = player.context.new_page()
    page.goto(f"{player.url}/g/{player.game}")
    expect(page.locator("#table[data-phase]")).to_be_visible()
    return page


def test_second_device_shows_the_whole_log(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = ann.create(HIDDEN)
    sit(ann, game)  # through the page, which then opens its own seal; the API must not answer for it
    bo.take_seat(game)
    ann.command("start")
    bo.confirm()
    expect(ann.page.locator(".plate")).to_have_count(2)
    for _ in range(8):
        before = ann.seq()
        assert move_via_api(ann) or move_via_api(bo)
        ann.wait_past(before)
    shown_lines = lines(ann.page)
    assert shown_lines[0] == "The game starts."
    assert len(shown_lines) > 8
    late = another_device(ann)
    expect(late.locator(".log-line")).to_have_text(shown_lines)
    late.locator(".log-line.has-trace").first.hover()
    expect(late.locator(".trace")).to_have_count(1)
    # new events are logged once, and a reload shows the same lines
    before = ann.seq()
    assert move_via_api(ann) or move_via_api(bo)
    ann.wait_past(before)
    shown_lines = lines(ann.page)
    expect(late.locator(".log-line")).to_have_text(shown_lines)
    late.reload()
    expect(late.locator(".log-line")).to_have_text(shown_lines)
    late.close()


def test_log_names_players_who_stood_up_again(person: Callable[..., Player]) -> None:
    ann, bo, eve = person("Ann"), person("Bo"), person("Eve")
    ann.open(ann.create(HIDDEN))
    expected = []
    for guest in (bo, eve):
        guest.game = ann.game
        guest.command("sit", seat=1)
        name = guest.api("GET", "/me")["person"]["name"]
        expected += [f"{name} sits down.", "A seat is empty again."]
        expect(ann.page.locator(".log-line")).to_have_count(len(expected) - 1)
        guest.command("stand")
        expect(ann.page.locator(".log-line")).to_have_text(expected)
    ann.page.reload()
    expect(ann.page.locator(".log-line")).to_have_text(expected)


def test_late_spectator_sees_only_the_public_log(person: Callable[..., Player]) -> None:
    ann, bo, eve = person("Ann"), person("Bo"), person("Eve")
    game = begin(ann, bo, options=HIDDEN)
    drawn: list[Any] = []
    while not drawn:
        before = ann.state()
        assert move_via_api(ann) or move_via_api(bo)
        after = ann.state()
        drawn = [now for was, now in zip(before["view"]["players"], after["view"]["players"], strict=True)
                 if now["cards"] > was["cards"]]  # fmt: skip
    eve.open(game)
    line = eve.page.locator(".log-line", has_text="draws").last
    expect(line).to_contain_text(re.compile(r"draws \d cards?\."))


def test_lines_missed_while_away_are_filled_in(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=HIDDEN)
    ann.open(game)
    expect(ann.page.locator(".log-line")).to_have_text(["The game starts."])
    ann.page.goto(f"{ann.url}/rules")
    for _ in range(5):
        assert move_via_api(ann) or move_via_api(bo)
    ann.open(game)
    late = another_device(ann)
    expect(late.locator(".log-line").nth(5)).to_be_visible()
    expect(ann.page.locator(".log-line")).to_have_text(lines(late))
    late.close()


def test_last_log_line_is_visible_after_a_reload_and_at_the_end(person: Callable[..., Player]) -> None:
    """At the end the opened hands take space from the log."""
    ann, bo = person("Ann", viewport={"width": 1280, "height": 660}), person("Bo")
    game = begin(ann, bo, options={**HIDDEN, "pirates": 6})
    ann.open(game)
    for _ in range(10):
        assert move_via_api(ann) or move_via_api(bo)
    expect(ann.page.locator(".log-line").nth(10)).to_be_attached()
    expect(ann.page.locator(".log-line").last).to_be_in_viewport(ratio=1)
    expect(ann.page.locator(".log-line").first).not_to_be_in_viewport()
    ann.page.reload()  # the log is written before the seats and the deck take their room from it
    expect(ann.page.locator(".log-line").nth(10)).to_be_attached()
    expect(ann.page.locator(".log-line").last).to_be_in_viewport(ratio=1)
    bo.act({"type": "resign"})
    expect(ann.page.locator(".ending")).to_be_visible()
    expect(ann.page.locator(".log-line").last).to_be_in_viewport(ratio=1)
