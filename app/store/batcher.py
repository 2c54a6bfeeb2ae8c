"""Batching of concurrent calls: calls made in one event-loop iteration become one query.

After a restart all clients reconnect at once, and each needs a session, a room and the chat. One query per client
would cost a dozen hops to another thread or over the network; reading the rows costs next to nothing. While a batch
is in progress the next one collects calls, so batches grow with the load, and a single caller is not delayed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from typing import Generic, TypeVar

from app.admission import get_admission_queue
from app.play.ports import StoreUnavailable

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")
# Delay before a batch while several callers wait: a batch of one costs about as much as a batch of twenty.
_COLLECT_SECONDS = 0.002


class Batcher(Generic[Key, Found]):
    """Calls `run_batch` with up to `max_size` keys at a time; it returns one result per key, in order.

    If a result is an exception, the callers of that key receive it. If `run_batch` raises, all callers of the batch
    receive the exception; later batches are not affected. With `limit_admission`, results are delivered through
    admission control, a few per event-loop iteration.
    """

    def __init__(
        self,
        run_batch: Callable[[list[Key]], Awaitable[Sequence[Found | Exception]]],
        max_size: int = 256,
        *,
        limit_admission: bool = True,
    ) -> None:
        self._run_batch = run_batch
        self._max_size = max_size
        self._limit_admission = limit_admission
        self._waiting: dict[Key, list[asyncio.Future[Found]]] = {}
        self._task: asyncio.Task[None] | None = None

    def get(self, key: Key) -> asyncio.Future[Found]:
        """Return the result for `key`. It is read after this call: a batch in progress accepts no more keys."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Found] = loop.create_future()
        self._waiting.setdefault(key, []).append(future)
        if self._task is None:
            self._task = loop.create_task(self._run())
        return future

    async def _run(self) -> None:
        """Run batches until no caller waits."""
        batch: dict[Key, list[asyncio.Future[Found]]] = {}
        size = 0
        try:
            while self._waiting:
                if size > 1 or len(self._waiting) > 1:
                    await asyncio.sleep(_COLLECT_SECONDS)
                batch = dict(list(self._waiting.items())[: self._max_size])
                for key in batch:
                    del self._waiting[key]
                await self._answer(batch)
                size, batch = len(batch), {}  # all are answered, or queued for admission
        finally:
            self._task = None
            left, self._waiting = self._waiting, {}
            # No caller may wait forever, even if this task was cancelled.
            for futures in (*batch.values(), *left.values()):
                _resolve(futures, StoreUnavailable("the store was stopped"))

    async def _answer(self, batch: dict[Key, list[asyncio.Future[Found]]]) -> None:
        try:
            results = await self._run_batch(list(batch))
        except BaseException as problem:
            if not isinstance(problem, Exception):
                raise
            results = [problem] * len(batch)
        admission = get_admission_queue(asyncio.get_running_loop())
        for futures, result in zip(batch.values(), results, strict=True):
            if self._limit_admission:
                admission.run(partial(_resolve, futures, result))
            else:
                _resolve(futures, result)


def _resolve(futures: list[asyncio.Future[Found]], result: Found | Exception) -> None:
    for future in futures:
        if future.done():
            continue  # the caller was cancelled
        if isinstance(result, StoreUnavailable):
            # A copy for each caller: raising a shared exception would extend one traceback again and again.
            future.set_exception(StoreUnavailable(*result.args))
        elif isinstance(result, Exception):
            future.set_exception(result)
        else:
            future.set_result(result)


def pad_to_power_of_two(keys: Sequence[Key]) -> list[Key]:
    """Repeat the last key until the length is a power of two, so that a driver prepares 9 statements, not 256."""
    return [*keys, *[keys[-1]] * ((1 << (len(keys) - 1).bit_length()) - len(keys))]
