"""Decisions with a fixed node budget and seed: every process gives the same answer or none."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from app import rules
from app.bots.levels import LEVELS
from app.bots.pool import BotPool, DecisionUnavailable
from app.play.deal.bot_budget import NODES_BY_LEVEL
from app.play.deal.days import add_days, plan_day
from tests.bots.tables import play_randomly

Json = dict[str, Any]
MONDAY = "2027-01-18"


@asynccontextmanager
async def open_pool(**changes: Any) -> AsyncIterator[BotPool]:
    made = BotPool(**changes)
    try:
        yield made
    finally:
        await made.close()


def decision_requests(options: Json, level: str) -> list[tuple[Json, list[Json], list[Json], int]]:
    """Return some requests of a random game that have more than one legal action."""
    found = []
    for position, histories in play_randomly(options, level, 60):
        seat = rules.seats_to_act(position)[-1]
        actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
        if len(actions) > 3:
            found.append((rules.view(position, seat), actions, list(histories[seat]), seat))
    return found[::9]


async def choose_all(bot_pool: BotPool, requests: list[Any], level: str) -> list[Json]:
    return [
        await bot_pool.choose(
            view, actions, history, level, 0.01, seat=seat, fixed_budget=(NODES_BY_LEVEL[level], f"seed {n}")
        )
        for n, (view, actions, history, seat) in enumerate(requests)
    ]


@pytest.mark.parametrize("level", LEVELS)
async def test_two_processes_give_the_same_answers(level: str) -> None:
    options = plan_day(add_days(MONDAY, LEVELS.index(level) + 1))[0]
    requests = decision_requests(options, level)
    assert requests
    async with open_pool() as one, open_pool() as other:
        expected = await choose_all(one, requests, level)
        assert await choose_all(other, requests, level) == expected
        assert one.workers != other.workers
        # Only weak levels depend on the seed; strong ones may find a single best action.
        if level == "cabin-boy":
            view, actions, history, seat = requests[0]
            others = [
                await one.choose(
                    view, actions, history, level, 1, seat=seat, fixed_budget=(500, f"another {n}")
                )
                for n in range(12)
            ]
            assert len({str(each) for each in others}) > 1


async def test_a_killed_process_is_retried_with_the_same_answer() -> None:
    requests = decision_requests(plan_day(add_days(MONDAY, 6))[0], "legend")[:1]
    async with open_pool() as bot_pool:
        expected = await choose_all(bot_pool, requests, "legend")
        (victim,) = bot_pool.workers
        thinking = asyncio.create_task(choose_all(bot_pool, requests, "legend"))
        await asyncio.sleep(0.02)
        os.kill(victim, signal.SIGKILL)
        assert await thinking == expected
        assert bot_pool.workers != [victim]
        assert bot_pool.counts["crashed"] == 1


async def test_a_failed_search_is_never_replaced_by_a_fallback() -> None:
    requests = decision_requests(plan_day(MONDAY)[0], "mate")[:1]
    async with open_pool(command=(sys.executable, "-c", "raise SystemExit(3)")) as bot_pool:
        with pytest.raises(DecisionUnavailable):
            await choose_all(bot_pool, requests, "mate")
        assert bot_pool.counts["crashed"] == 3
    async with open_pool(queue=0) as bot_pool:
        with pytest.raises(DecisionUnavailable):
            await choose_all(bot_pool, requests, "mate")
        assert bot_pool.counts["full"] == 1
