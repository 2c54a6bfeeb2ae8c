"""A lock that is taken in the order of asking; whoever cannot wait may try it."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Lock"]


class Lock:
    """asyncio.Lock with `try_acquire`, for code that is no task and cannot wait; a room has one for its life."""

    __slots__ = ("_waiting", "is_locked")

    def __init__(self) -> None:
        self.is_locked = False
        self._waiting: deque[asyncio.Future[None]] | None = None  # hardly ever anybody

    def try_acquire(self) -> bool:
        """Take it if nobody has it: then `release` is owed."""
        if self.is_locked:
            return False
        self.is_locked = True
        return True

    def release(self) -> None:
        """The next one's turn. It stays taken in between, so that nobody slips in."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.is_locked = False

    def wait(self) -> asyncio.Future[None]:
        """Done when it is ours: then `release` is owed."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self._waiting is None:
            self._waiting = deque()
        self._waiting.append(turn)
        return turn

    async def __aenter__(self) -> None:
        if self.try_acquire():
            return
        turn = self.wait()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)  # type: ignore[union-attr]
            else:  # its turn had come at that very moment
                self.release()
            raise

    async def __aexit__(self, *_: object) -> None:
        self.release()
