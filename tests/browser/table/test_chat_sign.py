"""On a phone the chat lies below the edge: new lines are shown in the status line, which leads there."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, Player, begin


def test_new_chat_is_shown_and_said_on_a_phone_until_it_is_opened(person: Callable[..., Player]) -> None:
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
    expect(sign).to_have_attribute("aria-label", "Chat, 2 new")
    expect(ann.page.locator("#live-polite p", has_text="Chat, ")).to_have_count(1)  # said once
    sign.click()
    expect(ann.page.locator(".chat-line").last).to_be_in_viewport()
    expect(sign).to_be_hidden()
    expect(bo.page.locator(".chat-sign")).to_be_hidden()
