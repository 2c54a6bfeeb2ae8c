"""An absent player: the others are notified and vote, a bot takes over, and the player takes the seat back."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api


def test_absent_player_is_replaced_by_vote_and_returns(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT, absence=10)
    ann.open(game)
    while ann.state().get("choices"):  # until it is the absent player's turn
        move_via_api(ann)
    expect(ann.page.locator(".banner").first).to_contain_text("is absent", timeout=60000)
    ann.page.get_by_role("button", name="End the game").click()
    expect(ann.page.get_by_role("dialog")).to_contain_text("It ends for everyone, without a winner")
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    ann.page.get_by_role("button", name="Let a bot play").click()
    expect(ann.page.locator(".plate").nth(1).get_by_text("a bot is playing for now")).to_be_attached()
    bo.open(game)
    expect(bo.page.locator(".banner")).to_contain_text("A bot is playing for you")
    bo.page.get_by_role("button", name="Take my seat back").click()
    expect(bo.page.locator(".banner")).to_have_count(0)
    expect(ann.page.locator(".log-line", has_text="is back")).to_have_count(1)
