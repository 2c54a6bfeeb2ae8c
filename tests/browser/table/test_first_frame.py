"""The table before its first frame: space is reserved, nothing unknown is stated, and nothing shifts later."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import Player, begin

# The page's cumulative layout shift so far, as browsers count it.
LAYOUT_SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 200);
})"""
MAX_LAYOUT_SHIFT = 0.05

CONTROLS = "#table :is(button, a, input, select, summary)"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (820, 1180), (1280, 800)])
@pytest.mark.parametrize("status", ["running", "open"])
def test_first_frame_causes_no_layout_shift(
    person: Callable[..., Player], status: str, width: int, height: int
) -> None:
    ann, bo = person("Ann", viewport={"width": width, "height": height}), person("Bo")
    options = {"preset": "tortuga", "players": 2, "first": 0}
    game = begin(ann, bo, options=options) if status == "running" else ann.create(options)
    ann.open(game)
    expect(ann.page.locator(".hand-card" if status == "running" else ".berth").first).to_be_visible()
    expect(ann.page.locator(".flash .banner")).to_have_count(0)
    assert ann.page.evaluate(LAYOUT_SHIFT) < MAX_LAYOUT_SHIFT


def test_page_before_the_first_frame_reserves_space_and_has_no_controls(
    person: Callable[..., Player],
) -> None:
    ann, bo = person("Ann", phone=True), person("Bo")
    game = begin(ann, bo, options={"preset": "tortuga", "players": 2, "first": 0})
    ann.page.route_web_socket(re.compile("/ws/game/"), lambda wire: None)  # a server that sends nothing
    ann.page.goto(f"{ann.url}/g/{game}")
    expect(ann.page.locator(".flash .banner")).to_have_text("Connecting …")
    assert ann.page.locator(CONTROLS).count() > 0, "all of them are there already"
    assert [each for each in ann.page.locator(CONTROLS).all() if each.is_visible()] == []
    room = ann.page.locator(".reserved-map").bounding_box()
    bench = ann.page.locator(".reserved-bench").bounding_box()
    assert room is not None
    assert bench is not None
    assert room["height"] > 400
    assert bench["y"] + bench["height"] <= 844
