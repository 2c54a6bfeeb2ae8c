"""Batching of concurrent calls: one query per event-loop iteration, isolated failures."""

from __future__ import annotations

import asyncio

import pytest

from app.play.ports import StoreUnavailable
from app.store.batcher import Batcher, pad_to_power_of_two


class Database:
    """Returns twice each number; blocks while `is_open` is not set."""

    def __init__(self, max_size: int = 256) -> None:
        self.queries: list[list[int]] = []
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.problem: BaseException | None = None
        self.batcher = Batcher(self.run_batch, max_size)

    async def run_batch(self, keys: list[int]) -> list[int | Exception]:
        self.queries.append(keys)
        await self.is_open.wait()
        if self.problem is not None:
            raise self.problem
        return [ValueError("odd one") if key == 13 else 2 * key for key in keys]


async def test_calls_in_one_event_loop_iteration_are_one_batch() -> None:
    database = Database()
    assert await asyncio.gather(*map(database.batcher.get, (3, 1, 3, 2))) == [6, 2, 6, 4]
    assert database.queries == [[3, 1, 2]]


async def test_call_during_a_batch_joins_the_next_one() -> None:
    database = Database()
    database.is_open.clear()
    first = database.batcher.get(1)
    await asyncio.sleep(0)
    # The same key again: the running batch may have read it before this call.
    more = [database.batcher.get(key) for key in (1, 2, 3)]
    await asyncio.sleep(0)
    assert database.queries == [[1]]
    database.is_open.set()
    assert await asyncio.gather(first, *more) == [2, 2, 4, 6]
    assert database.queries == [[1], [1, 2, 3]]


async def test_batch_has_a_maximum_size_and_the_rest_follows() -> None:
    database = Database(max_size=2)
    assert await asyncio.gather(*map(database.batcher.get, range(5))) == [0, 2, 4, 6, 8]
    assert database.queries == [[0, 1], [2, 3], [4]]


async def test_failed_batch_fails_all_its_callers_and_the_next_one_works() -> None:
    database = Database()
    database.problem = StoreUnavailable("away")
    failed = await asyncio.gather(*map(database.batcher.get, (1, 2)), return_exceptions=True)
    assert [str(error) for error in failed] == ["away", "away"]
    assert failed[0] is not failed[1]  # separate exceptions
    database.problem = None
    assert await database.batcher.get(1) == 2


async def test_exception_for_one_key_affects_only_that_key() -> None:
    database = Database()
    one, other = await asyncio.gather(*map(database.batcher.get, (1, 13)), return_exceptions=True)
    assert one == 2
    assert isinstance(other, ValueError)


async def test_cancelled_caller_does_not_affect_others() -> None:
    database = Database()
    database.is_open.clear()
    cancelled, other = (database.batcher.get(7) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    database.is_open.set()
    assert await other == 14


async def test_cancelled_batch_leaves_no_caller_waiting() -> None:
    database = Database()
    database.problem = asyncio.CancelledError()
    database.is_open.clear()
    waiting = [database.batcher.get(1)]
    await asyncio.sleep(0)
    waiting.append(database.batcher.get(2))
    database.is_open.set()
    for future in waiting:
        with pytest.raises(StoreUnavailable):
            await future
    database.problem = None
    assert await database.batcher.get(3) == 6


def test_padding_gives_few_lengths() -> None:
    assert pad_to_power_of_two("a") == ["a"]
    assert pad_to_power_of_two("abc") == ["a", "b", "c", "c"]
    lengths = {len(pad_to_power_of_two(range(count))) for count in range(1, 257)}
    assert lengths == {2**exponent for exponent in range(9)}
