"""Worker threads: FIFO with urgent work first, cancelled callers, errors, stopping."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from app.play.ports import StoreUnavailable
from app.store.worker_threads import NotStarted, WorkerThreads


class BusyThread:
    """One worker thread that is busy until `release`."""

    def __init__(self) -> None:
        self.threads = WorkerThreads("test")
        self.done: list[object] = []
        self._go_on = threading.Event()
        self._busy: asyncio.Future[bool] | None = None

    async def hold(self) -> None:
        begun = threading.Event()

        def occupy() -> bool:
            begun.set()
            return self._go_on.wait(30)

        self._busy = asyncio.ensure_future(self.threads.run(occupy))
        while not begun.is_set():  # noqa: ASYNC110 (set by a thread)
            await asyncio.sleep(0.001)

    def release(self) -> None:
        self._go_on.set()

    def note(self, name: object, *, urgent: bool = False) -> asyncio.Future[None]:
        return asyncio.ensure_future(self.threads.run(lambda: self.done.append(name), urgent=urgent))


@pytest.fixture
async def busy() -> AsyncIterator[BusyThread]:
    busy = BusyThread()
    await busy.hold()
    yield busy
    busy.release()
    await busy.threads.stop(lambda: None, 10)


async def test_queue_is_fifo_with_urgent_work_first(busy: BusyThread) -> None:
    waiting = [busy.note(1), busy.note(2)]
    await asyncio.sleep(0)
    waiting += [busy.note("log", urgent=True), busy.note("log again", urgent=True), busy.note(3)]
    await asyncio.sleep(0)
    busy.release()
    await asyncio.gather(*waiting)
    assert busy.done == ["log", "log again", 1, 2, 3]


async def test_work_of_a_cancelled_caller_never_runs(busy: BusyThread) -> None:
    gone, stays = busy.note("gone"), busy.note("stays")
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait([gone])
    busy.release()
    await stays
    assert busy.done == ["stays"]


async def test_started_work_ends_before_the_next_starts(busy: BusyThread) -> None:
    assert busy._busy is not None
    busy._busy.cancel()
    await asyncio.wait([busy._busy])
    after = busy.note("after")
    await asyncio.sleep(0.05)
    assert not after.done()
    busy.release()
    await after


async def test_work_that_waits_too_long_reports_what_is_running_and_never_runs(busy: BusyThread) -> None:
    with pytest.raises(NotStarted, match=r"occupy for 0\.\d s$"):
        await busy.threads.run(lambda: busy.done.append("late"), start_within=0.05)
    busy.release()
    await busy.note("next")
    assert busy.done == ["next"]


async def test_work_that_started_in_time_is_waited_for() -> None:
    threads = WorkerThreads("test")
    assert await threads.run(lambda: threading.Event().wait(0.1), start_within=0.05) is False
    await threads.stop(lambda: None, 10)


@pytest.mark.parametrize("fault", [ZeroDivisionError(), SystemExit(3), StopIteration()], ids=repr)
async def test_error_is_raised_in_the_caller_and_the_thread_continues(fault: BaseException) -> None:
    threads = WorkerThreads("test")

    def fail() -> None:
        raise fault

    caught: BaseException | None = None
    try:
        await threads.run(fail)
    except BaseException as problem:  # noqa: BLE001 (any exception)
        caught = problem
    assert caught is fault or (isinstance(fault, StopIteration) and isinstance(caught, RuntimeError))
    threads.post(fail)
    assert await threads.run(lambda: threading.current_thread().name) == "test"
    await threads.stop(lambda: None, 10)


async def test_threads_are_started_when_the_others_are_busy() -> None:
    threads, together = WorkerThreads("test", 3), threading.Barrier(3)
    await threads.run(lambda: None)
    await threads.run(lambda: None)
    assert len(threads._threads) == 1
    await asyncio.gather(*(threads.run(lambda: together.wait(30)) for _ in range(3)))
    await asyncio.gather(*(threads.run(lambda: None) for _ in range(20)))
    assert len(threads._threads) == 3
    await threads.stop(lambda: None, 10)
    assert not any(thread.is_alive() for thread in threads._threads)


async def test_stop_runs_queued_work_and_rejects_new_work(busy: BusyThread) -> None:
    waiting = busy.note("queued")
    await asyncio.sleep(0)
    stopping = asyncio.create_task(busy.threads.stop(lambda: busy.done.append("last"), 10))
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        await busy.threads.run(lambda: busy.done.append("late"))
    busy.threads.post(lambda: busy.done.append("late"))
    busy.release()
    await asyncio.gather(waiting, stopping)
    assert busy.done == ["queued", "last"]
    await busy.threads.stop(lambda: busy.done.append("again"), 10)
    assert busy.done == ["queued", "last"]


async def test_stop_does_not_wait_forever_or_block_the_event_loop(
    busy: BusyThread, caplog: pytest.LogCaptureFixture
) -> None:
    steps = 0

    async def count() -> None:
        nonlocal steps
        while True:
            steps += 1
            await asyncio.sleep(0.01)

    counting = asyncio.create_task(count())
    await asyncio.wait_for(busy.threads.stop(lambda: None, 0.2), 10)
    counting.cancel()
    assert steps > 5
    assert "did not end within" in caplog.text


def test_event_loop_closed_meanwhile_does_not_end_the_thread() -> None:
    threads, go_on = WorkerThreads("test"), threading.Event()

    async def leave() -> None:
        asyncio.ensure_future(threads.run(lambda: go_on.wait(30)))  # noqa: RUF006 (abandoned on purpose)
        await asyncio.sleep(0.01)

    asyncio.run(leave())
    go_on.set()
    assert asyncio.run(threads.run(lambda: 1)) == 1
    asyncio.run(threads.stop(lambda: None, 10))
