"""The keys of the table: listed by "?", and those of a single character can be switched off (WCAG 2.1.4)."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.table.house import SHORT, Player, begin

ON_THE_HAND = "document.activeElement.closest('.hand') !== null"


def test_a_question_mark_lists_the_keys_and_they_can_be_switched_off(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options=SHORT))
    page = ann.page
    page.keyboard.press("h")
    assert page.evaluate(ON_THE_HAND)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("to your hand")
    dialog.get_by_role("checkbox", name="Use the keys of a single character").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert page.evaluate(ON_THE_HAND), "the focus is back where it was"
    page.reload()  # it is kept
    expect(page.locator(".hand-card").first).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("?")
    expect(dialog).to_have_count(0)
    assert not page.evaluate(ON_THE_HAND)
    page.locator(".table-menu > summary").click()
    page.get_by_role("button", name="Keys").click()
    dialog.get_by_role("checkbox").check()
    dialog.get_by_role("button", name="Close").click()
    page.keyboard.press("h")
    assert page.evaluate(ON_THE_HAND)
