"""A game over two days by pushes alone, with more turns a day than `make test` has time for."""

from __future__ import annotations

from collections.abc import Callable

from tests.browser.push_harness import PushClient, PushHarness
from tests.browser.test_push import follow_pushes, harness, push_client

__all__ = ["harness", "push_client"]


def test_game_with_a_turn_every_six_hours_can_be_played_from_pushes(
    harness: PushHarness, push_client: Callable[..., PushClient]
) -> None:
    follow_pushes(harness, push_client, 6)
