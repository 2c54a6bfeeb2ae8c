"""Somebody goes away: the others are told, decide by vote, a bot takes over, and the seat is taken back."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, Player, begin, move_beside


def test_an_absent_player_is_voted_on_replaced_and_comes_back(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT, absence=10)
    ann.open(game)
    while ann.state().get("choices"):  # until it is the turn of the one who is not there
        move_beside(ann)
    expect(ann.page.locator(".banner").first).to_contain_text("is absent", timeout=60000)
    ann.page.get_by_role("button", name="Let a bot play").click()
    expect(ann.page.locator(".plate").nth(1).get_by_text("a bot plays for now")).to_be_attached()
    bo.open(game)
    expect(bo.page.locator(".banner")).to_contain_text("A bot plays your seat")
    bo.page.get_by_role("button", name="Take it back").click()
    expect(bo.page.locator(".banner")).to_have_count(0)
    expect(ann.page.locator(".log-line", has_text="is back")).to_have_count(1)
