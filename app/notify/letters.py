"""Sends letters: an e-mail, a webhook call or both, about all games for which a person has pending notices."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.notify import words as texts
from app.notify.mail import Mailer, MailFailed
from app.notify.mail_html import compose_digest_html
from app.notify.outbound import CONGESTED_RETRY_SECONDS, Congested
from app.notify.switchboard import Plan, Planner, decide_letter
from app.notify.webhook import WebhookFailed, Webhooks, make_body, make_discord_body
from app.notify.words import Translate
from app.settings import Settings
from app.store.people.notice_values import OutboxRow, PendingNotice, Recipient, SettledRow
from app.store.people.outbox import OutboxStore

_log = logging.getLogger("cartagena.notify")


class LetterSender:
    """Sends one letter according to a plan.

    The letter is claimed first, so that no worker of any release sends a second one within the interval. If the worker
    crashes before the letter is recorded, another one is sent after the interval.
    """

    def __init__(
        self,
        settings: Settings,
        make_plan: Planner,
        store: OutboxStore,
        mailer: Mailer,
        webhooks: Webhooks,
        on_notice: Callable[[str, str], None],
        translate: Translate,
    ) -> None:
        self._settings = settings
        self._make_plan = make_plan
        self._base_url = settings.public_url.rstrip("/")
        self._store = store
        self._mailer = mailer
        self._webhooks = webhooks
        self._on_notice = on_notice
        self._translate = translate

    async def send(self, recipient: Recipient, now: int) -> list[SettledRow]:
        """Send the letter that is due, if any; return the new state of the rows."""
        interval = round(self._settings.digest_minutes * 60)
        plan = self._make_plan(recipient, now)
        is_sent, retry_at = False, now + interval
        if plan.has_letters:
            try:
                is_sent = await self._send(recipient, plan, now)
            except Congested:
                retry_at = now + CONGESTED_RETRY_SECONDS
        covered = {item.game: item for item in (*plan.mail, *plan.webhook)}
        next_at = decide_letter(recipient, plan if is_sent else Plan(), now, interval)
        if not is_sent:
            next_at |= dict.fromkeys(covered, retry_at)
            covered = {}
        settled = []
        for game, at in next_at.items():
            row = recipient.letters.get(game, OutboxRow())
            if (item := covered.get(game)) is not None:
                row = OutboxRow(item.event, item.letter_key, item.seq, now, now, 0, row.n)
            settled.append(SettledRow("", game, row, at))
        return settled

    async def _send(self, recipient: Recipient, plan: Plan, now: int) -> bool:
        """Return whether the letter was sent; raise Congested if this server lacked the capacity to send it.

        An unexpected error of one channel is raised after the other has finished.
        """
        player = recipient.player
        if not await self._store.claim_letter(player, recipient.last_letter_at, now):
            return False
        deliveries: list[Coroutine[Any, Any, bool]] = []
        if plan.mail and recipient.email is not None:
            deliveries.append(self._mail(recipient, recipient.email, plan.mail))
        if plan.webhook and recipient.webhook is not None and recipient.webhook_key is not None:
            deliveries.append(
                self._call(recipient, recipient.webhook, recipient.webhook_key, plan.webhook, now)
            )
        outcomes = await asyncio.gather(*deliveries, return_exceptions=True)
        is_sent = True in outcomes
        if is_sent:
            keys = [item.letter_key for item in plan.mail or plan.webhook]
            await self._store.record_letter(player, keys, plan.digest)
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, Congested):
                raise outcome
        if not is_sent and False not in outcomes:
            await self._store.unclaim_letter(player, recipient.last_letter_at, now)
            raise Congested
        return is_sent

    async def _mail(self, recipient: Recipient, email: str, items: Sequence[PendingNotice]) -> bool:
        stop_url = f"{self._base_url}/stop/{recipient.stop_token}"
        subject, text = texts.compose_digest_mail(self._translate, self._settings, recipient, items, stop_url)
        html = compose_digest_html(self._translate, self._base_url, recipient, items, stop_url)
        try:
            await self._mailer.send(email, subject, text, html, stop_url)
        except MailFailed as problem:
            _log.warning("mail failed", extra={"fields": {"player": recipient.player, "why": str(problem)}})
            self._on_notice("mail", "failed")
            return False
        self._on_notice("mail", "sent")
        return True

    async def _call(
        self, recipient: Recipient, url: str, key: str, items: Sequence[PendingNotice], now: int
    ) -> bool:
        player = recipient.player
        if recipient.webhook_form == "discord":
            content = make_discord_body(self._translate, self._base_url, recipient, items)
        else:
            content = make_body(self._translate, self._base_url, recipient, items, now)
        try:
            await self._webhooks.call(url, key, content, now, owner=player)
        except WebhookFailed as problem:
            _log.warning("webhook failed", extra={"fields": {"player": player, "why": str(problem)}})
            self._on_notice("webhook", "failed")
            await self._store.record_webhook_result(player, is_answered=False)
            return False
        self._on_notice("webhook", "sent")
        await self._store.record_webhook_result(player, is_answered=True)
        return True
