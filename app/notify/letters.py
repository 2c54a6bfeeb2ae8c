"""The sender of letters: the e-mail to a person, the call of their webhook, or both, about all games that wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

from app.notify import words as texts
from app.notify.mail import Mailer, MailFailed
from app.notify.outbound import Congested
from app.notify.ports import NoticeCounter, OutboxStore, Recipient, Waiting, Words
from app.notify.switchboard import Plan
from app.notify.webhook import WebhookFailed, Webhooks, body, channel_body
from app.settings import Settings

log = logging.getLogger("cartagena.notify")


class LetterSender:
    """Writes one letter under a plan. It is claimed first, so that workers of all releases write no second one within
    the interval; a crash before it is noted means another letter after the interval."""

    def __init__(
        self,
        settings: Settings,
        store: OutboxStore,
        mailer: Mailer,
        webhooks: Webhooks,
        counts: NoticeCounter,
        words: Words = texts.in_english,
    ) -> None:
        self._settings = settings
        self._base = settings.public_url.rstrip("/")
        self._store = store
        self._mailer = mailer
        self._webhooks = webhooks
        self._counts = counts
        self._words = words

    async def send(self, recipient: Recipient, made: Plan, now: int) -> bool:
        """Return whether the person was told; raise Congested if nothing could be sent for want of capacity here.

        An unexpected error of one way is raised after the other way has ended.
        """
        player = recipient.player
        if not await self._store.claim_letter(player, recipient.told_at, now):
            return False
        ways: list[Coroutine[Any, Any, bool]] = []
        if made.mail and recipient.email is not None:
            ways.append(self._mail(recipient, recipient.email, made.mail))
        if made.webhook and recipient.webhook is not None and recipient.webhook_key is not None:
            ways.append(self._call(recipient, recipient.webhook, recipient.webhook_key, made.webhook, now))
        outcomes = await asyncio.gather(*ways, return_exceptions=True)
        is_told = True in outcomes
        if is_told:
            keys = [item.key for item in made.mail or made.webhook]
            await self._store.note_letter(player, keys, made.digest)
        faults = [
            each for each in outcomes if isinstance(each, BaseException) and not isinstance(each, Congested)
        ]
        if faults:
            raise faults[0]
        if not is_told and False not in outcomes:
            await self._store.unclaim_letter(player, recipient.told_at, now)
            raise Congested
        return is_told

    async def _mail(self, recipient: Recipient, email: str, items: Sequence[Waiting]) -> bool:
        stop_url = f"{self._base}/stop/{recipient.stop_token}"
        subject, text = texts.digest(
            self._words, self._settings, recipient.language, recipient.name, items, stop_url
        )
        try:
            await self._mailer.send(email, subject, text, stop_url)
        except MailFailed as problem:
            log.warning("mail failed", extra={"fields": {"player": recipient.player, "why": str(problem)}})
            self._counts.noticed("mail", "failed")
            return False
        self._counts.noticed("mail", "sent")
        return True

    async def _call(
        self, recipient: Recipient, url: str, key: str, items: Sequence[Waiting], now: int
    ) -> bool:
        player = recipient.player
        if recipient.webhook_form == "discord":
            told = channel_body(self._words, self._base, recipient, items)
        else:
            told = body(self._base, recipient, items, now)
        try:
            await self._webhooks.call(url, key, told, now, owner=player)
        except WebhookFailed as problem:
            log.warning("webhook failed", extra={"fields": {"player": player, "why": str(problem)}})
            self._counts.noticed("webhook", "failed")
            await self._store.count_webhook(player, is_answered=False)
            return False
        self._counts.noticed("webhook", "sent")
        await self._store.count_webhook(player, is_answered=True)
        return True
