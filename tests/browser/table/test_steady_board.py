"""The board keeps its place while banners and the end card come; plates, clock and menu hide nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin

SIZES = ((1280, 800), (390, 844), (844, 390), (320, 568))

# Figures of the plates that a sign covers.
COVERED_FACTS = """() => {
  const at = (node) => node.getBoundingClientRect();
  const found = [];
  for (const plate of document.querySelectorAll(".plate"))
    for (const sign of plate.querySelectorAll(".sign"))
      for (const fact of plate.querySelectorAll(".fact, .plate-who, .plate-clock")) {
        const [a, b] = [at(sign), at(fact)];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
          && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1) found.push(plate.innerText);
      }
  return found;
}"""

# Items of the open menu outside the screen, unless the menu shows that it can be scrolled.
HIDDEN_ITEMS = """async () => {
  // The menu measures itself after the layout of a frame.
  for (let i = 0; i < 2; i += 1) await new Promise(requestAnimationFrame);
  const body = document.querySelector(".menu-body");
  const isCut = body.scrollHeight > body.clientHeight + 4;
  const { bottom, left, right } = body.getBoundingClientRect();
  if (bottom > innerHeight || left < 0 || right > innerWidth) return ["the menu itself"];
  if (isCut) return body.classList.contains("more-below") ? [] : ["a scroll that cannot be seen"];
  return [...body.querySelectorAll(".menu-item")].filter((item) => item.scrollWidth > item.clientWidth + 1)
    .map((item) => item.innerText);
}"""


def board_box(player: Player) -> Any:
    player.page.evaluate("() => document.fonts.ready")
    return player.page.locator(".map").bounding_box()


@pytest.mark.parametrize("phone", [False, True], ids=["desk", "phone"])
def test_board_keeps_its_place_when_a_banner_and_the_end_card_appear(
    person: Callable[..., Player], phone: bool
) -> None:
    ann, bo = person("Ann", phone=phone), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 1})
    ann.open(game)
    expect(ann.page.locator(".hand-card").first).to_be_visible()
    ann.page.wait_for_timeout(300)
    before = board_box(ann)
    bo.command("consent", to="pause", yes=True)
    expect(ann.page.locator(".banner", has_text="wants to pause")).to_be_visible()
    for button in ("Agree", "No"):
        expect(ann.page.get_by_role("button", name=button, exact=True)).to_be_in_viewport(ratio=1)
    assert board_box(ann) == before
    ann.page.get_by_role("button", name="No", exact=True).click()
    expect(ann.page.locator(".banner", has_text="wants to pause")).to_have_count(0)
    bo.act({"type": "resign"})
    expect(ann.page.locator(".ending h2")).to_have_text("You have won!")
    expect(ann.page.locator(".ending").get_by_role("button", name="Rematch")).to_be_in_viewport()
    ann.page.wait_for_timeout(300)
    assert board_box(ann) == before
    said = " ".join(ann.page.locator("#live-polite p, #live-alert p").all_inner_texts())
    assert said.count("has won") == 1
    assert ann.page.evaluate("() => document.activeElement.id") != "ending-title"


def test_plates_clock_and_menu_of_five_players_hide_nothing(person: Callable[..., Player]) -> None:
    ann = person("Ann", phone=True)
    game = begin(
        ann,
        options={"preset": "tortuga", "players": 5, "first": 0},
        bots=["sailor"] * 4,
        clock={"kind": "turn", "seconds": 3000},
    )
    ann.open(game)
    clock = ann.page.locator(".own-clock")
    summary = ann.page.locator(".table-menu > summary")
    for width, height in SIZES:
        ann.page.set_viewport_size({"width": width, "height": height})
        expect(clock).to_be_visible()
        assert clock.evaluate("box => parseFloat(getComputedStyle(box).fontSize)") >= 24
        assert ann.page.evaluate(COVERED_FACTS) == [], (width, height)
        summary.click()
        expect(ann.page.get_by_role("link", name="Show the board on a big screen")).to_be_attached()
        assert ann.page.evaluate(HIDDEN_ITEMS) == [], (width, height)
        ann.page.get_by_text("The rules of this table").click()
        expect(ann.page.locator(".menu-terms li").first).to_be_attached()
        assert ann.page.evaluate(HIDDEN_ITEMS) == [], (width, height, "with the rules")
        ann.page.get_by_text("The rules of this table").click()
        summary.click()
    summary.click()
    groups = ann.page.locator(".menu-group")
    assert [each.get_attribute("aria-label") for each in groups.all()] == [
        "This game",
        "Your settings",
        "Other screens and pages",
    ]


def test_last_seconds_are_large_and_the_end_of_the_time_is_said(person: Callable[..., Player]) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={**SHORT, "first": 0}, clock={"kind": "turn", "seconds": 10})
    ann.open(game)
    expect(ann.page.locator(".own-clock.last")).to_be_visible()
    said = ann.page.locator(".banner", has_text="Your time ran out, and a move was made for you.")
    expect(said).to_be_visible(timeout=20_000)
    expect(ann.page.locator("#live-alert p", has_text="Your time ran out")).to_have_count(1)
    expect(ann.page.locator(".own-clock")).to_be_hidden()
