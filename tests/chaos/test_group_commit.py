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

    def __init__(self, problem: BaseException, *, in_look_up: bool = False) -> None:
        self._problem: BaseException | None = problem
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
