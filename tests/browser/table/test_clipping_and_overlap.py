"""No clipping, covering or overlap of the tray, the sheets, names and labels at any size."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import Player, begin
from tests.browser.table.test_pending_choices import MAGIC, reach, use

# Texts of the visible choices: those that are clipped and those that are whole.
VISIBLE_CHOICES = """() => {
  const box = document.querySelector(".choices").getBoundingClientRect();
  const seen = [...document.querySelectorAll(".choice")].map((each) => [each, each.getBoundingClientRect()])
    .filter(([, at]) => at.top < box.bottom - 1 && at.bottom > box.top + 1);
  const inside = (at) => at.top >= box.top - 1 && at.bottom <= Math.min(box.bottom, innerHeight) + 1;
  return {
    cut: seen.filter(([, at]) => !inside(at)).map(([each]) => each.innerText),
    whole: seen.filter(([, at]) => inside(at)).map(([each]) => each.innerText),
  };
}"""

# The shares of the board's and the hand's area that the sheet covers.
COVERED_SHARES = """() => {
  const sheet = document.querySelector(".sheet").getBoundingClientRect();
  const part = (selector) => {
    const at = document.querySelector(selector).getBoundingClientRect();
    const width = Math.min(at.right, sheet.right) - Math.max(at.left, sheet.left);
    const height = Math.min(at.bottom, sheet.bottom) - Math.max(at.top, sheet.top);
    return width > 0 && height > 0 ? (width * height) / (at.width * at.height) : 0;
  };
  return [part(".map"), part(".fan")];
}"""

# Card names that are truncated, closer than 5 pixels to the next, or below the edge of the screen.
BAD_CARD_NAMES = """() => {
  const words = [...document.querySelectorAll(".hand-word")];
  const range = document.createRange();
  const text = (node) => (range.selectNodeContents(node), range.getBoundingClientRect());
  return words.filter((each, at) => {
    const next = words[at + 1];
    return each.scrollWidth > each.clientWidth + 1 || text(each).bottom > innerHeight
      || (next && text(next).left - text(each).right < 5);
  }).map((each) => each.textContent);
}"""

# Visible pixels of the board between status and bench, the size of a tile, and the width of the page.
BOARD_METRICS = """() => {
  const map = document.querySelector(".map").getBoundingClientRect();
  const bench = document.querySelector(".bench").getBoundingClientRect();
  const status = document.querySelector(".status");
  const over = getComputedStyle(status).position === "sticky" ? status.getBoundingClientRect().bottom : 0;
  const tile = document.querySelector('[data-place="2"] .tile').getBoundingClientRect();
  return { seen: Math.min(map.bottom, bench.top) - Math.max(map.top, over), tile: Math.min(tile.width, tile.height),
    wide: document.scrollingElement.scrollWidth };
}"""


def player_with_pistol(person: Callable[..., Player], **context_options: Any) -> Player:
    """Return a player whose turn it is and who holds a pistol, at a table with black magic."""
    ann, bo = person("Ann", **context_options), person("Bo", **context_options)
    begin(ann, bo, options=MAGIC)
    return reach("pistol", ann, bo)


def test_desktop_tray_clips_no_choice_and_lists_the_card_power_first(
    person: Callable[..., Player],
) -> None:
    ann = player_with_pistol(person)
    ann.open(ann.game or ann.state()["table"]["id"])
    card = next(c["action"]["card"] for c in ann.state()["choices"] if c["action"]["type"] == "pistol")
    ann.page.locator(f'[data-card="{card}"]').click()
    expect(ann.page.locator(".choice").nth(1)).to_be_visible()
    seen = ann.page.evaluate(VISIBLE_CHOICES)
    assert seen["cut"] == []
    assert "take a card from" in seen["whole"][0]
    assert ann.page.evaluate(BAD_CARD_NAMES) == []


# On a phone five cards fit in a row of the sheet: 0.41 of the map for one row, 0.58 for two.
@pytest.mark.parametrize(("phone", "most"), [(False, 0.0), (True, 0.6)], ids=["desk", "phone"])
def test_sheet_leaves_board_and_hand_visible(person: Callable[..., Player], phone: bool, most: float) -> None:
    ann = player_with_pistol(person, phone=phone)
    ann.open(ann.game)
    use(ann, "pistol")
    expect(ann.page.locator(".sheet")).to_be_visible()
    of_map, of_hand = ann.page.evaluate(COVERED_SHARES)
    assert of_map <= most
    assert of_hand == 0
    expect(ann.page.locator(".sheet .button-main")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("width", "height"), [(744, 1133), (912, 1368), (390, 844), (320, 568)])
def test_card_names_are_on_screen_and_do_not_overlap(
    person: Callable[..., Player], width: int, height: int
) -> None:
    ann, bo = person("Ann", phone=True, viewport={"width": width, "height": height}), person("Bo")
    ann.open(begin(ann, bo, options={**MAGIC, "first": 0}))
    expect(ann.page.locator(".hand-card").first).to_be_visible()
    assert ann.page.evaluate(BAD_CARD_NAMES) == []


@pytest.mark.parametrize(
    ("width", "height", "least"), [(320, 568, 320), (320, 256, 80)], ids=["small", "400 %"]
)
def test_board_is_visible_and_playable_with_five_players(
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
    board = ann.page.evaluate(BOARD_METRICS)
    assert board["seen"] >= least
    assert board["tile"] >= 33
    assert board["wide"] <= width
    before = ann.seq()
    ann.page.locator(".hand-card.playable").first.tap()
    ann.page.locator(".choice").first.tap()
    ann.wait_past(before)


def test_you_label_is_visible_after_a_long_name(person: Callable[..., Player]) -> None:
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


def test_safe_areas_of_a_landscape_phone_cover_nothing(person: Callable[..., Player]) -> None:
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


def test_very_large_screen_has_larger_text_and_a_wider_side_panel(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann", viewport={"width": 3840, "height": 2160}), person("Bo")
    ann.open(begin(ann, bo, options={"preset": "jamaica", "players": 2, "first": 0}))
    expect(ann.page.locator(".log-line").first).to_be_visible()
    assert (
        ann.page.locator(".log-line").first.evaluate("line => parseFloat(getComputedStyle(line).fontSize)")
        >= 24
    )
    assert ann.page.locator(".talk").evaluate("side => side.clientWidth") >= 600
