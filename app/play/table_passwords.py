"""Passwords of tables: hashed and checked in one thread, which callers share fairly.

A verified password is remembered as a digest under a key of this process, so that no client of the same table needs a
second hash. Concurrent checks of one password at one table share a single hash.

Spaces around a password do not count: phones add one after a word, and copied text brings some along.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import TypeVar

from cachetools import LRUCache

from app.bots.fair_queue import QueueFull, ShareOf
from app.play.fair_threads import FairThreads
from app.play.log.terms import check_password, hash_password
from app.play.refusals import Refusal

MAX_QUEUED_HASHES = 256  # about two seconds of hashing
MAX_VERIFIED_PASSWORDS = 4096  # tables whose password was checked here

ResultT = TypeVar("ResultT")


class TablePasswords:
    """Hashes and checks table passwords for one worker. An asker is a person, by id, or an address."""

    def __init__(self, share_of: ShareOf = lambda asker: (asker,)) -> None:
        self._share_of = share_of
        self._thread = FairThreads(1, "table-password", MAX_QUEUED_HASHES)
        self._key = secrets.token_bytes(32)
        # Hash → digest of its password.
        self._verified: LRUCache[str, bytes] = LRUCache(MAX_VERIFIED_PASSWORDS)
        self._checks: dict[tuple[str | None, bytes], asyncio.Future[bool]] = {}

    async def hash(self, password: str, asker: str) -> str:
        """Return the salted hash to store. Raises Refusal `too_fast`."""
        return await self._run(asker, lambda: hash_password(password.strip()))

    async def matches(
        self, password_hash: str | None, password: str, asker: str, charge: Callable[[], None] | None = None
    ) -> bool:
        """Return whether the password matches; None (no such table) takes as long and never does.

        `charge` is called before each hash that has to be computed; it may raise Refusal.
        """
        trimmed = password.strip()
        if await self._matches_exactly(password_hash, trimmed, asker, charge):
            return True
        # Release 0.1.0 stored the spaces.
        return trimmed != password and await self._matches_exactly(password_hash, password, asker, charge)

    async def _matches_exactly(
        self, password_hash: str | None, password: str, asker: str, charge: Callable[[], None] | None
    ) -> bool:
        digest = hmac.digest(self._key, password.encode(), hashlib.sha256)
        known = None if password_hash is None else self._verified.get(password_hash)
        if known is not None and hmac.compare_digest(known, digest):
            return True
        key = password_hash, digest
        check = self._checks.get(key)
        if check is None:
            if charge is not None:
                charge()
            check = asyncio.ensure_future(self._run(asker, lambda: check_password(password_hash, password)))
            self._checks[key] = check
            check.add_done_callback(lambda done: self._on_checked(key, done))
        return await asyncio.shield(check)

    async def _run(self, asker: str, work: Callable[[], ResultT]) -> ResultT:
        try:
            return await self._thread.run(self._share_of(asker), work)
        except QueueFull:
            raise Refusal("too_fast") from None

    def _on_checked(self, key: tuple[str | None, bytes], check: asyncio.Future[bool]) -> None:
        del self._checks[key]
        password_hash, digest = key
        if check.cancelled() or check.exception() is not None or not check.result():
            return
        assert password_hash is not None
        self._verified[password_hash] = digest

    def close(self) -> None:
        self._thread.close()
