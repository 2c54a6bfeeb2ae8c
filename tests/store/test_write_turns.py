"""Turns at SQLite's write lock: the longest waiting is next, moves go first, and nobody who left is waited for."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread

import pytest

from app.store.write_turns import NoTurn, WriteTurns


def whose(**turns: Future[None]) -> list[str]:
    return [name for name, turn in turns.items() if turn.done() and not turn.cancelled()]


def test_the_longest_waiting_is_next_and_the_log_before_all() -> None:
    turns = WriteTurns()
    a, b, c = turns.ask("a"), turns.ask("b"), turns.ask("c")
    log = turns.ask("log", first=True)
    assert whose(a=a, b=b, c=c, log=log) == ["a"]
    turns.give_back()
    assert whose(b=b, c=c, log=log) == ["log"]
    turns.give_back()
    d = turns.ask("d")
    assert whose(b=b, c=c, d=d) == ["b"]
    turns.give_back()
    assert whose(c=c, d=d) == ["c"]
    turns.give_back()
    turns.give_back()
    assert whose(d=d, e=turns.ask("e")) == ["d", "e"]


def test_who_has_left_is_passed_over() -> None:
    turns = WriteTurns()
    turns.ask("a")
    b, c = turns.ask("b"), turns.ask("c")
    turns.leave(b)
    turns.give_back()
    assert whose(b=b, c=c) == ["c"]


async def test_whoever_is_cancelled_as_their_turn_comes_passes_it_on() -> None:
    turns = WriteTurns()
    turns.ask("a")
    waiting = asyncio.create_task(turns.wait("b"))
    await asyncio.sleep(0)
    c = turns.ask("c")
    turns.give_back()  # b's, but its task has not heard of it
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert whose(c=c) == ["c"]


async def test_whoever_is_cancelled_while_they_wait_is_passed_over() -> None:
    turns = WriteTurns()
    turns.ask("a")
    waiting = asyncio.create_task(turns.wait("b"))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    turns.give_back()
    assert whose(c=turns.ask("c")) == ["c"]


async def test_a_turn_ends_whatever_happens_in_it() -> None:
    turns = WriteTurns()

    async def fail() -> None:
        async with turns.awaited("a"):
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    with pytest.raises(LookupError), turns.taken("b", 0):
        raise LookupError
    assert whose(c=turns.ask("c")) == ["c"]


def test_a_thread_that_has_waited_too_long_hears_who_writes() -> None:
    turns = WriteTurns()
    turns.ask("somebody's erasure")
    with pytest.raises(NoTurn, match=r"^somebody's erasure for 0\.\d s$"), turns.taken("log", 0):
        raise AssertionError("it was not its turn")
    turns.give_back()
    assert whose(c=turns.ask("c")) == ["c"]


async def test_threads_and_the_loop_wait_for_each_other() -> None:
    turns = WriteTurns()
    order: list[str] = []

    def in_thread() -> None:
        with turns.taken("thread", 30):
            order.append("thread")

    async with turns.awaited("loop"):
        thread = Thread(target=in_thread)
        thread.start()
        while not turns._waiting:  # noqa: ASYNC110 (asked for in another thread)
            await asyncio.sleep(0.001)
        again = asyncio.create_task(turns.wait("loop again"))
        await asyncio.sleep(0)
        order.append("loop")
    await again
    order.append("loop again")
    turns.give_back()
    thread.join()
    assert order == ["loop", "thread", "loop again"]
