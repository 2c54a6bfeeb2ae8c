"""Turns at SQLite's write lock: whoever has waited longest writes next, and moves before everything else.

SQLite has no queue. Who finds the lock taken sleeps and looks again, ever more rarely and at last ten times a second,
while a newcomer looks after one, two and five milliseconds. Where commits take long, on a busy disk, somebody always
comes in between: with one game and commits of half a second there were waits of eight seconds although nobody held the
lock for more than one, and after ten a move was not stored. SQLite is for one server (`file_lock.py`), so its writers
can take turns here, and find the lock free. Who else writes (the command line) is met at the lock as ever.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from threading import Lock


class NoTurn(TimeoutError):
    """Somebody else has been writing all the time."""


class WriteTurns:
    """Of one server: its event loop and all its threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: deque[tuple[str, Future[None]]] = deque()
        self._writer: tuple[str, float] | None = None  # who, and since when

    def ask(self, who: str, *, first: bool = False) -> Future[None]:
        """Done when it is their turn. Whoever no longer wants it leaves (`leave`); else it is given back."""
        turn: Future[None] = Future()
        with self._lock:
            if self._writer is None:
                self._begin(who, turn)
            elif first:
                self._waiting.appendleft((who, turn))
            else:
                self._waiting.append((who, turn))
        return turn

    def give_back(self) -> None:
        """The next one's turn."""
        with self._lock:
            self._writer = None
            while self._waiting:
                who, turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():  # else they have left
                    self._begin(who, turn)
                    return

    def _begin(self, who: str, turn: Future[None]) -> None:
        self._writer = who, time.monotonic()
        turn.set_result(None)

    def leave(self, turn: Future[None]) -> None:
        """They do not wait any more; had it become their turn meanwhile, it is the next one's."""
        if not turn.cancel():
            self.give_back()

    async def wait(self, who: str) -> None:
        """Until it is their turn."""
        turn = self.ask(who)
        if turn.done():
            return
        try:
            await asyncio.wrap_future(turn)
        except BaseException:
            self.leave(turn)
            raise

    @asynccontextmanager
    async def awaited(self, who: str) -> AsyncIterator[None]:
        """A turn, on the event loop."""
        await self.wait(who)
        try:
            yield
        finally:
            self.give_back()

    @contextmanager
    def taken(self, who: str, seconds: float, *, first: bool = False) -> Iterator[None]:
        """A turn, in a thread; raises NoTurn, which says who has it."""
        turn = self.ask(who, first=first)
        try:
            turn.result(seconds)
        except TimeoutError:
            if turn.cancel():
                raise NoTurn(self._said()) from None
        try:
            yield
        finally:
            self.give_back()

    def _said(self) -> str:
        writer = self._writer
        return "nobody" if writer is None else f"{writer[0]} for {time.monotonic() - writer[1]:.1f} s"
