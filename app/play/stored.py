"""What becomes of an append: as much of a future as rooms need, without a turn of the loop for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from typing import Any

from app.play.log.entries import Append


class Stored:
    """True once entry and head are on disk, False when the number was taken, else an exception.

    One hears of it: a function, called the moment it is known, or whoever awaits it.
    """

    __slots__ = ("_outcome", "_then", "append")

    def __init__(self, append: Append) -> None:
        self.append = append
        self._outcome: bool | Exception | None = None
        self._then: Callable[[Stored], None] | None = None

    def done(self) -> bool:
        return self._outcome is not None

    def cancelled(self) -> bool:
        return False

    def result(self) -> bool:
        outcome = self._outcome
        if isinstance(outcome, Exception):
            raise outcome
        assert outcome is not None
        return outcome

    def settle(self, outcome: bool | Exception) -> None:
        """It is known; what is told later changes nothing."""
        if self._outcome is None:
            self._outcome = outcome
            if self._then is not None:
                self._then(self)

    def add_done_callback(self, then: Callable[[Stored], None]) -> None:
        assert self._then is None
        self._then = then
        if self._outcome is not None:
            then(self)

    def __await__(self) -> Generator[Any, None, bool]:
        if self._outcome is None:
            known: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._then = lambda _: None if known.done() else known.set_result(None)
            yield from known
        return self.result()
