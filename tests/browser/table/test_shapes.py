"""Nothing is cut, covered or run into something else: the tray, the sheets, names and labels, at every size."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.table.house import Player, begin
from tests.browser.table.test_owed import MAGIC, reach, use

# The choices that lie in sight but not wholly, and the words of those that do.
CHOICES = """() => {
  const box = document.querySelector(".choices").getBoundingClientRect();
  const seen = [...document.querySelectorAll(".choice")].map((each) => [each, each.getBoundingClientRect()])
    .filter(([, at]) => at.top < box.bottom - 1 && at.bottom > box.top + 1);
  const inside = (at) => at.top >= box.top - 1 && at.bottom <= Math.min(box.bottom, innerHeight) + 1;
  return {
    cut: seen.filter(([, at]) => !inside(at)).map(([each]) => each.innerText),
    whole: seen.filter(([, at]) => inside(at)).map(([each]) => each.innerText),
  };
}"""

# How much of the map the sheet covers, in parts of its area; and of the hand.
COVERED = """() => {
  const sheet = document.querySelector(".sheet").getBoundingClientRect();
  const part = (selector) => {
    const at = document.querySelector(selector).getBoundingClientRect();
    const width = Math.min(at.right, sheet.right) - Math.max(at.left, sheet.left);
    const height = Math.min(at.bottom, sheet.bottom) - Math.max(at.top, sheet.top);
    return width > 0 && height > 0 ? (width * height) / (at.width * at.height) : 0;
  };
  return [part(".map"), part(".fan")];
}"""

# Names of cards: those cut short, those nearer than 5 pixels to the next, those below the edge of the screen.
LABELS = """() => {
  const words = [...document.querySelectorAll(".hand-word")];
  const range = document.createRange();
  const text = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
  return words.filter((each, at) => {
    const next = words[at + 1];
    return each.scrollWidth > each.clientWidth + 1 || text(each).bottom > innerHeight
      || (next && text(next).left - text(each).right < 5);
  }).map((each) => each.textContent);
}"""

# Whether map and bench share the screen: the pixels of the map between status and bench, and those of a tile.
BOARD = """() => {
  const map = document.querySelector(".map").getBoundingClientRect();
  const bench = document.querySelector(".bench").getBoundingClientRect();
  const status = document.querySelector(".status");
  const over = getComputedStyle(status).position === "sticky" ? status.getBoundingClientRect().bottom : 0;
  const tile = document.querySelector('[data-place="2"] .tile').getBoundingClientRect();
  return { seen: Math.min(map.bottom, bench.top) - Math.max(map.top, over), tile: Math.min(tile.width, tile.height),
    wide: document.scrollingElement.scrollWidth };
}"""


def hoarded(person: Callable[..., Player], **wishes: Any) -> Player:
    """Somebody in turn with a pistol in hand at a table with black magic."""
    ann, bo = person("Ann", **wishes), person("Bo", **wishes)
    begin(ann, bo, options=MAGIC)
    return reach("pistol", ann, bo)


def test_the_tray_of_a_desk_cuts_no_choice_and_shows_the_power_of_a_card_first(
    person: Callable[..., Player],
) -> None:
    ann = hoarded(person)
    ann.open(ann.game or ann.state()["table"]["id"])
    card = next(c["action"]["card"] for c in ann.state()["choices"] if c["action"]["type"] == "pistol")
    ann.page.locator(f'[data-card="{card}"]').click()
    expect(ann.page.locator(".choice").nth(1)).to_be_visible()
    seen = ann.page.evaluate(CHOICES)
    assert seen["cut"] == []
    assert "take a card from" in seen["whole"][0]
    assert ann.page.evaluate(LABELS) == []


@pytest.mark.parametrize(("phone", "most"), [(False, 0.0), (True, 0.55)], ids=["desk", "phone"])
def test_a_sheet_leaves_board_and_hand_in_sight(
    person: Callable[..., Player], phone: bool, most: float
) -> None:
    ann = hoarded(person, phone=phone)
    ann.open(ann.game)
    use(ann, "pistol")
    expect(ann.page.locator(".sheet")).to_be_visible()
    of_map, of_hand = ann.page.evaluate(COVERED)
    assert of_map <= most
    assert of_hand == 0
    expect(ann.page.locator(".sheet .button-main")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("width", "height"), [(744, 1133), (912, 1368), (390, 844), (320, 568)])
def test_names_of_cards_lie_on_the_screen_and_apart(
    person: Callable[..., Player], width: int, height: int
) -> None:
    ann, bo = person("Ann", phone=True, viewport={"width": width, "height": height}), person("Bo")
    ann.open(begin(ann, bo, options={**MAGIC, "first": 0}))
    expect(ann.page.locator(".hand-card").first).to_be_visible()
    assert ann.page.evaluate(LABELS) == []


@pytest.mark.parametrize(
    ("width", "height", "least"), [(320, 568, 320), (320, 256, 80)], ids=["small", "400 %"]
)
def test_five_players_leave_the_board_in_sight_and_it_is_played(
    person: Callable[..., Player], width: int, height: int, least: int
) -> None:
    ann = person(None, phone=True, viewport={"width": width, "height": height})
    ann.api("POST", "/me", {"name": f"Maximiliana {secrets.token_hex(5)}"})
    game = begin(
        ann,
        options={"preset": "tortuga", "players": 5, "first": 0},
        bots=["sailor"] * 4,
        clock={"kind": "turn", "seconds": 3600},
    )
    ann.open(game)
    expect(ann.page.locator(".hand-card.playable").first).to_be_in_viewport(ratio=1)
    board = ann.page.evaluate(BOARD)
    assert board["seen"] >= least
    assert board["tile"] >= 33
    assert board["wide"] <= width
    before = ann.seq()
    ann.page.locator(".hand-card.playable").first.tap()
    ann.page.locator(".choice").first.tap()
    ann.wait_past(before)


def test_who_one_is_stands_behind_a_long_name_too(person: Callable[..., Player]) -> None:
    ann = person(None)
    ann.api("POST", "/me", {"name": f"Maximiliana {secrets.token_hex(5)}"})
    game = begin(
        ann, options={"preset": "jamaica", "players": 5, "first": 0}, bots=["sailor"] * 4,
        clock={"kind": "turn", "seconds": 3600},
    )  # fmt: skip
    ann.open(game)
    you = ann.page.locator(".plate.own .plate-name small")
    expect(you).to_have_text("(you)")
    inside = you.evaluate(
        """(node) => {
          const at = node.getBoundingClientRect(), plate = node.closest(".plate-name").getBoundingClientRect();
          return at.width > 20 && at.right <= plate.right + 1;
        }"""
    )
    assert inside


def test_notch_and_edges_of_a_lying_phone_cover_nothing(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", phone=True, fresh=True, viewport={"width": 844, "height": 390}), person("Bo")
    game = begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0})
    session = ann.context.new_cdp_session(ann.page)
    insets = {"left": 47, "right": 47, "bottom": 21, "top": 0}
    session.send("Emulation.setSafeAreaInsetsOverride", {"insets": insets})
    ann.open(game)
    expect(ann.page.locator(".hand-card").first).to_be_visible()
    for part in (".map", ".status", ".plates", ".fan", ".tray-hint"):
        box = ann.page.locator(part).bounding_box()
        assert box is not None
        assert box["x"] >= 46, part
        assert box["x"] + box["width"] <= 844 - 46, part


def test_a_very_large_screen_has_larger_words_and_a_wider_side(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport={"width": 3840, "height": 2160}), person("Bo")
    ann.open(begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0}))
    expect(ann.page.locator(".log-line").first).to_be_visible()
    assert (
        ann.page.locator(".log-line").first.evaluate("line => parseFloat(getComputedStyle(line).fontSize)")
        >= 24
    )
    assert ann.page.locator(".talk").evaluate("side => side.clientWidth") >= 600
