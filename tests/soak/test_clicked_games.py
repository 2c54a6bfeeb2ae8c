"""Whole games by clicks alone, without the API."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.game_server import SHORT, Player, begin
from tests.browser.table.test_play import move_on_the_page

MAX_ACTIONS = 500


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_browsers_play_a_whole_game_by_clicks(person: Callable[..., Player], seed: int) -> None:
    mouse, thumb = person("Mouse"), person("Thumb", phone=True)
    game = begin(mouse, thumb, options=SHORT)
    mouse.open(game)
    thumb.open(game)
    dice = random.Random(seed)
    for _ in range(MAX_ACTIONS):
        if mouse.is_over() or thumb.is_over():
            break
        player = mouse if mouse.state().get("choices") else thumb
        player.wait_until_mine()
        if not player.is_over():
            move_on_the_page(player, touch=player is thumb, card_first=dice.random() < 0.5)
    for each in (mouse, thumb):
        expect(each.page.locator("#table")).to_have_attribute("data-phase", "finished", timeout=10000)
        expect(each.page.locator(".ending")).to_be_visible()
