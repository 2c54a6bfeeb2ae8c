"""What you missed: whoever comes back after more than a turn is played the others' turns first, action by action."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import faults_of
from tests.browser.table.house import SHORT, Player, begin, move_beside

THREE: dict[str, Any] = {**SHORT, "players": 3, "actions": 2, "first": 0}

# What the story says, what stands on the board then, and whether anything walks.
LISTEN = """window.told = []; window.walked = 0;
const inWords = (place) => place.getAttribute("aria-label").split(";")[0];
window.standing = () => [...document.querySelectorAll(".place")].map(inWords);
new MutationObserver(() => {
  const words = document.querySelector(".is-story:not([hidden]) p")?.textContent;
  if (words && words !== window.told.at(-1)?.words) {
    window.told.push({ words, standing: window.standing() });
  }
  window.walked += document.getAnimations().filter(({ effect }) => effect?.target?.matches(".figure")).length;
}).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });"""

# A tab that somebody has switched away from; Playwright's pages are always in front.
HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  Object.defineProperty(document, "visibilityState", { value: isHidden ? "hidden" : "visible", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


SIDES = "(all) => all.map((node) => node.getBoundingClientRect()).flatMap((box) => [box.width, box.height])"


def turn(*players: Player, actions: int = 2) -> None:
    """A turn of each beside their pages: so many actions, then the end of it."""
    for player in players:
        for _ in range(actions):
            assert move_beside(player)
        if player.state().get("choices"):
            player.act({"type": "end"})


def standing(page: Page) -> list[str]:
    """Who stands where, in words."""
    return list(page.evaluate("window.standing()"))


def at_pace(player: Player, pace: str) -> None:
    kept = json.dumps({"isSoundOffered": True, "pace": pace})
    player.page.goto(f"{player.url}/healthz")
    player.page.evaluate("(kept) => localStorage.setItem('cartagena.table', kept)", kept)


def forget(page: Page) -> None:
    """As on another device: the same person, and nothing kept."""
    page.evaluate(
        "() => { localStorage.removeItem(Object.keys(localStorage).find((key) => key.includes('.seen.'))); }"
    )
    page.evaluate("() => sessionStorage.clear()")


def story(page: Page) -> Any:
    return page.locator(".map-strip.is-story")


def expect_none(player: Player) -> None:
    """The log is there, what decides has been loaded, and nothing is played."""
    expect(player.page.locator(".log-line").last).to_be_attached()
    player.page.wait_for_load_state("networkidle")
    player.page.wait_for_timeout(400)
    assert not story(player.page).is_visible()  # at once: a story that is played ends by itself


def log_lines(page: Page) -> list[str]:
    return page.locator(".log-line").all_inner_texts()


def away(person: Callable[..., Player], *, actions: int = 1, **context: Any) -> tuple[Player, Player, Player]:
    """Ann has had her turn and is away; Bo and Cy have had theirs."""
    ann, bo, cy = person("Ann", **context), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE)
    turn(ann, actions=actions)
    turn(bo, cy)
    ann.game = game
    return ann, bo, cy


def test_the_missed_turns_are_played_as_the_log_tells_them(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann", reduced_motion="no-preference"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE)
    at_pace(ann, "fast")
    ann.page.add_init_script(LISTEN)
    ann.open(game)
    before = ann.seq()
    turn(ann, actions=1)
    ann.wait_past(before + 1)
    mine = standing(ann.page)
    assert any("red" in place for place in mine)
    ann.page.goto(f"{ann.url}/healthz")
    turn(bo, cy)
    ann.open(game)
    expect(story(ann.page)).to_be_visible()
    expect(story(ann.page)).to_be_hidden()
    told = ann.page.evaluate("window.told")
    lines = log_lines(ann.page)
    missed = [line for line in lines[-6:] if "ends the turn" not in line]
    assert len(missed) == 4
    assert [each["words"] for each in told] == ["You missed 4 actions.", *missed]
    assert told[0]["standing"] == mine, "it begins after one's last action"
    assert len({str(each["standing"]) for each in told}) == 5, "each action is seen on the board"
    assert ann.page.evaluate("window.walked") > 0
    expect(ann.page.locator(".hand-card.playable, .map .is-source").first).to_be_visible()
    expect(ann.page.locator(".recap").first).to_be_attached()
    now = standing(ann.page)
    loaded: list[str] = []
    ann.page.on("request", lambda request: loaded.append(request.url))
    ann.page.reload()
    expect_none(ann)
    assert standing(ann.page) == now, "it ended in the present"
    assert [url for url in loaded if "story" in url or url.endswith("/seen")] == [], "seen is seen"
    forget(ann.page)
    ann.page.reload()
    expect(story(ann.page)).to_be_visible()
    assert ann.complaints == []


def test_it_is_skipped_played_again_and_its_pace_is_kept(person: Callable[..., Player]) -> None:
    ann, _, _ = away(person)
    at_pace(ann, "slow")
    ann.open(ann.game)
    page = ann.page
    strip = story(page)
    expect(strip).to_contain_text("slow")
    expect(page.get_by_role("button", name="Slower")).to_be_disabled()
    page.get_by_role("button", name="Faster").click()
    expect(strip).to_contain_text("normal")
    page.keyboard.press("+")
    expect(strip).to_contain_text("fast")
    expect(page.locator("#pace")).to_have_value("fast")
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
        "the keyboard goes on where one plays"
    )
    again = page.get_by_role("button", name="What you missed, once more")
    again.click()
    expect(strip).to_contain_text("You missed 4 actions.")
    page.get_by_role("button", name="One step on").click()  # by hand from here
    expect(page.locator(".looking-back")).to_contain_text("Back to now")
    expect(strip).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".looking-back")).to_be_hidden()
    expect(again).to_be_visible()
    turn(ann, actions=1)
    expect(again).to_be_hidden()


@pytest.mark.parametrize("on", [".hand-card.playable", ".map .board"])
def test_whoever_acts_is_not_kept(person: Callable[..., Player], on: str) -> None:
    ann, _, _ = away(person)
    at_pace(ann, "slow")
    ann.open(ann.game)
    expect(story(ann.page)).to_be_visible()
    at = {"x": 300, "y": 5} if "board" in on else None  # on the bare map
    ann.page.locator(on).first.click(position=at)  # type: ignore[arg-type]
    expect(story(ann.page)).to_be_hidden()
    if "card" in on:
        expect(ann.page.locator(".hand-card.selected")).to_have_count(1)
        expect(ann.page.locator(".map .is-source, .choice").first).to_be_visible()
    ann.page.reload()
    expect_none(ann)


def test_a_click_on_ones_pirate_chooses_it_in_the_present(person: Callable[..., Player]) -> None:
    ann, _, _ = away(person)
    at_pace(ann, "slow")
    ann.open(ann.game)
    expect(story(ann.page)).to_be_visible()
    ann.page.locator('.map [data-place="start"]').click()
    expect(story(ann.page)).to_be_hidden()
    expect(ann.page.locator('.map [data-place="start"]')).to_have_attribute("aria-pressed", "true")


def test_with_reduced_motion_nothing_walks_and_the_turns_are_read_out_one_by_one(
    person: Callable[..., Player],
) -> None:
    ann, _, _ = away(person, reduced_motion="reduce")
    at_pace(ann, "fast")
    ann.page.add_init_script(LISTEN)
    ann.open(ann.game)
    expect(story(ann.page)).to_be_visible()
    expect(ann.page.locator(".trace")).to_have_count(1)
    expect(story(ann.page)).to_be_hidden()
    assert ann.page.evaluate("window.walked") == 0
    assert len(ann.page.evaluate("window.told")) == 5
    read = ann.page.locator("#live-polite p").all_inner_texts()
    assert "You missed 4 actions." in read
    turns = [line for line in read if " plays " in line or " goes " in line]
    assert len(turns) == 2, "a sentence a turn"
    assert all(";" in line for line in turns)


def test_nothing_is_played_to_whoever_missed_a_turn_at_most(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    watcher = person("Di")
    game = begin(ann, bo, cy, options=THREE)
    turn(ann, bo)
    cy.open(game)
    expect_none(cy)  # joining for the first time
    ann.open(game)
    expect_none(ann)  # one turn of another
    seq = ann.seq()
    turn(cy)
    ann.wait_past(seq)
    ann.wait_until_mine()
    ann.page.reload()
    expect_none(ann)  # the other one was watched
    turn(ann, bo, cy)
    watcher.open(game)
    expect_none(watcher)
    forget(ann.page)
    ann.page.reload()
    expect(story(ann.page)).to_be_visible()  # the others' turns are two now


def test_a_tab_that_was_hidden_and_a_line_that_was_cut_are_being_away_too(
    person: Callable[..., Player],
) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE)
    ann.open(game)
    turn(ann, actions=1)
    ann.page.evaluate(HIDE, True)
    seq = ann.seq()
    turn(bo, cy)
    ann.wait_past(seq)
    ann.wait_until_mine()
    expect(story(ann.page)).to_have_count(0)
    ann.page.evaluate(HIDE, False)
    expect(story(ann.page)).to_contain_text("You missed 4 actions.")
    ann.page.keyboard.press("Escape")
    expect(story(ann.page)).to_be_hidden()
    turn(ann, actions=1)
    ann.context.set_offline(True)
    expect(ann.page.locator(".banner")).to_contain_text("No network")
    turn(bo, cy)
    ann.context.set_offline(False)
    expect(story(ann.page)).to_contain_text("You missed 4 actions.")
    ann.complaints = [line for line in ann.complaints if "INTERNET_DISCONNECTED" not in line]


def test_what_happens_meanwhile_is_added_and_the_end_is_not_missed(person: Callable[..., Player]) -> None:
    ann, bo, cy, di = person("Ann"), person("Bo"), person("Cy"), person("Di")
    game = begin(ann, bo, cy, di, options={**THREE, "players": 4})
    turn(ann, actions=1)
    turn(bo, cy)
    at_pace(ann, "slow")
    ann.open(game)
    strip = story(ann.page)
    expect(strip).to_contain_text("You missed 4 actions.")
    expect(strip).to_contain_text("1 / 4")
    assert move_beside(di)
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
    expect_none(ann)


def test_what_a_bot_played_for_somebody_is_played_to_them(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    terms: dict[str, Any] = {"clock": {"kind": "turn", "seconds": 5}, "on_timeout": "bot", "pace": 0}
    game = begin(ann, bo, options={**SHORT, "actions": 2, "first": 0}, **terms)
    turn(ann, actions=1)
    turn(bo, actions=1)
    for _ in range(300):
        state = bo.state()
        if state["table"]["seats"][0]["bot"] and state["view"]["turn"]["seat"] == 1:
            break
        bo.page.wait_for_timeout(100)
    ann.open(game)
    expect(story(ann.page)).to_contain_text("A bot played for you.")
    expect(ann.page.locator(".banner")).to_contain_text("A bot plays your seat")
    ann.page.get_by_role("button", name="Take it back").click()
    expect(story(ann.page)).to_be_visible()


@pytest.mark.parametrize("height", [844, 660])
def test_on_a_phone_names_and_clock_stay_in_sight(person: Callable[..., Player], height: int) -> None:
    ann, bo, cy = person("Ann", phone=True, bypass_csp=True), person("Bo"), person("Cy")
    ann.page.set_viewport_size({"width": 390, "height": height})
    game = begin(ann, bo, cy, options=THREE, clock={"kind": "bank", "seconds": 600, "increment": 5})
    turn(ann, actions=1)
    turn(bo, cy)
    at_pace(ann, "slow")
    ann.open(game)
    expect(story(ann.page)).to_contain_text("1 / 4")
    is_covered = """(all) => {
      const strip = document.querySelector(".is-story").getBoundingClientRect();
      const boxes = all.map((node) => node.getBoundingClientRect());
      return boxes.map(({ top, bottom }) => bottom > strip.top && top < strip.bottom);
    }"""
    expect(ann.page.locator(".plate.own .plate-clock")).to_be_visible()
    shown = ann.page.locator(".plate-clock, .plate-name")
    assert shown.evaluate_all(is_covered) == [False] * 6
    sides = story(ann.page).locator("button").evaluate_all(SIDES)
    assert len(sides) == 8
    assert min(sides) >= 43.5
    assert ann.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults_of(ann.page) == []


def test_whoever_is_short_of_time_finds_it_in_the_corner(person: Callable[..., Player]) -> None:
    ann, bo, cy = person("Ann"), person("Bo"), person("Cy")
    game = begin(ann, bo, cy, options=THREE, clock={"kind": "turn", "seconds": 20})
    turn(ann, actions=1)
    turn(bo, cy)
    ann.open(game)
    expect(ann.page.get_by_role("button", name="What you missed, once more")).to_be_visible()
    expect(story(ann.page)).to_be_hidden()
