"""The claim loop: rows that fail, rows of greedy owners, outages and claims that fail."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import pytest

from app.play import queues
from app.play.ports import StoreUnavailable
from app.play.queues import (
    FAILURES_CACHE_MS,
    FIRST_RETRY_MS,
    MAX_ATTEMPTS,
    POSTPONE_MS,
    ClaimLoop,
    Failures,
    Postponed,
    compute_retry_delay_ms,
    describe_error,
)
from app.play.tasks import Tasks
from tests.play.stage import Stage
from tests.store.statements import captured_statements

FAR = 10**9  # a poll interval that no test waits for


class NumberQueue:
    """A FIFO queue of rows "OWNER/NUMBER"; `trouble` maps a row to the exception that processing it raises."""

    name = "numbers"

    def __init__(self, *rows: str) -> None:
        self.rows = list(rows)
        self.done: list[str] = []
        self.trouble: dict[str, Exception] = {}
        self.claim_trouble: Exception | None = None
        self.claims = 0
        self.under_way: list[str] = []
        self.may_end: dict[str, asyncio.Event] = {}

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[str]:
        self.claims += 1
        if self.claim_trouble is not None:
            raise self.claim_trouble
        wanted = [r for r in self.rows if r not in skip_keys and self.owner(r) not in skip_owners]
        return wanted[:limit]

    def key(self, row: str) -> str:
        return row

    def owner(self, row: str) -> str | None:
        return row.partition("/")[0]

    async def process(self, row: str) -> None:
        self.under_way.append(row)
        try:
            if self.owner(row) in self.may_end:
                await self.may_end[row.partition("/")[0]].wait()
            if row in self.trouble:
                raise self.trouble[row]
        finally:
            self.under_way.remove(row)
        self.rows.remove(row)
        self.done.append(row)


def make_loop(stage: Stage, queue: Any, **how: Any) -> ClaimLoop[str]:
    failures = Failures(stage.store.failures, stage.clock, stage.metrics)
    return ClaimLoop(queue, failures, Tasks(), **{"poll_ms": FAR, "concurrency": 4, **how})


async def _until(is_so: Any) -> None:
    for _ in range(20_000):
        if is_so():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it never came to that")


async def test_a_failing_row_leaves_the_others_alone_and_a_later_success_clears_its_record(
    stage: Stage,
) -> None:
    queue = NumberQueue("a/1", "a/2", "a/3")
    queue.trouble["a/1"] = ValueError("secret words of a row")
    loop = make_loop(stage, queue)
    await loop.drain()
    assert queue.done == ["a/2", "a/3"]
    (failure,) = await stage.store.failures.read_all()
    assert (failure.queue, failure.key, failure.attempts) == ("numbers", "a/1", 1)
    assert "secret" not in failure.error
    assert stage.metrics.queue_failures == ["numbers"]
    queue.trouble.clear()
    assert await loop.drain() == 0
    stage.clock.advance(FIRST_RETRY_MS / 1000)
    await loop.drain()
    assert queue.done == ["a/2", "a/3", "a/1"]
    assert await stage.store.failures.read_all() == []


async def test_the_delay_grows_until_the_row_is_set_aside() -> None:
    delays = [compute_retry_delay_ms(attempts) for attempts in range(1, MAX_ATTEMPTS + 1)]
    assert delays[-1] is None
    waits = [delay for delay in delays if delay is not None]
    assert all(later > earlier for earlier, later in pairwise(waits))
    assert waits[0] > FAILURES_CACHE_MS, "another worker that retries a row has its record in the cache"


async def test_another_worker_respects_the_time_of_the_next_attempt(stage: Stage) -> None:
    queue = NumberQueue("a/1")
    queue.trouble["a/1"] = ValueError()
    here, there = make_loop(stage, queue), make_loop(stage, queue)
    await here.drain()
    assert await there.drain() == 0
    stage.clock.advance(FIRST_RETRY_MS / 1000)
    await asyncio.gather(here.drain(), there.drain())
    (failure,) = await stage.store.failures.read_all()
    assert failure.attempts == 2, "two workers that fail at the same moment count as one attempt"


@pytest.mark.parametrize("trouble", [StoreUnavailable(), Postponed()])
async def test_a_postponed_row_is_not_a_failure(stage: Stage, trouble: Exception) -> None:
    queue = NumberQueue("a/1", "a/2")
    queue.trouble["a/1"] = trouble
    loop = make_loop(stage, queue)
    await loop.drain()
    assert queue.done == ["a/2"]
    assert await stage.store.failures.read_all() == []
    queue.trouble.clear()
    assert await loop.drain() == 0
    stage.clock.advance(POSTPONE_MS / 1000)
    await loop.drain()
    assert queue.done == ["a/2", "a/1"]


async def test_a_hanging_row_fails_and_frees_its_slot(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "MAX_PROCESS_SECONDS", 0.01)
    queue = NumberQueue("hung/1", "a/1")
    queue.may_end["hung"] = asyncio.Event()
    loop = make_loop(stage, queue, concurrency=1)
    await loop.drain()
    assert queue.done == ["a/1"]
    (failure,) = await stage.store.failures.read_all()
    assert (failure.key, failure.error.split()[0]) == ("hung/1", "TimeoutError")
    assert not loop.is_busy("hung/1")


async def test_a_greedy_owner_does_not_delay_another_owner(stage: Stage) -> None:
    queue = NumberQueue(*(f"greedy/{n}" for n in range(200)), "bystander/1")
    queue.may_end["greedy"] = asyncio.Event()
    loop = make_loop(stage, queue, concurrency=8, batch=4, per_owner=2)
    running = asyncio.create_task(loop.run())
    await _until(lambda: len(queue.under_way) == 2)
    loop.nudge()
    await _until(lambda: "bystander/1" in queue.done)
    assert [row.partition("/")[0] for row in queue.under_way] == ["greedy", "greedy"]
    queue.may_end["greedy"].set()
    await _until(lambda: len(queue.done) == 201)
    loop.stop()
    await running


async def test_remaining_rows_are_claimed_before_the_next_poll(stage: Stage) -> None:
    bad = [f"bad/{n}" for n in range(8)]  # two whole claims
    queue = NumberQueue(*bad, *(f"a/{n}" for n in range(50)))
    queue.trouble = {row: ValueError() for row in bad}
    loop = make_loop(stage, queue)
    running = asyncio.create_task(loop.run())
    await _until(lambda: len(queue.done) == 50)
    loop.stop()
    await running
    assert not loop.is_busy("a/1")


async def test_a_claim_that_fails_is_logged_once_and_does_not_end_the_loop(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    queue = NumberQueue("a/1")
    queue.claim_trouble = ValueError("a bad query")
    loop = make_loop(stage, queue)
    running = asyncio.create_task(loop.run())
    for times in (1, 2, 3):
        await _until(lambda times=times: queue.claims == times)
        loop.nudge()
    queue.claim_trouble = None
    await _until(lambda: queue.done)
    loop.stop()
    await running
    assert sum("cannot be claimed" in record.message for record in caplog.records) == 1
    assert set(stage.metrics.queue_failures) == {"numbers"}


async def test_rounds_without_failures_do_not_read_the_table_of_failures(stage: Stage) -> None:
    loop = make_loop(stage, NumberQueue())
    await loop.claim()
    with captured_statements() as statements:
        for _ in range(50):
            await loop.claim()
    assert statements == []


def test_an_error_is_described_by_class_and_place_without_its_message() -> None:
    with pytest.raises(TypeError) as caught:
        compute_retry_delay_ms("a name")  # type: ignore[arg-type]
    assert describe_error(caught.value).startswith("TypeError at app/play/queues.py:")
    assert "name" not in describe_error(caught.value)
