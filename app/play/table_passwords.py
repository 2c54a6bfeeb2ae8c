"""Passwords of tables: hashed and checked in a thread of their own, one at a time, askers in turn.

A password that fits is remembered as a digest under a key of this process, so that a client which connects again, and
everybody else at the same table, needs no second hash. Checks of one password at one table that wait at the same time
share a single hash.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from app.play.log.terms import check_password, hash_of
from app.play.refusals import Refusal

MAX_WAITING_PER_ASKER = 8
MAX_WAITING = 64  # about half a second of hashing; an asker who has nothing waiting is still let in ...
MAX_ASKERS = 256  # ... up to so many of them
MAX_REMEMBERED = 4096  # tables whose password was checked here

Found = TypeVar("Found")


class FairThread:
    """One thread; the askers take turns, and each has a bounded queue of their own."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, name)
        self._queues: OrderedDict[str, deque[tuple[asyncio.Future[Any], Callable[[], Any]]]] = OrderedDict()
        self._is_busy = False

    def run(self, asker: str, work: Callable[[], Found]) -> asyncio.Future[Found]:
        """Return the outcome of `work`, to be awaited. Raises Refusal `too_fast` when too much waits."""
        own = len(self._queues.get(asker, ()))
        if own >= MAX_WAITING_PER_ASKER or len(self._queues) >= MAX_ASKERS:
            raise Refusal("too_fast")
        if own and sum(map(len, self._queues.values())) >= MAX_WAITING:
            raise Refusal("too_fast")
        outcome: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(asker, deque()).append((outcome, work))
        if not self._is_busy:
            self._start_next()
        return outcome

    def close(self) -> None:
        """Cancel what waits."""
        for queue in self._queues.values():
            for outcome, _ in queue:
                outcome.cancel()
        self._queues.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _start_next(self) -> None:
        self._is_busy = False
        while self._queues and not self._is_busy:
            asker, queue = self._queues.popitem(last=False)
            outcome, work = queue.popleft()
            if queue:
                self._queues[asker] = queue  # behind all other askers
            if not outcome.done():  # else the asker has gone
                self._is_busy = True
                under_way = asyncio.get_running_loop().run_in_executor(self._thread, work)
                under_way.add_done_callback(partial(self._on_done, outcome))

    def _on_done(self, outcome: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            outcome.cancel()
            return
        problem = done.exception()
        if not outcome.done():
            if problem is None:
                outcome.set_result(done.result())
            else:
                outcome.set_exception(problem)
        self._start_next()


class TablePasswords:
    """Hashes and checks table passwords for one worker."""

    def __init__(self) -> None:
        self._thread = FairThread("table-password")
        self._key = secrets.token_bytes(32)
        self._fitting: OrderedDict[str, bytes] = OrderedDict()  # hash → digest of the password that fits
        self._under_way: dict[tuple[str | None, bytes], asyncio.Future[bool]] = {}

    async def hash(self, password: str, asker: str) -> str:
        """Return the salted hash that is stored. Raises Refusal `too_fast`."""
        return await self._thread.run(asker, lambda: hash_of(password))

    async def is_right(
        self, password_hash: str | None, password: str, asker: str, charge: Callable[[], None] | None = None
    ) -> bool:
        """Return whether the password fits; None (no such table) takes as long and never does.

        `charge` is called before a hash is computed, and not where none is needed; it may raise Refusal.
        """
        digest = hmac.digest(self._key, password.encode(), hashlib.sha256)
        if password_hash is not None and password_hash in self._fitting:
            self._fitting.move_to_end(password_hash)
            if hmac.compare_digest(self._fitting[password_hash], digest):
                return True
        key = password_hash, digest
        check = self._under_way.get(key)
        if check is None:
            if charge is not None:
                charge()
            check = self._thread.run(asker, lambda: check_password(password_hash, password))
            self._under_way[key] = check
            check.add_done_callback(lambda done: self._on_checked(key, done))
        return await asyncio.shield(check)

    def _on_checked(self, key: tuple[str | None, bytes], check: asyncio.Future[bool]) -> None:
        del self._under_way[key]
        password_hash, digest = key
        if check.cancelled() or check.exception() is not None or not check.result():
            return
        assert password_hash is not None
        self._fitting[password_hash] = digest
        if len(self._fitting) > MAX_REMEMBERED:
            self._fitting.popitem(last=False)

    def close(self) -> None:
        self._thread.close()
