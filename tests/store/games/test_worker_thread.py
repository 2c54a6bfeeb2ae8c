"""The writer's thread: one thing after the other, whoever waits is told, also of what went wrong."""

from __future__ import annotations

import asyncio
import threading

import pytest

from app.store.games.worker_thread import WorkerThread


async def test_work_is_done_in_order_in_one_thread_and_told() -> None:
    thread = WorkerThread("test")
    done: list[int] = []

    def work(number: int) -> tuple[int, str]:
        done.append(number)
        return number, threading.current_thread().name

    first = asyncio.ensure_future(thread.do(work, 1))
    await asyncio.sleep(0)
    thread.do_later(lambda: done.append(2))
    assert (await thread.do(work, 3), await first) == ((3, "test"), (1, "test"))
    assert done == [1, 2, 3]
    thread.stop()


async def test_a_fault_is_told_and_the_next_work_is_done() -> None:
    thread = WorkerThread("test")
    with pytest.raises(ZeroDivisionError):
        await thread.do(lambda: 1 // 0)
    assert await thread.do(lambda: 1) == 1
    thread.stop()


async def test_whoever_does_not_wait_any_more_is_no_fault() -> None:
    thread, may_end = WorkerThread("test"), threading.Event()
    gone = asyncio.ensure_future(thread.do(may_end.wait, 10))
    await asyncio.sleep(0)
    gone.cancel()
    may_end.set()
    assert await thread.do(lambda: "next") == "next"
    assert gone.cancelled()
    thread.stop()
    WorkerThread("never asked").stop()
