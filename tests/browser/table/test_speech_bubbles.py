"""Preset phrases appear briefly over the sender's plate, except for players who muted the sender."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin


def test_preset_phrase_is_shown_over_the_plate_of_its_sender(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    ann.open(game)
    bo.open(game)
    bo.page.get_by_role("tab", name="Chat").click()
    bo.page.get_by_role("button", name="Good luck!").click()
    bubble = ann.page.locator(".plate", has_text="Bo").locator(".bubble")
    expect(bubble).to_have_text("Good luck!")
    expect(ann.page.locator(".bubble")).to_have_count(1)
    assert bubble.evaluate("node => node.getAnimations().length") == 0, "less motion is asked for"
    expect(ann.page.locator(".bubble")).to_have_count(0, timeout=15000)
    ann.page.reload()
    expect(ann.page.locator(".plate").first).to_be_visible()
    ann.page.get_by_role("tab", name="Chat").click()
    expect(ann.page.locator(".chat-line")).to_have_count(1)
    expect(ann.page.locator(".bubble")).to_have_count(0)  # it is old
