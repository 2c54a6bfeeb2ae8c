"""Small screens: board, hand and status fit at once in both orientations, or the page scrolls to the targets."""

from __future__ import annotations

import secrets
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin, move_via_api

# Whether board and bench are on the screen without overlap, and the size of a tile in pixels.
SCREEN_METRICS = """() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const [map, bench, status] = [box(".map"), box(".bench"), box(".status")];
  const apart = map.bottom <= bench.top + 1 || map.right <= bench.left + 8;
  const inside = [map, bench, status].every((each) => each.top >= -1 && each.bottom <= innerHeight + 1);
  const tile = document.querySelector('[data-place="2"] .tile').getBoundingClientRect();
  return { apart, inside, wide: document.scrollingElement.scrollWidth, tile: Math.min(tile.width, tile.height) };
}"""

IS_TARGET_VISIBLE = """() => {
  const top = document.querySelector(".status").getBoundingClientRect().bottom;
  const bottom = document.querySelector(".bench").getBoundingClientRect().top;
  return [...document.querySelectorAll(".is-target")].some((place) => {
    const box = place.getBoundingClientRect();
    return box.top >= top - 1 && box.bottom <= bottom + 1;
  });
}"""


HEIGHTS = """() => [".status", ".map"].map((each) => document.querySelector(each).offsetHeight)"""


def in_turn(person: Callable[..., Player], preset: str, width: int, height: int) -> Player:
    view = {"width": width, "height": height}
    ann, bo = person("Ann", phone=True, viewport=view), person("Bo")
    game = begin(ann, bo, options={"preset": preset, "players": 2, "first": 0})
    ann.open(game)
    expect(ann.page.locator(".hand-card.playable").first).to_be_visible()
    return ann


@pytest.mark.parametrize(
    ("preset", "width", "height"), [("jamaica", 390, 844), ("complete", 844, 390), ("tortuga", 390, 664)]
)
def test_board_hand_and_status_fit_the_screen(
    person: Callable[..., Player], preset: str, width: int, height: int
) -> None:
    ann = in_turn(person, preset, width, height)
    # the layout is final once the fonts are loaded
    ann.page.wait_for_function(f"() => {{ const s = ({SCREEN_METRICS})(); return s.apart && s.inside; }}")
    seen = ann.page.evaluate(SCREEN_METRICS)
    assert seen["wide"] <= width
    assert seen["tile"] >= 33, "a tile is rotated, so its bounding box may be slightly smaller than 36"
    before = ann.page.locator(".map").bounding_box()
    ann.page.locator(".hand-card.playable").first.tap()
    expect(ann.page.locator(".choice").first).to_be_visible()
    after = ann.page.locator(".map").bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] == before["height"], "choosing moves nothing"
    assert abs(after["y"] - before["y"]) <= 3


def test_highlighted_spaces_are_scrolled_into_view_on_a_short_screen(
    person: Callable[..., Player],
) -> None:
    ann = in_turn(person, "complete", 320, 480)
    for card in ann.page.locator(".hand-card.playable").all()[:2]:
        card.tap()
        ann.page.wait_for_function(IS_TARGET_VISIBLE)
        ann.page.locator(".put-back").tap()


def test_long_player_name_does_not_shrink_the_board(person: Callable[..., Player]) -> None:
    ann, bo = person(None), person("Bo", phone=True)
    ann.api("POST", "/me", {"name": f"Maximiliana {secrets.token_hex(5)}"})
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    bo.open(game)
    expect(bo.page.locator(".status-words")).to_contain_text("'s turn")
    bo.page.wait_for_function(f"() => {{ const s = ({SCREEN_METRICS})(); return s.apart && s.inside; }}")
    theirs = bo.page.evaluate(HEIGHTS)
    expect(bo.page.locator(".plate.own .plate-name")).to_contain_text("Bo")
    while ann.state().get("choices"):
        before = bo.seq()
        move_via_api(ann)
        bo.wait_past(before)
    expect(bo.page.locator(".status-words")).to_have_text("Your turn")
    bo.page.wait_for_function(f"() => {{ const s = ({SCREEN_METRICS})(); return s.apart && s.inside; }}")
    assert bo.page.evaluate(HEIGHTS) == theirs


@pytest.mark.parametrize("hints", [False, True])
def test_first_button_of_the_tray_shows_its_word_where_the_sentence_is_hidden(
    person: Callable[..., Player], hints: bool
) -> None:
    ann, bo = person("Ann", phone=True, viewport={"width": 360, "height": 740}), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0}, hints=hints)
    state = ann.state()
    ann.act(next(c for c in state["choices"] if c["action"]["type"] == "advance")["action"], state["seq"])
    ann.open(game)
    first = ann.page.locator(".ask-hint" if hints else ".tray .undo")
    expect(first).to_be_visible()
    for language in ("en", "de", "fr"):
        ann.page.goto(f"{ann.url}/g/{game}?lang={language}")
        expect(first).to_be_visible()
        word = first.locator("span").bounding_box()
        button = first.bounding_box()
        assert word
        assert button
        assert word["width"] > 20, "the word is shown"
        assert word["x"] + word["width"] <= button["x"] + button["width"]


# Whether the sentence and the clock of the player overlap.
COVERED_BY_CLOCK = """() => {
  const [a, b] = [".tray-hint", ".own-clock"].map((name) => document.querySelector(name).getBoundingClientRect());
  return Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
}"""


def test_clock_does_not_cover_the_reason_of_a_hint(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    terms = {"clock": {"kind": "turn", "seconds": 600}, "hints": True}
    ann.open(begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0}, **terms))
    expect(ann.page.locator(".own-clock")).to_be_visible()
    ann.page.locator(".ask-hint").tap()
    expect(ann.page.locator(".tray.hinted > .tray-hint")).to_be_visible(timeout=30_000)
    for width, height in ((390, 844), (320, 568), (844, 390), (768, 1024), (1280, 800)):
        ann.page.set_viewport_size({"width": width, "height": height})
        assert not ann.page.evaluate(COVERED_BY_CLOCK), (width, height)
        ann.page.locator(".own-clock").evaluate("(node) => node.classList.add('last')")
        assert not ann.page.evaluate(COVERED_BY_CLOCK), (width, height, "the last seconds")
        ann.page.locator(".own-clock").evaluate("(node) => node.classList.remove('last')")


@pytest.mark.parametrize("language", ["en", "de", "fr", "it"])
def test_sentence_of_a_turn_is_whole_beside_the_hint_on_a_phone_in_landscape(
    person: Callable[..., Player], language: str
) -> None:
    ann = person("Ann")
    game = begin(ann, options={**SHORT, "first": 0}, bots=["sailor"], hints=True, pace=10_000)
    ann.page.goto(f"{ann.url}/g/{game}?lang={language}")
    sentence = ann.page.locator(".tray-hint")
    expect(ann.page.locator(".ask-hint")).to_be_visible()
    for width, height in ((844, 390), (667, 375), (740, 360)):
        ann.page.set_viewport_size({"width": width, "height": height})
        cut = sentence.evaluate("line => line.scrollHeight - line.clientHeight")
        assert cut < 8, (width, sentence.inner_text())  # less than a line
