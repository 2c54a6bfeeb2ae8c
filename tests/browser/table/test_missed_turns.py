"""The replay of missed actions for a player who returns after more than one turn ("What you missed")."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.game_server import SHORT, Player, begin, move_via_api

THREE_PLAYERS: dict[str, Any] = {**SHORT, "players": 3, "actions": 2, "first": 0}

# Records the texts of the replay, the board at each of them, and the animations.
RECORD_REPLAY = """window.told = []; window.walked = 0;
const inWords = (place) => place.getAttribute("aria-label").split(";")[0];
window.standing = () => [...document.querySelectorAll(".place")].map(inWords);
new MutationObserver(() => {
  const words = document.querySelector(".is-story:not([hidden]) p")?.textContent;
  if (words && words !== window.told.at(-1)?.words) {
    const status = document.querySelector(".status-words").textContent;
    const hand = document.querySelectorAll(".hand-card .stack > *").length;
    window.told.push({ words, standing: window.standing(), status, hand });
  }
  window.walked += document.getAnimations().filter(({ effect }) => effect?.target?.matches(".figure")).length;
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });"""

# Simulates switching to another tab; Playwright's pages are always visible.
SET_HIDDEN = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: isHidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


BOX_SIDES = (
    "(all) => all.map((node) => node.getBoundingClientRect()).flatMap((box) => [box.width, box.height])"
)


IS_COVERED_BY_REPLAY = """(all) => {
  const strip = document.querySelector(".is-story").getBoundingClientRect();
  const boxes = all.map((node) => node.getBoundingClientRect());
  return boxes.map(({ top, bottom }) => bottom > strip.top && top < strip.bottom);
}"""


def play_turn(*players: Player, actions: int = 2) -> None:
    """Play one turn of each player through the API: this many actions, then the end of the turn."""
    for player in players:
        for _ in range(actions):
            assert move_via_api(player)
        if player.state().get("choices"):
            player.act({"type": "end"})


def wait_until_shown(player: Player) -> None:
    """Wait until the player's page shows the newest entry."""
    player.wait_past(player.state()["seq"] - 1)


def occupied_places(page: Page) -> list[str]:
    """Return the description of every place with its pirates."""
    return list(page.evaluate("window.standing()"))


def set_pace(player: Player, pace: str) -> None:
    kept = json.dumps({"isSoundOffered": True, "pace": pace})
    player.page.goto(f"{player.url}/healthz")
    player.page.evaluate("(kept) => localStorage.setItem('cartagena.table', kept)", kept)


def clear_stored_progress(page: Page) -> None:
    """Clear the stored progress, as on another device of the same person."""
    page.evaluate(
        "() => { localStorage.removeItem(Object.keys(localStorage).find((key) => key.includes('.seen.'))); }"
    )
    page.evaluate("() => sessionStorage.clear()")


def replay_strip(page: Page) -> Any:
    return page.locator(".map-strip.is-story")


def expect_no_replay(player: Player) -> None:
    """Expect that everything is loaded and no replay is shown."""
    expect(player.page.locator(".log-line").last).to_be_attached()
    player.page.wait_for_load_state("networkidle")
    player.page.wait_for_timeout(400)
    assert not replay_strip(player.page).is_visible()  # without waiting: a replay ends by itself


def log_lines(page: Page) -> list[str]:
    return page.locator(".log-line").all_inner_texts()


def leave_for_two_turns(
    person: Callable[..., Player], *, actions: int = 1, **context: Any
) -> tuple[Player, Player, Player]:
    """Let Ann, Bo and Cy play a turn each; Ann is away during the others'."""
    ann, bo, cy = person("Ann", **context), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE_PLAYERS)
    play_turn(ann, actions=actions)
    play_turn(bo, cy)
    ann.game = game
    return ann, bo, cy


def test_missed_turns_are_replayed_in_log_order(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann", reduced_motion="no-preference"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE_PLAYERS)
    set_pace(ann, "fast")
    ann.page.add_init_script(RECORD_REPLAY)
    ann.open(game)
    before = ann.seq()
    play_turn(ann, actions=1)
    ann.wait_past(before + 1)
    mine = occupied_places(ann.page)
    assert any("red" in place for place in mine)
    ann.page.goto(f"{ann.url}/healthz")
    play_turn(bo, cy)
    ann.open(game)
    expect(replay_strip(ann.page)).to_be_visible()
    expect(replay_strip(ann.page)).to_be_hidden()
    replayed = ann.page.evaluate("window.told")
    lines = log_lines(ann.page)
    missed = [line for line in lines[-6:] if "ends their turn" not in line]
    assert len(missed) == 4
    assert [each["words"] for each in replayed] == ["You missed 4 actions.", *missed]
    name = bo.state()["table"]["seats"][1]["name"]
    assert replayed[1]["words"].startswith(name)
    assert replayed[1]["status"] == f"It's {name}'s turn.", "the status line shows the moment on the board"
    assert replayed[0]["standing"] == mine, "it starts after the player's last action"
    assert len({str(each["standing"]) for each in replayed}) == 5, "each action is shown on the board"
    assert ann.page.evaluate("window.walked") > 0
    expect(ann.page.locator(".hand-card.playable, .map .is-source").first).to_be_visible()
    expect(ann.page.locator(".recap").first).to_be_attached()
    now = occupied_places(ann.page)
    loaded: list[str] = []
    ann.page.on("request", lambda request: loaded.append(request.url))
    ann.page.reload()
    expect_no_replay(ann)
    assert occupied_places(ann.page) == now, "it ended at the current position"
    assert [url for url in loaded if "story" in url or url.endswith("/seen")] == [], (
        "a replay that was watched is not loaded again"
    )
    clear_stored_progress(ann.page)
    ann.page.reload()
    expect(replay_strip(ann.page)).to_be_visible()
    assert ann.complaints == []


def test_replay_can_be_skipped_and_repeated_and_its_pace_is_remembered(person: Callable[..., Player]) -> None:
    ann, _, _ = leave_for_two_turns(person)
    set_pace(ann, "slow")
    ann.open(ann.game)
    page = ann.page
    strip = replay_strip(page)
    expect(strip).to_contain_text("slow")
    expect(page.get_by_role("button", name="Slower")).to_be_disabled()
    page.get_by_role("button", name="Faster").click()
    expect(strip).to_contain_text("normal")
    page.keyboard.press("+")
    expect(strip).to_contain_text("fast")
    page.reload()
    expect(strip).to_contain_text("fast")
    page.keyboard.press("-")
    page.keyboard.press("-")
    expect(strip).to_contain_text("slow")
    expect(strip).to_contain_text("1 / 4")
    page.keyboard.press("r")
    expect(strip).to_contain_text("You missed 4 actions.")
    page.get_by_role("button", name="Skip", exact=True).focus()
    page.keyboard.press("Enter")
    expect(strip).to_be_hidden()
    assert page.evaluate("document.activeElement.closest('.bench, .map') !== null"), (
        "focus returns to the bench or the board"
    )
    again = page.get_by_role("button", name="Replay what you missed")
    again.click()
    expect(strip).to_contain_text("You missed 4 actions.")
    page.get_by_role("button", name="One step forward").click()  # by hand from here
    expect(page.locator(".looking-back")).to_contain_text("Back to now")
    expect(strip).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".looking-back")).to_be_hidden()
    expect(again).to_be_visible()
    play_turn(ann, actions=1)
    expect(again).to_be_hidden()


@pytest.mark.parametrize("on", [".hand-card.playable", ".map .board"])
def test_acting_ends_the_replay(person: Callable[..., Player], on: str) -> None:
    ann, _, _ = leave_for_two_turns(person)
    set_pace(ann, "slow")
    ann.open(ann.game)
    expect(replay_strip(ann.page)).to_be_visible()
    at = {"x": 300, "y": 5} if "board" in on else None  # on the bare map
    ann.page.locator(on).first.click(position=at)  # type: ignore[arg-type]
    expect(replay_strip(ann.page)).to_be_hidden()
    if "card" in on:
        expect(ann.page.locator(".hand-card.selected")).to_have_count(1)
        expect(ann.page.locator(".map .is-source, .choice").first).to_be_visible()
    ann.page.reload()
    expect_no_replay(ann)


def test_click_on_own_pirate_ends_the_replay_and_selects_it(person: Callable[..., Player]) -> None:
    ann, _, _ = leave_for_two_turns(person)
    set_pace(ann, "slow")
    ann.open(ann.game)
    expect(replay_strip(ann.page)).to_be_visible()
    ann.page.locator('.map [data-place="start"]').click()
    expect(replay_strip(ann.page)).to_be_hidden()
    expect(ann.page.locator('.map [data-place="start"]')).to_have_attribute("aria-pressed", "true")


def test_reduced_motion_replays_without_animation_and_announces_each_turn(
    person: Callable[..., Player],
) -> None:
    ann, _, _ = leave_for_two_turns(person, reduced_motion="reduce")
    set_pace(ann, "fast")
    ann.page.add_init_script(RECORD_REPLAY)
    ann.open(ann.game)
    expect(replay_strip(ann.page)).to_be_visible()
    expect(ann.page.locator(".trace")).to_have_count(1)
    expect(replay_strip(ann.page)).to_be_hidden()
    assert ann.page.evaluate("window.walked") == 0
    assert len(ann.page.evaluate("window.told")) == 5
    read = ann.page.locator("#live-polite p").all_inner_texts()
    assert "You missed 4 actions." in read
    turns = [line for line in read if " plays " in line or " goes " in line]
    assert len(turns) == 2, "one sentence per turn"
    assert all(";" in line for line in turns)


def test_no_replay_after_missing_at_most_one_turn(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    watcher = person("Di")
    game = begin(ann, bo, cy, options=THREE_PLAYERS)
    play_turn(ann, bo)
    cy.open(game)
    expect_no_replay(cy)  # joining for the first time
    ann.open(game)
    expect_no_replay(ann)  # one turn of another
    seq = ann.seq()
    play_turn(cy)
    ann.wait_past(seq)
    ann.wait_until_mine()
    ann.page.reload()
    expect_no_replay(ann)  # the other one was watched
    play_turn(ann, bo, cy)
    watcher.open(game)
    expect_no_replay(watcher)
    clear_stored_progress(ann.page)
    ann.page.reload()
    expect(replay_strip(ann.page)).to_be_visible()  # the others' turns are two now


def test_hidden_tab_and_lost_connection_count_as_being_away(
    person: Callable[..., Player],
) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE_PLAYERS)
    ann.open(game)
    play_turn(ann, actions=1)
    wait_until_shown(ann)
    ann.page.evaluate(SET_HIDDEN, True)
    seq = ann.seq()
    play_turn(bo, cy)
    ann.wait_past(seq)
    ann.wait_until_mine()
    expect(replay_strip(ann.page)).to_have_count(0)
    ann.page.evaluate(SET_HIDDEN, False)
    expect(replay_strip(ann.page)).to_contain_text("You missed 4 actions.")
    ann.page.keyboard.press("Escape")
    expect(replay_strip(ann.page)).to_be_hidden()
    play_turn(ann, actions=1)
    wait_until_shown(ann)
    ann.context.set_offline(True)
    expect(ann.page.locator(".banner")).to_contain_text("No network")
    play_turn(bo, cy)
    ann.context.set_offline(False)
    expect(replay_strip(ann.page)).to_contain_text("You missed 4 actions.")
    ann.complaints = [line for line in ann.complaints if "INTERNET_DISCONNECTED" not in line]


def test_events_during_the_replay_are_appended_up_to_the_end(person: Callable[..., Player]) -> None:
    ann, bo, cy, di = person("Ann"), person("Bo"), person("Cy"), person("Di")
    game = begin(ann, bo, cy, di, options={**THREE_PLAYERS, "players": 4})
    play_turn(ann, actions=1)
    play_turn(bo, cy)
    set_pace(ann, "slow")
    ann.open(game)
    strip = replay_strip(ann.page)
    expect(strip).to_contain_text("You missed 4 actions.")
    expect(strip).to_contain_text("1 / 4")
    assert move_via_api(di)
    expect(strip).to_contain_text("/ 5")
    if di.state().get("undo"):
        di.command("undo", version=di.state()["seq"])
        expect(strip).to_contain_text("/ 4")
    ann.wait_past(0)
    for player in (di, cy, bo):
        player.act({"type": "resign"})
    expect(strip).to_be_hidden()
    expect(ann.page.locator(".ending")).to_contain_text("You have won!")
    ann.page.reload()
    expect(ann.page.locator(".ending")).to_contain_text("You have won!")
    expect_no_replay(ann)


def test_moves_of_a_replacement_bot_are_replayed_to_the_player(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    terms: dict[str, Any] = {"clock": {"kind": "turn", "seconds": 5}, "on_timeout": "bot", "pace": 0}
    game = begin(ann, bo, options={**SHORT, "actions": 2, "first": 0}, **terms)
    play_turn(ann, actions=1)
    play_turn(bo, actions=1)
    for _ in range(300):
        state = bo.state()
        if state["table"]["seats"][0]["bot"] and state["view"]["turn"]["seat"] == 1:
            break
        bo.page.wait_for_timeout(100)
    ann.open(game)
    expect(replay_strip(ann.page)).to_contain_text("A bot played for you.")
    expect(ann.page.locator(".banner")).to_contain_text("A bot is playing for you")
    covered = ann.page.locator(".banner").evaluate_all(IS_COVERED_BY_REPLAY)
    assert covered == [False], "the strip leaves the banner and its button visible"
    ann.page.get_by_role("button", name="Take my seat back").click()
    expect(replay_strip(ann.page)).to_be_visible()


def test_names_and_clock_stay_visible_on_a_short_phone(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann", phone=True, bypass_csp=True), person("Bo"), person("Cy")
    ann.page.set_viewport_size({"width": 390, "height": 660})
    game = begin(ann, bo, cy, options=THREE_PLAYERS, clock={"kind": "bank", "seconds": 600, "increment": 5})
    play_turn(ann, actions=1)
    play_turn(bo, cy)
    set_pace(ann, "slow")
    ann.open(game)
    expect(replay_strip(ann.page)).to_contain_text("1 / 4")
    expect(ann.page.locator(".plate.own .plate-clock")).to_be_visible()
    shown = ann.page.locator(".plate-clock, .plate-name")
    assert shown.evaluate_all(IS_COVERED_BY_REPLAY) == [False] * 6
    sides = replay_strip(ann.page).locator("button").evaluate_all(BOX_SIDES)
    assert len(sides) == 8
    assert min(sides) >= 43.5
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert find_violations(ann.page) == []


def test_replay_is_only_offered_when_the_clock_is_low(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE_PLAYERS, clock={"kind": "turn", "seconds": 20})
    play_turn(ann, actions=1)
    play_turn(bo, cy)
    ann.open(game)
    expect(ann.page.get_by_role("button", name="Replay what you missed")).to_be_visible()
    expect(replay_strip(ann.page)).to_be_hidden()
