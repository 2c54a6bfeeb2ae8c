"""Focus is never lost to the page, and the tab order follows the visual order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.game_server import SHORT, Player, begin

# Class of the focused element; empty for the page itself.
FOCUSED_CLASS = """() => {
  const node = document.activeElement;
  return node === document.body || !node.checkVisibility() ? "" : node.getAttribute("class") ?? node.tagName;
}"""


def focused_class(page: Page) -> str:
    page.wait_for_function(f"() => ({FOCUSED_CLASS})() !== ''")
    return str(page.evaluate(FOCUSED_CLASS))


def in_turn(person: Callable[..., Player], **options: Any) -> Player:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options={**SHORT, "first": 0, **options}))
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    return ann


def press(player: Player, selector: str) -> None:
    """Press by keyboard and wait for the server's answer."""
    before = player.seq()
    player.page.locator(selector).first.focus()
    player.page.keyboard.press("Enter")
    player.wait_past(before)


def choose_card(player: Player) -> None:
    player.page.locator(".hand-card.playable").first.focus()
    player.page.keyboard.press("Enter")
    expect(player.page.locator(".choice").first).to_be_visible()


def test_focus_moves_to_the_next_step_after_every_action(
    person: Callable[..., Player],
) -> None:
    ann = in_turn(person, actions=3)
    choose_card(ann)
    ann.page.locator(".put-back").focus()
    ann.page.keyboard.press("Enter")
    assert "hand-card playable" in focused_class(ann.page), "put back: on a card again"
    choose_card(ann)
    press(ann, ".choice")
    assert "hand-card" in focused_class(ann.page), "a choice: on the next card"
    expect(ann.page.locator(".undo")).to_be_visible()
    press(ann, ".undo")
    assert "hand-card" in focused_class(ann.page), "undo: on a card"
    for _ in range(2):
        choose_card(ann)
        press(ann, ".choice")
    press(ann, ".undo")
    assert "undo" in focused_class(ann.page), "undo with more to undo: stays there"
    for _ in range(2):
        choose_card(ann)
        press(ann, ".choice")
    assert "end-turn" in focused_class(ann.page), "nothing else is left to do"
    press(ann, ".end-turn")
    assert focused_class(ann.page).startswith("tray"), (
        "the turn has ended: on the sentence that says whose turn it is"
    )
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Resign").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    ann.page.wait_for_function(f"() => ({FOCUSED_CLASS})() !== ''")
    expect(ann.page.locator(".table-menu > summary")).to_be_focused()


def test_focus_stays_on_main_after_a_click_on_the_background(person: Callable[..., Player]) -> None:
    ann = in_turn(person)
    choose_card(ann)
    ann.page.locator(".status-words").click()
    before = ann.seq()
    ann.act(ann.state()["choices"][0]["action"])
    ann.wait_past(before)
    assert ann.page.evaluate(FOCUSED_CLASS) == "MAIN", "clicks on the background focus main"


def test_tab_order_follows_the_desktop_layout_from_hand_to_choices(person: Callable[..., Player]) -> None:
    ann = in_turn(person)
    ann.page.locator(".hand-card.playable").first.click()
    expect(ann.page.locator(".choice").first).to_be_visible()
    places = ann.page.evaluate(
        """() => [...document.querySelectorAll(".bench :is(button, [tabindex='0'])")]
          .filter((each) => each.checkVisibility())
          .map((each) => each.closest(".hand, .choices, .tray-buttons").getBoundingClientRect().left)"""
    )
    assert len(set(places)) == 3, "cards, choices and buttons"
    assert places == sorted(places)


def test_screen_readers_skip_the_letters_on_pirates(person: Callable[..., Player]) -> None:
    ann = in_turn(person)
    expect(ann.page.locator(".board .figure").first).to_be_attached()
    read = ann.page.evaluate(
        """() => [...document.querySelectorAll(".board text")]
          .filter((each) => !each.closest('[aria-hidden="true"], [role="button"]')).map((each) => each.textContent)"""
    )
    assert read == []


def test_remaining_actions_and_next_step_are_announced(person: Callable[..., Player]) -> None:
    ann = in_turn(person, actions=3)
    heard = ann.page.locator("#live-polite")
    expect(heard).to_contain_text("Your turn: 3 actions left.")
    choose_card(ann)
    expect(heard).to_contain_text("Choose a pirate to move")
    press(ann, ".choice")
    expect(heard).to_contain_text("Your turn: 2 actions left.")


def test_clocks_are_labelled_and_announced_near_their_end(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0}, clock={"kind": "turn", "seconds": 40})
    ann.open(game)
    name = ann.state()["table"]["seats"][0]["name"]
    expect(ann.page.get_by_role("timer").first).to_have_accessible_name(f"Time left for {name}")
    expect(ann.page.locator("#live-alert")).to_contain_text("30 seconds left on your clock.")
