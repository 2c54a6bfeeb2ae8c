"""The queues of notices, driven by claim loops (app/play/queues.py).

What may give rise to a notice writes a row of `notice_checks` in its own transaction. A check makes the rows of the
outbox due for everyone whom the game concerns: one row per person, game and channel address. A claim takes all due
rows of one person and channel; then everything about the person is read, the switchboard decides once, the channel's
sender sends, and each row is settled with the time to decide about it again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from app.notify.letters import LetterSender
from app.notify.mail import Mailer
from app.notify.outbound import Congested
from app.notify.ports import Channel, OutboxStore, Pushed, Recipient, Settled
from app.notify.push import CONGESTED_RETRY_SECONDS, PushSender
from app.notify.switchboard import Plan, decide_letter, for_push, plan
from app.settings import Settings

LEASE_SECONDS = 90  # longer than two time-outs of a look-up and a post


class CheckQueue:
    """Games in which something happened."""

    name = "notice_checks"

    def __init__(self, store: OutboxStore, clock: Callable[[], float], on_due: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._on_due = on_due  # rows of the outbox have become due

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
    """People with due rows in one channel. The key is the person: no two claims of a person overlap."""

    def __init__(
        self,
        channel: Channel,
        settings: Settings,
        store: OutboxStore,
        mailer: Mailer,
        sender: PushSender | LetterSender,
        clock: Callable[[], float],
    ) -> None:
        self.name = channel
        self._channel = channel
        self._settings = settings
        self._store = store
        self._mailer = mailer
        self._sender = sender
        self._clock = clock

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[str]:
        people = {*skip_keys, *skip_owners}
        return await self._store.claim_outbox(self._channel, int(self._clock()), LEASE_SECONDS, limit, people)

    def key(self, row: str) -> str:
        return row

    def owner(self, row: str) -> str | None:
        return row

    async def process(self, row: str) -> None:
        try:
            await self._process(row)
        except Exception:
            await self._store.release_outbox(row, self._channel)  # the claim loop decides when to retry
            raise

    async def _process(self, row: str) -> None:
        now = int(self._clock())
        recipient = await self._store.recipient(row, now)
        settled: list[Settled] = []
        if recipient is not None:
            interval = round(self._settings.digest_minutes * 60)
            is_push = isinstance(self._sender, PushSender)
            made = plan(
                for_push(recipient) if is_push else recipient,
                now,
                interval,
                mails=self._mailer.is_open,
                calls=self._settings.calls_webhooks,
                pushes=self._settings.push,
            )
            if isinstance(self._sender, PushSender):
                settled = await self._sender.send(recipient, made, now)
            else:
                settled = await self._send_letter(self._sender, recipient, made, now, interval)
        await self._store.settle(row, self._channel, settled, now)

    async def _send_letter(
        self, sender: LetterSender, recipient: Recipient, made: Plan, now: int, interval: int
    ) -> list[Settled]:
        is_told, retry_at = False, now + interval
        if made.has_letters:
            try:
                is_told = await sender.send(recipient, made, now)
            except Congested:
                retry_at = now + CONGESTED_RETRY_SECONDS
        told = {item.game: item for item in (*made.mail, *made.webhook)}
        next_at = decide_letter(recipient, made if is_told else Plan(), now, interval)
        if not is_told:
            next_at |= dict.fromkeys(told, retry_at)
            told = {}
        settled = []
        for game, at in next_at.items():
            row = recipient.letters.get(game, Pushed())
            if (item := told.get(game)) is not None:
                row = Pushed(item.event, item.key, item.seq, now, now, 0, row.n)
            settled.append(Settled("", game, row, at))
        return settled
