"""Fault points: a server that kills itself at a given point, so that tests can check what survives.

`python -m tools.soak.fault_points after_commit:3 serve` is `cartagena serve` that sends itself SIGKILL when it
passes that point for the third time. The shipped code does not know about it: `arm` wraps a few calls from outside.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Any

from app.cli import main
from app.play.room.rooms import Rooms
from app.play.room.subscribers import Subscribers
from app.store.games import sqlite_writer
from app.store.games.chat import SqlChat
from app.store.games.due_work import SqlDueWork
from app.store.games.log import SqlGameLog
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.sqlite_writer import SqliteWriter

__all__ = ["POINTS", "BadFault", "arm", "check"]

_WRITERS = (SqliteWriter, PostgresWriter)
_FLUSH_SECONDS = 0.02  # the event loop sends written data to sockets a moment later


class BadFault(ValueError):
    """Not a fault point, or not a count."""


def check(wish: str) -> tuple[str, int, bool]:
    """Parse `point`, `point:n` or `point:n:later` into the point, the pass that kills, and whether to count at once.

    Raise BadFault.
    """
    name, _, rest = wish.partition(":")
    times, _, when = (rest or "1").partition(":")
    if name not in POINTS or not times.isdigit() or int(times) < 1 or when not in ("", "later"):
        raise BadFault(
            f"{wish!r} is not a fault point; choose one of {', '.join(POINTS)}, with :n for the n-th time, "
            "and :later to count from SIGUSR1 on"
        )
    return name, int(times), not when


def arm(wish: str) -> None:
    """Kill this process when it passes a point for the n-th time."""
    name, left, is_counting = check(wish)

    def begin(_signal: int, _frame: FrameType | None) -> None:
        nonlocal is_counting
        is_counting = True

    def passed() -> bool:
        nonlocal left
        left -= is_counting
        return is_counting and left == 0

    signal.signal(signal.SIGUSR1, begin)

    POINTS[name](passed)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


Passed = Callable[[], bool]


def _around(
    owner: type,
    original: Callable[..., Awaitable[Any]],
    passed: Passed,
    *,
    after: bool,
    only: Callable[..., bool] | None = None,
) -> None:
    """Die before or after a method of `owner`; `only` filters by its result (after) or arguments (before)."""

    @functools.wraps(original)
    async def wrapped(*args: Any, **named: Any) -> Any:
        if not after and (only is None or only(*args, **named)) and passed():
            _die()
        result = await original(*args, **named)
        if after and (only is None or only(result)) and passed():
            _die()
        return result

    setattr(owner, original.__name__, wrapped)


def _before_append(passed: Passed) -> None:
    """Decided, but nothing written."""
    for writer in _WRITERS:
        _around(writer, writer.write, passed, after=False)


def _before_commit(passed: Passed) -> None:
    """Rows written, transaction open."""
    in_thread = sqlite_writer.write_rows

    def written(*args: Any) -> Any:
        outcome = in_thread(*args)
        if passed():
            _die()
        return outcome

    setattr(sqlite_writer, "write_rows", written)  # noqa: B010 (its signature is any)
    on_loop = PostgresWriter._write_rows

    async def sent(run: Any, *args: Any) -> None:
        async with run.transaction():  # else its one statement would be committed when it returns
            await on_loop(run, *args)
            if passed():
                _die()

    PostgresWriter._write_rows = staticmethod(sent)  # type: ignore[method-assign, assignment]


def _after_commit(passed: Passed) -> None:
    """On disk, but nothing sent."""
    for writer in _WRITERS:
        _around(writer, writer.write, passed, after=True)


def _after_ack(passed: Passed) -> None:
    """The sender has its answer, no other client has seen the entry."""
    original = Subscribers.send_entry
    is_dying = False

    @functools.wraps(original)
    def tell_entry(
        self: Subscribers, before: Any, table: Any, entry: Any, events: Any, acked: Any, frames: Any = None
    ) -> None:
        nonlocal is_dying
        if is_dying:
            return  # the last words have been said
        if acked is None or acked not in self._by_seat or not passed():
            original(self, before, table, entry, events, acked, frames)
            return
        is_dying = True
        everybody, self._by_seat = self._by_seat, {acked: self._by_seat[acked]}
        self._index_listeners()
        original(self, before, table, entry, events, acked, frames)
        self._by_seat = everybody
        self._index_listeners()
        asyncio.get_running_loop().call_later(_FLUSH_SECONDS, _die)

    Subscribers.send_entry = tell_entry  # type: ignore[method-assign]


def _loading(passed: Passed) -> None:
    """While a room is being loaded."""
    _around(
        SqlGameLog,
        SqlGameLog.read_entries,
        passed,
        after=False,
        only=lambda store, game, after=0, limit=None: after == 0,
    )


def _evicting(passed: Passed) -> None:
    """Just after a room was evicted."""
    original = Rooms.evict

    @functools.wraps(original)
    def evict(self: Rooms, now: int) -> int:
        gone = original(self, now)
        if gone and passed():
            _die()
        return gone

    Rooms.evict = evict  # type: ignore[method-assign]


def _claiming(passed: Passed) -> None:
    """Due work is leased to a worker that will not do it."""
    _around(SqlDueWork, SqlDueWork.claim, passed, after=True, only=bool)


def _chatting(passed: Passed) -> None:
    """A chat line is stored, but not acknowledged."""
    _around(SqlChat, SqlChat.add_line, passed, after=True)


POINTS: dict[str, Callable[[Passed], None]] = {
    "before_append": _before_append,
    "before_commit": _before_commit,
    "after_commit": _after_commit,
    "after_ack": _after_ack,
    "loading": _loading,
    "evicting": _evicting,
    "claiming": _claiming,
    "chatting": _chatting,
}


if __name__ == "__main__":
    arm(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
