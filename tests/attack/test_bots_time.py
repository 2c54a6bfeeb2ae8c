"""A bot's thinking time must not be observable where hands are hidden."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app import rules
from app.play.bot_pace import FAST_MS, NORMAL_MS, SKIPPING_MS, SLOW_MS
from app.play.sweep import bot_turns
from app.web.game_server import BOT_INTERVAL_MS


async def _answered_after(
    thought: float, *, hands: str = "hidden", pace: int = 800, interval: float = BOT_INTERVAL_MS
) -> float:
    """Return the milliseconds from a bot's turn to its answer for a given thinking time."""
    rested: list[float] = []

    async def rest(milliseconds: float) -> bool:
        rested.append(milliseconds)
        return True

    options = rules.parse_options({"preset": "jamaica", "players": 2, "hands": hands})
    context: Any = SimpleNamespace(bot_interval_ms=interval, tasks=SimpleNamespace(sleep=rest))
    table: Any = SimpleNamespace(options=options)
    await bot_turns._wait_for_interval(context, table, pace, thought)
    return pace + thought + sum(rested)


@pytest.mark.parametrize("pace", [SKIPPING_MS, FAST_MS, NORMAL_MS, SLOW_MS])
@pytest.mark.parametrize("thought", [0.0, 1.0, 20.0, 120.0, 199.0])
async def test_a_forced_move_and_a_hard_one_take_the_same_time(thought: float, pace: int) -> None:
    assert await _answered_after(thought, pace=pace) == pytest.approx(pace + BOT_INTERVAL_MS)


async def test_a_long_thinking_time_is_rounded_up_to_an_interval() -> None:
    for thought in (201.0, 333.0, 780.0, 999.0):
        assert (await _answered_after(thought) - 800) % BOT_INTERVAL_MS == pytest.approx(0.0)


async def test_without_the_interval_the_difference_would_be_visible() -> None:
    assert await _answered_after(1.0, interval=0.0) != await _answered_after(120.0, interval=0.0)


async def test_open_hands_and_tables_without_a_pace_are_not_delayed() -> None:
    assert await _answered_after(7.0, hands="open") == 807.0
    assert await _answered_after(7.0, pace=0) == 7.0
