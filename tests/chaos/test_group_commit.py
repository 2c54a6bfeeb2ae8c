"""Whatever happens to the writer, every waiting append gets an answer, and later ones are stored."""

from __future__ import annotations

import asyncio

import pytest

from app.play.log.entries import Append, Entry
from app.play.ports import StoreUnavailable
from app.store.games.group_commit import GroupCommit
from app.store.games.log_rows import Batch, CommitUnknown, Outcome


class Unlucky:
    """A writer that raises an unexpected exception once."""

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
async def test_no_append_hangs_when_the_writer_crashes(in_look_up: bool) -> None:
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # it is reported there
    commit = GroupCommit(Unlucky(ArithmeticError("?"), in_look_up=in_look_up), lambda seconds, rows: None)
    first, second = commit.append(append_of(1)), commit.append(append_of(2))
    for waiting in (first, second):
        with pytest.raises(StoreUnavailable):
            await asyncio.wait_for(waiting, 10)
    assert await asyncio.wait_for(commit.append(append_of(1)), 10) is True
    await commit.close()


async def test_a_fault_in_one_room_does_not_affect_others(caplog: pytest.LogCaptureFixture) -> None:
    commit = GroupCommit(Unlucky(None), lambda seconds, rows: None)
    first, second = commit.append(append_of(1)), commit.append(append_of(2))

    def fail(_: object) -> None:
        raise ArithmeticError("planted")

    first.add_done_callback(fail)
    assert await asyncio.wait_for(second, 10) is True
    await commit.close()
    faults = [(record.getMessage(), record.exc_info) for record in caplog.records]
    assert [message for message, _ in faults] == ["game game failed to handle a stored entry"]
    assert faults[0][1] is not None
    assert faults[0][1][0] is ArithmeticError


async def test_the_next_batch_is_written_before_rooms_are_notified() -> None:
    order: list[str] = []

    class Noting(Unlucky):
        async def write(self, batch: Batch) -> Outcome:
            order.append(f"write {batch[0].entry.seq}")
            await asyncio.sleep(0)
            if batch[0].entry.seq == 1:
                commit.append(append_of(2))
            return [True] * len(batch)

    commit = GroupCommit(Noting(None), lambda seconds, rows: None)
    commit.append(append_of(1)).add_done_callback(lambda _: order.append("notify 1"))
    await commit.flush()
    assert order == ["write 1", "write 2", "notify 1"]


async def test_with_an_empty_queue_rooms_are_notified_in_the_same_iteration() -> None:
    order: list[str] = []

    class Noting(Unlucky):
        async def write(self, batch: Batch) -> Outcome:
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_soon(order.append, "next iteration")
            return [True] * len(batch)

    commit = GroupCommit(Noting(None), lambda seconds, rows: None)
    commit.append(append_of(1)).add_done_callback(lambda _: order.append("notify"))
    await commit.flush()
    await asyncio.sleep(0)
    assert order == ["notify", "next iteration"]
