"""What many ask in one turn of the loop is one question; its failure is theirs and nobody else's."""

from __future__ import annotations

import asyncio

import pytest

from app.play.ports import StoreUnavailable
from app.store.batches import Batches, padded


class Database:
    """Answers twice the number; waits at the door while it is closed."""

    def __init__(self, most: int = 256) -> None:
        self.asked: list[list[int]] = []
        self.is_open = asyncio.Event()
        self.is_open.set()
        self.problem: BaseException | None = None
        self.batches = Batches(self.answer, most)

    async def answer(self, keys: list[int]) -> list[int | Exception]:
        self.asked.append(keys)
        await self.is_open.wait()
        if self.problem is not None:
            raise self.problem
        return [ValueError("odd one") if key == 13 else 2 * key for key in keys]


async def test_what_is_asked_in_one_turn_is_one_question() -> None:
    database = Database()
    assert await asyncio.gather(*map(database.batches.get, (3, 1, 3, 2))) == [6, 2, 6, 4]
    assert database.asked == [[3, 1, 2]]


async def test_whoever_comes_while_one_is_under_way_is_in_the_next() -> None:
    database = Database()
    database.is_open.clear()
    first = database.batches.get(1)
    await asyncio.sleep(0)
    # The same key again: what is on its way may have been read before this one asked.
    more = [database.batches.get(key) for key in (1, 2, 3)]
    await asyncio.sleep(0)
    assert database.asked == [[1]]
    database.is_open.set()
    assert await asyncio.gather(first, *more) == [2, 2, 4, 6]
    assert database.asked == [[1], [1, 2, 3]]


async def test_a_batch_has_a_limit_and_the_rest_follows() -> None:
    database = Database(most=2)
    assert await asyncio.gather(*map(database.batches.get, range(5))) == [0, 2, 4, 6, 8]
    assert database.asked == [[0, 1], [2, 3], [4]]


async def test_a_batch_that_fails_fails_each_who_waits_and_the_next_one_works() -> None:
    database = Database()
    database.problem = StoreUnavailable("away")
    failed = await asyncio.gather(*map(database.batches.get, (1, 2)), return_exceptions=True)
    assert [str(each) for each in failed] == ["away", "away"]
    assert failed[0] is not failed[1]  # each raises its own
    database.problem = None
    assert await database.batches.get(1) == 2


async def test_an_answer_may_be_a_refusal_for_one_alone() -> None:
    database = Database()
    one, other = await asyncio.gather(*map(database.batches.get, (1, 13)), return_exceptions=True)
    assert one == 2
    assert isinstance(other, ValueError)


async def test_whoever_gives_up_takes_nobody_along() -> None:
    database = Database()
    database.is_open.clear()
    impatient, patient = (database.batches.get(7) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    database.is_open.set()
    assert await patient == 14


async def test_a_stop_in_the_middle_leaves_nobody_waiting() -> None:
    database = Database()
    database.problem = asyncio.CancelledError()
    database.is_open.clear()
    waiting = [database.batches.get(1)]
    await asyncio.sleep(0)
    waiting.append(database.batches.get(2))
    database.is_open.set()
    for each in waiting:
        with pytest.raises(StoreUnavailable):
            await each
    database.problem = None
    assert await database.batches.get(3) == 6


def test_lists_come_in_few_lengths() -> None:
    assert padded("a") == ["a"]
    assert padded("abc") == ["a", "b", "c", "c"]
    assert {len(padded(range(count))) for count in range(1, 257)} == {1, 2, 4, 8, 16, 32, 64, 128, 256}
