"""Thoughts bounded in nodes, with a seed: the same question has the same answer in every process, or none."""

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
from app.bots.pool import BotPool, NoThought
from app.play.deal.days import next_day, plan_of
from app.play.deal.thinking import NODES
from tests.bots.tables import wander

Json = dict[str, Any]
MONDAY = "2027-01-18"


@asynccontextmanager
async def pool(**changes: Any) -> AsyncIterator[BotPool]:
    made = BotPool(**changes)
    try:
        yield made
    finally:
        await made.close()


def questions(options: Json, level: str) -> list[tuple[Json, list[Json], list[Json], int]]:
    """Some moments of a random game at which there is something to decide."""
    found = []
    for position, histories in wander(options, level, 60):
        seat = rules.seats_to_act(position)[-1]
        actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
        if len(actions) > 3:
            found.append((rules.view(position, seat), actions, list(histories[seat]), seat))
    return found[::9]


async def answers(player: BotPool, asked: list[Any], level: str) -> list[Json]:
    return [
        await player.choose(view, actions, history, level, 0.01, seat=seat, fixed=(NODES[level], f"seed {n}"))
        for n, (view, actions, history, seat) in enumerate(asked)
    ]


@pytest.mark.parametrize("level", LEVELS)
async def test_two_processes_answer_the_same(level: str) -> None:
    options = plan_of(next_day(MONDAY, LEVELS.index(level) + 1))[0]
    asked = questions(options, level)
    assert asked
    async with pool() as one, pool() as other:
        told = await answers(one, asked, level)
        assert await answers(other, asked, level) == told
        assert one.workers != other.workers
        # Of a weak bot the seed is heard; a strong one may see one best move.
        if level == "cabin-boy":
            view, actions, history, seat = asked[0]
            others = [
                await one.choose(view, actions, history, level, 1, seat=seat, fixed=(500, f"another {n}"))
                for n in range(12)
            ]
            assert len({str(each) for each in others}) > 1


async def test_a_process_that_is_killed_thinks_again_and_says_the_same() -> None:
    asked = questions(plan_of(next_day(MONDAY, 6))[0], "legend")[:1]
    async with pool() as player:
        told = await answers(player, asked, "legend")
        (victim,) = player.workers
        thinking = asyncio.create_task(answers(player, asked, "legend"))
        await asyncio.sleep(0.02)
        os.kill(victim, signal.SIGKILL)
        assert await thinking == told
        assert player.workers != [victim]
        assert player.counts["crashed"] == 1


async def test_what_cannot_be_thought_is_not_played() -> None:
    asked = questions(plan_of(MONDAY)[0], "mate")[:1]
    async with pool(command=(sys.executable, "-c", "raise SystemExit(3)")) as player:
        with pytest.raises(NoThought):
            await answers(player, asked, "mate")
        assert player.counts["crashed"] == 3
    async with pool(queue=0) as player:
        with pytest.raises(NoThought):
            await answers(player, asked, "mate")
        assert player.counts["full"] == 1
