"""A game over two days by pushes alone, with more turns a day than `make test` has time for."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.pushing import Away, PushingHouse
from tests.browser.test_push import away, follow_pushes, house

__all__ = ["away", "house"]


def test_a_turn_every_six_hours_is_followed_by_its_push(
    house: PushingHouse, away: Callable[..., Away]
) -> None:
    follow_pushes(house, away, 6)
