"""A gate that lets one pass at a time, in the order they came; whoever will not wait may look whether it is free."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Gate"]


class Gate:
    """asyncio.Lock with `try_pass`, for code that is no task and cannot wait; a room has one for its life."""

    __slots__ = ("_waiting", "is_taken")

    def __init__(self) -> None:
        self.is_taken = False
        self._waiting: deque[asyncio.Future[None]] | None = None  # hardly ever anybody

    def try_pass(self) -> bool:
        """Take it if nobody has it: then `leave` is owed."""
        if self.is_taken:
            return False
        self.is_taken = True
        return True

    def leave(self) -> None:
        """The next one's turn. It stays taken in between, so that nobody slips in."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.is_taken = False

    async def __aenter__(self) -> None:
        if self.try_pass():
            return
        if self._waiting is None:
            self._waiting = deque()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:  # its turn had come at that very moment
                self.leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self.leave()
