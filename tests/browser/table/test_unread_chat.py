"""Unread chat on a phone: the chat is below the fold, so the status line shows new lines and links to it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin


def test_unread_chat_is_shown_and_announced_on_a_phone_until_opened(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport={"width": 390, "height": 844}), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    sign = ann.page.locator(".chat-sign")
    expect(sign).to_be_hidden()
    bo.page.get_by_role("tab", name="Chat").click()
    for n in ("1", "2"):
        bo.page.get_by_role("button", name="Good luck!").click()
        expect(sign).to_have_text(n)
    expect(sign).to_have_attribute("aria-label", "Chat, 2 new messages")
    expect(ann.page.locator("#live-polite p", has_text="Chat, ")).to_have_count(1)  # said once
    sign.click()
    expect(ann.page.locator(".chat-line").last).to_be_in_viewport()
    expect(sign).to_be_hidden()
    expect(bo.page.locator(".chat-sign")).to_be_hidden()
    # read lines stay read in this browser
    ann.page.reload()
    expect(ann.page.locator(".chat-line")).to_have_count(2)
    expect(sign).to_be_hidden()


def test_spectators_learn_why_they_cannot_write_and_who_reads_them(person: Callable[..., Player]) -> None:
    ann, bo, eve, nobody = person("Ann"), person("Bo"), person("Eve"), person(None)
    game = begin(ann, bo, options=SHORT)
    for spectator in (eve, nobody):
        spectator.open(game)
        spectator.page.get_by_role("tab", name="Chat").click()
    expect(nobody.page.get_by_text("You need a name to write in the chat.")).to_be_visible()
    expect(nobody.page.locator(".chat-form")).to_be_hidden()
    expect(eve.page.get_by_text("Only spectators read this until the game is over.")).to_be_visible()
    expect(eve.page.locator(".chat-form")).to_be_visible()
