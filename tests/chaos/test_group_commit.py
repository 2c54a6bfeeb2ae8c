"""Whatever happens to the writer, whoever waits for the disk is answered, and the next one is served."""

from __future__ import annotations

import asyncio

import pytest

from app.play.log.entries import Append, Entry
from app.play.ports import StoreUnavailable
from app.store.games.group_commit import GroupCommit
from app.store.games.rows import Batch, CommitUnknown, Outcome


class Unlucky:
    """A writer that fails in a way nobody thought of, once."""

    def __init__(self, problem: BaseException | None, *, in_look_up: bool = False) -> None:
        self._problem = problem
        self._in_look_up = in_look_up

    async def write(self, batch: Batch) -> Outcome:
        await asyncio.sleep(0)
        if self._problem is not None and not self._in_look_up:
            problem, self._problem = self._problem, None
            raise problem
        if self._problem is not None:
            raise CommitUnknown
        return [True] * len(batch)

    async def look_up(self, batch: Batch) -> list[bool | None]:
        assert self._problem is not None
        problem, self._problem = self._problem, None
        raise problem

    async def close(self) -> None:
        pass


def append_of(seq: int) -> Append:
    return Append(Entry("game", seq, "action", 0, {}, "person", 0), "running", "0", None)


@pytest.mark.parametrize("in_look_up", [False, True])
async def test_nobody_waits_for_ever_for_a_writer_that_fell_over(in_look_up: bool) -> None:
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: None
    )  # it is told, as it should be
    commit = GroupCommit(Unlucky(ArithmeticError("?"), in_look_up=in_look_up), lambda seconds, rows: None)
    first, second = commit.append(append_of(1)), commit.append(append_of(2))
    for waiting in (first, second):
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(waiting, 10)
    assert await asyncio.wait_for(commit.append(append_of(1)), 10) is True
    await commit.close()


async def test_a_fault_in_one_room_is_not_the_others(caplog: pytest.LogCaptureFixture) -> None:
    commit = GroupCommit(Unlucky(None), lambda seconds, rows: None)
    first, second = commit.append(append_of(1)), commit.append(append_of(2))

    def fail(_: object) -> None:
        raise ArithmeticError("planted")

    first.add_done_callback(fail)
    assert await asyncio.wait_for(second, 10) is True
    await commit.close()
    faults = [(record.getMessage(), record.exc_info) for record in caplog.records]
    assert [message for message, _ in faults] == ["game game could not take what was stored"]
    assert faults[0][1] is not None
    assert faults[0][1][0] is ArithmeticError


async def test_the_next_batch_is_on_its_way_before_rooms_are_told() -> None:
    order: list[str] = []

    class Noting(Unlucky):
        async def write(self, batch: Batch) -> Outcome:
            order.append(f"write {batch[0].entry.seq}")
            await asyncio.sleep(0)
            if batch[0].entry.seq == 1:
                commit.append(append_of(2))
            return [True] * len(batch)

    commit = GroupCommit(Noting(None), lambda seconds, rows: None)
    commit.append(append_of(1)).add_done_callback(lambda _: order.append("told 1"))
    await commit.flush()
    assert order == ["write 1", "write 2", "told 1"]


async def test_where_nothing_waits_rooms_are_told_without_another_turn() -> None:
    order: list[str] = []

    class Noting(Unlucky):
        async def write(self, batch: Batch) -> Outcome:
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(order.append, "a turn later")
            return [True] * len(batch)

    commit = GroupCommit(Noting(None), lambda seconds, rows: None)
    commit.append(append_of(1)).add_done_callback(lambda _: order.append("told"))
    await commit.flush()
    await asyncio.sleep(0)
    assert order == ["told", "a turn later"]
