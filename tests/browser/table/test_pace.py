"""Pace of animations, skipping to the own turn, marks of the others' moves, and earlier positions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.game_server import SHORT, Player, begin, move_via_api
from tests.browser.table.test_feedback import in_turn
from tests.browser.table.test_log import HIDDEN


def paces_sent(page: Page) -> list[str]:
    """Collect the paces that the page sends from now on."""
    sent: list[str] = []

    def note(text: str | bytes) -> None:
        message: dict[str, Any] = json.loads(text)
        if message["do"] == "pace":
            sent.append(message["pace"])

    page.on("websocket", lambda socket: socket.on("framesent", note))
    return sent


def play_turn(player: Player) -> None:
    """Play this player's turn through the API."""
    while (state := player.state()).get("choices"):
        assert move_via_api(player, state)


def pirate_positions(page: Page) -> list[str]:
    """Return the places at which pirates are drawn."""
    drawn: list[str] = page.eval_on_selector_all(
        ".figure", "nodes => nodes.map((node) => node.getAttribute('transform')).sort()"
    )
    return drawn


def test_pace_is_remembered_and_a_tap_skips_to_own_turn(person: Callable[..., Player]) -> None:
    ann = person("Ann")
    sent = paces_sent(ann.page)
    game = begin(ann, options={**HIDDEN, "players": 3, "first": 0}, bots=["cabin-boy", "cabin-boy"])
    ann.open(game)
    ann.wait_until_mine()
    assert sent == []
    ann.page.locator(".table-menu > summary").click()
    ann.page.get_by_label("Game speed").select_option("slow")
    ann.page.keyboard.press("Escape")
    ann.page.reload()
    ann.page.locator(".table-menu > summary").click()
    expect(ann.page.locator("#pace")).to_have_value("slow")
    ann.page.keyboard.press("Escape")
    ann.wait_until_mine()
    assert sent == ["slow", "slow"], "once when it was chosen, once for the new connection"
    skip = ann.page.get_by_role("button", name="Skip to my turn")
    expect(skip).to_be_hidden()
    play_turn(ann)
    expect(skip).to_be_visible()
    ann.page.locator(".map .board").click(position={"x": 300, "y": 5})  # on the bare map
    expect(skip).to_have_attribute("aria-pressed", "true")
    ann.page.locator(".map .board").click(position={"x": 300, "y": 5})
    ann.wait_until_mine()
    assert sent == ["slow", "slow", "skip"]
    expect(skip).to_be_hidden()


def test_moves_of_other_players_are_marked_until_the_first_click(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    first, second = in_turn(ann, bo)
    play_turn(first)
    second.open(game)
    moves = second.page.locator(".recap")
    expect(moves.first).to_be_attached()
    shown = moves.count()
    second.page.reload()
    expect(moves).to_have_count(shown)
    second.page.get_by_role("button", name="One step back").click()
    expect(moves).to_have_count(0)
    second.page.get_by_role("button", name="Back to now").click()
    expect(moves).to_have_count(shown)
    second.page.locator(".hand-card, .map .is-source").first.click()
    expect(moves).to_have_count(0)
    play_turn(second)
    expect(moves).to_have_count(0)


def test_earlier_position_stays_shown_while_the_game_continues(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", reduced_motion="reduce"), person("Bo")
    game = begin(ann, bo, options=SHORT)
    first, second = in_turn(ann, bo)
    second.open(game)
    page = second.page
    begun = second.seq()
    for _ in range(3):
        assert move_via_api(first)
    second.wait_past(begun + 2)  # lines are no measure: the beginning has some of its own
    now = pirate_positions(page)
    back = page.get_by_role("button", name="One step back")
    on = page.get_by_role("button", name="One step forward")
    expect(on).to_be_hidden()
    back.click()
    strip = page.locator(".looking-back")
    expect(strip).to_contain_text("2 / 3")
    expect(page.locator(".trace")).to_have_count(1)
    back.click()
    expect(strip).to_contain_text("1 / 3")
    then = pirate_positions(page)
    assert then != now
    before = second.seq()
    assert move_via_api(first)  # live
    second.wait_past(before)
    assert pirate_positions(page) == then
    on.click()
    expect(strip).to_contain_text("2 / 4")  # it is counted on
    page.keyboard.press("Escape")
    expect(strip).to_be_hidden()
    assert pirate_positions(page) not in (then, now), "what happened meanwhile is there"
    back.click()
    expect(strip).to_be_visible()
    play_turn(first)
    second.wait_until_mine()
    expect(strip).to_be_visible()
    page.locator(".hand-card:not([disabled])").first.click()  # choosing returns to the current position
    expect(strip).to_be_hidden()


def test_replay_of_a_running_game_starts_at_own_last_turn(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "actions": 1})
    first, second = in_turn(ann, bo)
    for player in (first, second, first, second):
        play_turn(player)
    first.page.goto(f"{first.url}/g/{game}/replay")
    expect(first.page.locator("[data-said]")).to_contain_text("ends their turn")
    at, _, of = first.page.locator("[data-count]").inner_text().partition(" / ")
    assert (int(at), int(of)) == (4, 8), "two steps a turn: the last turn begins after four"


def test_sound_is_offered_once_per_browser(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", fresh=True), person("Bo")
    game = begin(ann, bo, options={**SHORT, "actions": 1})
    if ann.state().get("choices"):
        play_turn(ann)
    ann.open(game)
    offer = ann.page.get_by_text("Ring a bell when it is your turn?")
    expect(offer).to_be_hidden()
    play_turn(bo)
    expect(offer).to_be_visible()
    assert find_violations(ann.page) == []
    ann.page.get_by_role("button", name="Yes").click()
    expect(offer).to_be_hidden()
    ann.page.locator(".table-menu > summary").click()
    expect(ann.page.get_by_role("button", name="Sound is on")).to_be_visible()
    ann.page.get_by_role("button", name="Sound is on").click()
    ann.page.reload()
    for player in (ann, bo):
        play_turn(player)
    ann.wait_until_mine()
    expect(offer).to_be_hidden()


COUNT_VIBRATIONS = "window.felt = 0; navigator.vibrate = () => { window.felt += 1; return true; };"


def test_phone_vibrates_on_own_turn_unless_disabled(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True, reduced_motion="no-preference"), person("Bo", phone=True)
    game = begin(ann, bo, options={**SHORT, "actions": 1})
    for player in (ann, bo):
        player.page.add_init_script(COUNT_VIBRATIONS)
        player.open(game)
        player.page.locator(".status-words").tap()  # a browser allows it after the first touch

    def round_of_turns() -> None:
        for player in in_turn(ann, bo):
            before = player.seq()
            play_turn(player)
            for each in (ann, bo):
                each.wait_past(before)
        in_turn(ann, bo)[0].wait_until_mine()

    round_of_turns()
    felt = ann.page.evaluate("window.felt")
    assert felt >= 1
    ann.page.locator(".table-menu > summary").tap()
    ann.page.get_by_role("button", name="Vibration is on").tap()
    ann.page.keyboard.press("Escape")
    round_of_turns()
    assert ann.page.evaluate("window.felt") == felt
    assert bo.page.evaluate("window.felt") == 0, "no vibration if the user prefers reduced motion"
