"""Rematches on a phone: three games against a bot with one tap each, then with friends and a spectator."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api

PASSWORD = "open sesame"


def tap_rematch(player: Player, before: str) -> str:
    """Tap Rematch and return the id of the new game."""
    player.page.get_by_role("button", name="Rematch").tap()
    player.page.wait_for_url(re.compile(rf"/g/(?!{before})"))
    player.game = player.page.url.rsplit("/", 1)[1]
    return player.game


def expect_running(page: Page) -> None:
    expect(page.locator('#table[data-phase="running"]')).to_be_visible()


def resign(player: Player) -> None:
    player.act({"type": "resign"})
    expect(player.page.locator("#table")).to_have_attribute("data-phase", "finished")


def test_three_games_against_a_bot_take_one_tap_each(person: Callable[..., Player]) -> None:
    guest = person(None, phone=True)
    guest.page.goto(guest.url)
    guest.api("POST", "/me", {})
    game = guest.create(SHORT, bots=["cabin-boy"], pace=20, visibility="unlisted")
    guest.open(game)
    guest.page.get_by_role("button", name="Sit here").tap()
    expect_running(guest.page)  # alone with a bot, sitting down is enough
    bot = next(seat["name"] for seat in guest.state()["table"]["seats"] if seat["bot"])
    for _ in range(6):  # some moves; that whole games can be played is shown by test_play.py
        move_via_api(guest)
    resign(guest)
    for number in (2, 3):
        tap_rematch(guest, guest.game)
        expect_running(guest.page)
        table = guest.state()["table"]
        assert [seat["name"] for seat in table["seats"] if seat["bot"]] == [bot]
        expect(guest.page.locator(".plate:not(.own) .fact-won")).to_contain_text(str(number - 1))
        resign(guest)
        expect(guest.page.locator(".ending .score")).to_contain_text(f"0 – {number}")


def test_rematch_keeps_players_and_spectator_of_a_locked_table(
    person: Callable[..., Player],
) -> None:
    ann, bo, wim = person("Ann", phone=True), person("Bo", phone=True), person("Wim", phone=True)
    game = ann.create(SHORT, visibility="password", password=PASSWORD)
    ann.open(game)
    for friend in (bo, wim):
        friend.page.goto(f"{friend.url}/g/{game}")
        friend.page.get_by_role("textbox", name="Password").fill(PASSWORD)
        friend.page.get_by_role("button", name="Open the table").tap()
        friend.game = game
    for friend in (ann, bo):
        friend.page.get_by_role("button", name="Sit here").first.tap()
        friend.page.get_by_role("button", name="I'm ready").tap()
    ann.page.get_by_role("button", name="Start the game").tap()
    for friend in (ann, bo, wim):
        expect_running(friend.page)
    for score in ("1 – 0", "2 – 0"):
        before = bo.game
        ann.act({"type": "resign"})
        expect(ann.page.locator(".rematch")).to_be_visible()
        tap_rematch(bo, before)
        expect(bo.page.locator(".berth", has_text="Reserved for Ann")).to_be_visible()
        expect(bo.page.locator(".seating .score")).to_contain_text(score)
        assert tap_rematch(ann, before) == bo.game
        wim.page.get_by_role("link", name="Watch the next game").tap()
        wim.page.wait_for_url(re.compile(bo.game))
        for friend in (ann, bo, wim):
            expect_running(friend.page)
    ann.act({"type": "resign"})
    expect(bo.page.locator(".ending .score")).to_contain_text("3 – 0")
    expect(ann.page.locator(".ending .score")).to_contain_text("0 – 3")


def test_wait_for_other_players_has_a_countdown(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann", phone=True), person("Bo"), person("Cy")
    begin(ann, bo, cy, options={**SHORT, "players": 3})
    for each in (bo, cy):
        each.game = ann.game
        each.act({"type": "resign"})
    ann.open(ann.game)
    following = tap_rematch(ann, ann.game)
    expect(ann.page.locator(".seating")).to_contain_text(re.compile("Waiting for (Bo|Cy) .* and (Bo|Cy)"))
    bo.take_seat(following)
    expect(ann.page.locator("[data-begins]")).to_contain_text(re.compile(r"starts in (30|2\d) seconds"))
    cy.take_seat(following)
    for each in (bo, cy):
        while each.state()["table"]["status"] == "open" and not each.state()["table"].get("opening"):
            ann.page.wait_for_timeout(100)
        each.confirm()
    expect_running(ann.page)


def test_start_button_is_offered_to_seated_players_only(person: Callable[..., Player]) -> None:
    host = person("Host", phone=True)
    game = host.create({**SHORT, "players": 3}, bots=["sailor"])
    host.open(game)
    expect(host.page.locator(".berth")).to_have_count(3)
    expect(host.page.get_by_role("button", name="Start the game")).to_have_count(0)
    host.page.get_by_role("button", name="Sit here").first.tap()
    expect(host.page.get_by_role("button", name="I'm ready")).to_have_count(
        0
    )  # there is no other player to wait for
    host.page.get_by_role("button", name="Start the game").tap()
    expect_running(host.page)


def test_leaving_a_game_against_bots_takes_two_taps(person: Callable[..., Player]) -> None:
    guest = person("Guest", phone=True)
    guest.open(begin(guest, options=SHORT, bots=["sailor"]))
    expect_running(guest.page)
    dialog = guest.page.get_by_role("dialog")
    leave = guest.page.get_by_role("button", name="Leave this game for good")
    for name in ("Leave this game for good", "Resign"):
        guest.page.locator(".table-menu > summary").tap()
        guest.page.get_by_role("button", name=name, exact=True).tap()
        expect(dialog.get_by_role("button", name="No")).to_be_focused()
        guest.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    assert guest.state()["table"]["status"] == "running"
    guest.page.locator(".table-menu > summary").tap()
    leave.tap()
    expect(dialog).to_contain_text("It ends now, and you can't come back to it.")
    dialog.get_by_role("button", name="Leave the game").tap()
    guest.page.wait_for_url(f"{guest.url}/")
    assert guest.state()["table"]["status"] == "finished"
