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
