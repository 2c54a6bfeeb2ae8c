"""One round of telling: who has a new turn hears of all games at once, at most once an interval."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol

from app.notify import words as texts
from app.notify.mail import Mailer, MailFailed
from app.notify.ports import NoticeBook, Recipient, Words
from app.notify.webhook import WebhookFailed, Webhooks
from app.settings import Settings

log = logging.getLogger("cartagena.notify")
_AT_ONCE = 8  # receivers talked to at the same time


class Noticed(Protocol):
    """Counts what was sent."""

    def noticed(self, way: str, outcome: str) -> None: ...


class Notifier:
    """Tells people that games wait for them.

    A worker first claims a person (so two workers never both write), then tells, then notes what was
    told. A crash in between means being told again after the interval, never more often than that.
    """

    def __init__(
        self,
        settings: Settings,
        book: NoticeBook,
        mailer: Mailer,
        webhooks: Webhooks,
        counts: Noticed,
        clock: Callable[[], float],
        words: Words = texts.in_english,
    ) -> None:
        self._settings = settings
        self._book = book
        self._mailer = mailer
        self._webhooks = webhooks
        self._counts = counts
        self._clock = clock
        self._words = words

    async def round(self) -> int:
        """How many people were told."""
        now = int(self._clock())
        interval = round(self._settings.digest_minutes * 60)
        due = [each for each in await self._book.recipients(now - interval) if _has_news(each)]
        turns = asyncio.Semaphore(_AT_ONCE)

        async def tell(recipient: Recipient) -> bool:
            async with turns:
                return await self._tell(recipient, now)

        return sum(await asyncio.gather(*(tell(each) for each in due)))

    async def _tell(self, recipient: Recipient, now: int) -> bool:
        if not await self._book.claim(recipient.player, recipient.told_at, now):
            return False
        well = False
        if recipient.email is not None and self._mailer.is_open:
            well |= await self._mail(recipient, recipient.email)
        if (
            recipient.webhook is not None
            and recipient.webhook_key is not None
            and self._settings.calls_webhooks
        ):
            well |= await self._call(recipient, recipient.webhook, recipient.webhook_key, now)
        if well:
            await self._book.told(recipient.player, [game.key for game in recipient.waiting])
        return well

    async def _mail(self, recipient: Recipient, email: str) -> bool:
        stop_url = f"{self._settings.public_url.rstrip('/')}/stop/{recipient.stop_token}"
        subject, text = texts.digest(
            self._words, self._settings, recipient.language, recipient.name, recipient.waiting, stop_url
        )
        try:
            await self._mailer.send(email, subject, text, stop_url)
        except MailFailed as problem:
            log.warning("mail failed", extra={"fields": {"player": recipient.player, "why": str(problem)}})
            self._counts.noticed("mail", "failed")
            return False
        self._counts.noticed("mail", "sent")
        return True

    async def _call(self, recipient: Recipient, url: str, key: str, now: int) -> bool:
        try:
            await self._webhooks.call(url, key, self.body(recipient, now), now)
        except WebhookFailed as problem:
            log.warning("webhook failed", extra={"fields": {"player": recipient.player, "why": str(problem)}})
            self._counts.noticed("webhook", "failed")
            await self._book.webhook_answered(recipient.player, False)
            return False
        self._counts.noticed("webhook", "sent")
        await self._book.webhook_answered(recipient.player, True)
        return True

    def body(self, recipient: Recipient, now: int) -> dict[str, Any]:
        """What a webhook is told: which games, where, until when; nothing of what is in them."""
        base = self._settings.public_url.rstrip("/")
        return {
            "event": "your_turn",
            "at": now * 1000,
            "player": recipient.player,
            "games": [
                {
                    "id": game.game,
                    "title": game.title,
                    "url": f"{base}/g/{game.game}",
                    "deadline": game.deadline,
                    "waits_for": "opening" if game.is_opening else "move",
                }
                for game in recipient.waiting
            ],
        }


def _has_news(recipient: Recipient) -> bool:
    return any(game.key not in recipient.told_of for game in recipient.waiting)
