"""Keyboard shortcuts of the table: listed by "?"; single-character shortcuts can be disabled (WCAG 2.1.4)."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin

IS_FOCUS_IN_HAND = "document.activeElement.closest('.hand') !== null"


def test_question_mark_lists_the_shortcuts_and_they_can_be_disabled(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options=SHORT))
    page = ann.page
    page.keyboard.press("h")
    assert page.evaluate(IS_FOCUS_IN_HAND)
    page.keyboard.press("?")  # on a card it explains that card
    expect(page.locator("dialog.explain")).to_contain_text("Play it to move one of your pirates")
    page.keyboard.press("Escape")
    assert page.evaluate(IS_FOCUS_IN_HAND)
    page.locator(".table-menu > summary").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(dialog).to_contain_text("go to your hand")
    dialog.get_by_role("checkbox", name="Use single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator(".table-menu > summary")).to_be_focused()
    page.reload()  # it is kept
    expect(page.locator(".hand-card").first).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("?")
    expect(dialog).to_have_count(0)
    assert not page.evaluate(IS_FOCUS_IN_HAND)
    page.locator(".table-menu > summary").click()
    page.get_by_role("button", name="Keyboard shortcuts").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("h")
    assert page.evaluate(IS_FOCUS_IN_HAND)
