"""The queues of notices, driven by claim loops (app/play/queues.py).

Every change that may cause a notice adds a row to `notice_checks` in its own transaction. Processing a check makes the
outbox rows of all people concerned due: one row per person, game and channel address. A claim takes all due rows of
one person and channel. Then the person's data is read, the switchboard decides once, the channel's sender sends, and
each row gets the time of the next decision.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from app.notify.letters import LetterSender
from app.notify.push import PushSender
from app.store.people.notice_values import Channel
from app.store.people.outbox import OutboxStore

LEASE_SECONDS = 90  # longer than two time-outs of a look-up and a request


class CheckQueue:
    """Games to be checked for notices."""

    name = "notice_checks"

    def __init__(self, store: OutboxStore, clock: Callable[[], float], on_due: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._on_due = on_due  # called when outbox rows have become due

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[tuple[str, int]]:
        return await self._store.claim_checks(int(self._clock()), LEASE_SECONDS, limit, skip_keys)

    def key(self, row: tuple[str, int]) -> str:
        return row[0]

    def owner(self, _row: tuple[str, int]) -> str | None:
        return None

    async def process(self, row: tuple[str, int]) -> None:
        try:
            is_due = await self._store.fan_out(*row, int(self._clock()))
        except Exception:
            await self._store.release_check(row[0])  # the claim loop decides when to retry
            raise
        if is_due:
            self._on_due()


class ChannelQueue:
    """People with due rows in one channel. Their id is the key, so claims of a person never overlap."""

    def __init__(
        self,
        channel: Channel,
        store: OutboxStore,
        sender: PushSender | LetterSender,
        clock: Callable[[], float],
    ) -> None:
        self.name = channel
        self._channel = channel
        self._store = store
        self._sender = sender
        self._clock = clock

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[str]:
        skip = {*skip_keys, *skip_owners}
        return await self._store.claim_outbox(self._channel, int(self._clock()), LEASE_SECONDS, limit, skip)

    def key(self, row: str) -> str:
        return row

    def owner(self, row: str) -> str | None:
        return row

    async def process(self, row: str) -> None:
        now = int(self._clock())
        try:
            recipient = await self._store.read_recipient(row, now)
            settled = await self._sender.send(recipient, now) if recipient is not None else []
            await self._store.settle(row, self._channel, settled)
        except Exception:
            await self._store.release_outbox(row, self._channel)  # the claim loop decides when to retry
            raise
