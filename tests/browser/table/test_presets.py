"""Presets in the interface: the board fits every screen, and both seats can play by clicks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import Player, begin, move_via_api
from tests.browser.table.test_play import move_on_the_page

PRESETS = {
    "jamaica": "the prison", "tortuga": "the prison", "hispaniola": "the prison", "first-escape": "the prison",
    "dungeon": "the prison", "jungle": "the wreck", "complete": "the prison",
}  # fmt: skip


WAIT_FOR_REDRAW = """async () => {
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
  return document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth;
}"""


# A row with open hands, and a wreck without a sloop and a deck; tests/soak has all presets.
@pytest.mark.parametrize("preset", ["tortuga", "jungle"])
def test_preset_can_be_played_by_clicks(person: Callable[..., Player], preset: str) -> None:
    play_by_clicks(person, preset)


def play_by_clicks(person: Callable[..., Player], preset: str) -> None:
    ann, bo = person("Ann"), person("Bo")
    game = begin(ann, bo, options={"preset": preset, "players": 2})
    for player in (ann, bo):
        player.open(game)
    start = ann.page.locator('[data-place="start"]').get_attribute("aria-label")
    assert start is not None
    assert start.startswith(PRESETS[preset])
    expect(ann.page.locator(".place.space")).to_have_count(36)
    expect(ann.page.locator(".landmark.sloop")).to_have_count(0 if preset == "jungle" else 1)
    has_row = preset in ("tortuga", "hispaniola", "first-escape")
    expect(ann.page.locator(".row")).to_be_visible(visible=has_row)
    # open hands are on the plate of the other, hidden ones are only a number
    expect(ann.page.locator(".plate-hand").nth(1)).to_be_visible(visible=preset == "tortuga")
    # nothing overflows sideways on a small phone or at 200 % zoom
    for width, height in ((320, 640), (390, 844), (640, 400), (1280, 800)):
        ann.page.set_viewport_size({"width": width, "height": height})
        wide = ann.page.evaluate(WAIT_FOR_REDRAW)
        assert wide <= 0, f"{preset}: {wide} px too wide at {width}"
    for _ in range(5):  # a turn has three actions: both seats
        player = ann if ann.state().get("choices") else bo
        player.wait_until_mine()
        move_on_the_page(player)
    assert move_via_api(ann) or move_via_api(bo)
