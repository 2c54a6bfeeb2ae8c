"""The keyboard never falls back to the page, and Tab goes through the table as the eye does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.table.house import SHORT, Player, begin

# Where the keyboard is, by its class; empty on the page itself.
WHERE = """() => {
  const node = document.activeElement;
  return node === document.body || !node.checkVisibility() ? "" : node.getAttribute("class") ?? node.tagName;
}"""


def where(page: Page) -> str:
    page.wait_for_function(f"() => ({WHERE})() !== ''")
    return str(page.evaluate(WHERE))


def in_turn(person: Callable[..., Player], **options: Any) -> Player:
    ann, bo = person("Ann"), person("Bo")
    ann.open(begin(ann, bo, options={**SHORT, "first": 0, **options}))
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    return ann


def press(player: Player, selector: str) -> None:
    """By the keyboard, and until the server has answered."""
    before = player.seq()
    player.page.locator(selector).first.focus()
    player.page.keyboard.press("Enter")
    player.wait_past(before)


def choose_card(player: Player) -> None:
    player.page.locator(".hand-card.playable").first.focus()
    player.page.keyboard.press("Enter")
    expect(player.page.locator(".choice").first).to_be_visible()


def test_after_everything_one_does_the_keyboard_stands_where_one_goes_on(
    person: Callable[..., Player],
) -> None:
    ann = in_turn(person, actions=3)
    choose_card(ann)
    ann.page.locator(".put-back").focus()
    ann.page.keyboard.press("Enter")
    assert "hand-card playable" in where(ann.page), "put back: on a card again"
    choose_card(ann)
    press(ann, ".choice")
    assert "hand-card" in where(ann.page), "a choice: on the next card"
    expect(ann.page.locator(".undo")).to_be_visible()
    press(ann, ".undo")
    assert "hand-card" in where(ann.page), "undo: on a card"
    for _ in range(3):
        choose_card(ann)
        press(ann, ".choice")
    assert "end-turn" in where(ann.page), "nothing else is left to do"
    press(ann, ".end-turn")
    assert where(ann.page).startswith("tray"), "the turn has ended: at the sentence that says who is in turn"
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_role("button", name="Give up").click()
    ann.page.get_by_role("dialog").get_by_role("button", name="No").click()
    expect(ann.page.get_by_role("dialog")).to_have_count(0)
    ann.page.wait_for_function(f"() => ({WHERE})() !== ''")
    expect(ann.page.locator(".table-menu > summary")).to_be_focused()


def test_whoever_presses_beside_everything_is_left_there(person: Callable[..., Player]) -> None:
    ann = in_turn(person)
    choose_card(ann)
    ann.page.locator(".status-words").click()
    before = ann.seq()
    ann.act(ann.state()["choices"][0]["action"])
    ann.wait_past(before)
    assert ann.page.evaluate(WHERE) == "MAIN", "the page's middle, which takes every press beside something"


def test_tab_goes_from_the_hand_to_the_choices_as_they_lie_on_a_desk(person: Callable[..., Player]) -> None:
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


def test_the_letters_on_the_pirates_are_not_read_out(person: Callable[..., Player]) -> None:
    ann = in_turn(person)
    expect(ann.page.locator(".board .figure").first).to_be_attached()
    read = ann.page.evaluate(
        """() => [...document.querySelectorAll(".board text")]
          .filter((each) => !each.closest('[aria-hidden="true"], [role="button"]')).map((each) => each.textContent)"""
    )
    assert read == []


def test_actions_left_and_the_next_step_are_heard(person: Callable[..., Player]) -> None:
    ann = in_turn(person, actions=3)
    heard = ann.page.locator("#live-polite")
    expect(heard).to_contain_text("Your turn: 3 actions left.")
    choose_card(ann)
    expect(heard).to_contain_text("Now a pirate for")
    press(ann, ".choice")
    expect(heard).to_contain_text("Your turn: 2 actions left.")


def test_clocks_have_names_and_are_spoken_near_their_end(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0}, clock={"kind": "turn", "seconds": 40})
    ann.open(game)
    name = ann.state()["table"]["seats"][0]["name"]
    expect(ann.page.get_by_role("timer").first).to_have_accessible_name(f"Time left for {name}")
    expect(ann.page.locator("#live-alert")).to_contain_text("30 seconds left on your clock.")
