"""Passwords of tables: hashed and checked in a thread of their own, one at a time, shared fairly between askers.

A password that fits is remembered as a digest under a key of this process, so that a client which connects again, and
everybody else at the same table, needs no second hash. Checks of one password at one table that wait at the same time
share a single hash.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from app.bots.fair_queue import QueueFull, ShareOf
from app.play.fair_threads import FairThreads
from app.play.log.terms import check_password, hash_of
from app.play.refusals import Refusal

MAX_QUEUED = 256  # about two seconds of hashing
MAX_REMEMBERED = 4096  # tables whose password was checked here

Found = TypeVar("Found")


class TablePasswords:
    """Hashes and checks table passwords for one worker. An asker is a person, by id, or an address."""

    def __init__(self, share_of: ShareOf = lambda asker: (asker,)) -> None:
        self._share_of = share_of
        self._thread = FairThreads(1, "table-password", MAX_QUEUED)
        self._key = secrets.token_bytes(32)
        self._fitting: OrderedDict[str, bytes] = OrderedDict()  # hash → digest of the password that fits
        self._under_way: dict[tuple[str | None, bytes], asyncio.Future[bool]] = {}

    async def hash(self, password: str, asker: str) -> str:
        """Return the salted hash that is stored. Raises Refusal `too_fast`."""
        return await self._run(asker, lambda: hash_of(password))

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
            check = asyncio.ensure_future(self._run(asker, lambda: check_password(password_hash, password)))
            self._under_way[key] = check
            check.add_done_callback(lambda done: self._on_checked(key, done))
        return await asyncio.shield(check)

    async def _run(self, asker: str, work: Callable[[], Found]) -> Found:
        try:
            return await self._thread.run(self._share_of(asker), work)
        except QueueFull:
            raise Refusal("too_fast") from None

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
