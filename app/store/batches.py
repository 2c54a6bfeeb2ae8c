"""Questions that many ask at the same moment, put to the database as one.

After a restart everybody comes back at once, and each of them needs a session, a room, the chat. A query each costs
a dozen hops to another thread or over the wire, and as many turns of every task that waits; the rows themselves cost
next to nothing. So what is asked in one turn of the loop goes out together, and while one batch is on its way the
next one gathers: batches grow with the crowd by themselves, and somebody who comes alone is not kept waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Generic, TypeVar

from app.play.ports import StoreUnavailable
from app.play.turns import turns_of

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")
# Seconds that a crowd is given to gather: a batch costs about the same for one as for twenty. Nobody waits who is
# alone.
_LINGER = 0.002


class Batches(Generic[Key, Found]):
    """Asks for all keys that wait, `most` at a time. What is found is given in the order of the keys.

    An exception among the answers is for whoever asked with that key. One that is raised fails everybody who waits
    in this batch, and nobody in the next.
    """

    def __init__(
        self,
        ask: Callable[[list[Key]], Awaitable[Sequence[Found | Exception]]],
        most: int = 256,
        *,
        is_for_newcomers: bool = True,
    ) -> None:
        self._ask = ask
        self._most = most
        self._is_for_newcomers = is_for_newcomers  # who go on a few in a turn of the loop
        self._waiting: dict[Key, list[asyncio.Future[Found]]] = {}
        self._task: asyncio.Task[None] | None = None

    def get(self, key: Key) -> asyncio.Future[Found]:
        """The answer. It was read after this was called: a batch that is under way takes nobody in."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Found] = loop.create_future()
        self._waiting.setdefault(key, []).append(future)
        if self._task is None:
            self._task = loop.create_task(self._run())
        return future

    async def _run(self) -> None:
        """As long as anybody waits."""
        batch: dict[Key, list[asyncio.Future[Found]]] = {}
        size = 0
        try:
            while self._waiting:
                if size > 1 or len(self._waiting) > 1:
                    await asyncio.sleep(_LINGER)
                batch = dict(list(self._waiting.items())[: self._most])
                for key in batch:
                    del self._waiting[key]
                await self._answer(batch)
                size, batch = len(batch), {}  # each has its answer, or will in some turn of the loop
        finally:
            self._task = None
            left, self._waiting = self._waiting, {}
            for futures in (*batch.values(), *left.values()):  # whatever ended this: nobody may wait for ever
                _give(futures, StoreUnavailable("the store was stopped"))

    async def _answer(self, batch: dict[Key, list[asyncio.Future[Found]]]) -> None:
        try:
            answers = await self._ask(list(batch))
        except BaseException as problem:
            if not isinstance(problem, Exception):
                raise
            answers = [problem] * len(batch)
        turns = turns_of(asyncio.get_running_loop())
        for futures, answer in zip(batch.values(), answers, strict=True):
            if self._is_for_newcomers:
                turns.do(partial(_give, futures, answer))
            else:
                _give(futures, answer)


def _give(futures: list[asyncio.Future[Found]], answer: Found | Exception) -> None:
    for future in futures:
        if future.done():
            continue  # whoever asked has gone
        if isinstance(
            answer, StoreUnavailable
        ):  # each its own: all who raise one would write into its traceback
            future.set_exception(StoreUnavailable(*answer.args))
        elif isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def padded(keys: Sequence[Key]) -> list[Key]:
    """As many as the next power of two, the last one again and again: so a driver prepares ten statements, not 256."""
    return [*keys, *[keys[-1]] * ((1 << (len(keys) - 1).bit_length()) - len(keys))]
