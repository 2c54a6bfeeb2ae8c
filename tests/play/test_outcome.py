"""Outcomes, and coroutines that run without a task."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.play.outcome import Outcome, QueuePlace, run_inline, wait_settled
from app.play.refusals import Refusal


async def await_outcome(outcome: Outcome[Any]) -> Any:
    return await outcome


async def test_a_coroutine_runs_at_once_and_continues_when_its_outcome_is_known() -> None:
    steps, first, second = list[str](), Outcome[str](), Outcome[str]()

    async def walk() -> str:
        for outcome in (first, second):
            await wait_settled(outcome)
            steps.append(outcome.result())
        return "done"

    stepped, heard = run_inline(walk()), list[str]()
    stepped.add_done_callback(lambda outcome: heard.append(outcome.result()))
    first.settle("one")
    assert steps == ["one"]
    assert not stepped.done()
    second.settle("two")
    assert steps == ["one", "two"]
    assert heard == ["done"]
    second.settle("three")  # no effect: it is settled
    assert heard == ["done"]


async def test_a_known_outcome_is_not_waited_for() -> None:
    known = Outcome[int]()
    known.settle(7)

    async def walk() -> int:
        await wait_settled(known)
        return known.result()

    assert run_inline(walk()).result() == 7
    failed = Outcome[int]()
    failed.fail(Refusal("closed"))
    with pytest.raises(Refusal):
        await failed


async def test_an_inline_coroutine_can_await_tasks_and_futures() -> None:
    async def slow() -> int:
        await asyncio.sleep(0)
        return 5

    async def walk() -> int:
        return await asyncio.get_running_loop().create_task(slow())

    assert await run_inline(walk()) == 5


async def test_a_caller_that_stops_waiting_leaves_the_queue_but_stops_nothing_else() -> None:
    turn, work, done = QueuePlace(loop=asyncio.get_running_loop()), Outcome[None](), list[str]()

    async def queue() -> None:
        await turn
        done.append("had its turn")

    async def write() -> None:
        await wait_settled(work)
        done.append("written")

    waiting = [asyncio.create_task(await_outcome(run_inline(walk()))) for walk in (queue, write)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    work.settle(None)
    await asyncio.sleep(0)
    assert turn.cancelled()
    assert done == ["written"]


async def test_a_fault_that_no_listener_would_report_is_raised() -> None:
    work = [Outcome[None](), Outcome[None]()]

    async def fail(number: int, problem: Exception) -> None:
        await wait_settled(work[number])
        raise problem

    stepped = run_inline(fail(0, RuntimeError("planted"))), run_inline(fail(1, Refusal("closed")))
    waiting = [asyncio.create_task(await_outcome(each)) for each in stepped]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    with pytest.raises(RuntimeError, match="planted"):
        work[0].settle(None)
    work[1].settle(None)  # a Refusal is not an error
