"""One round of telling: the switchboard decides for each person; letters and calls go out, pushes are written down."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol

from app.notify import switchboard
from app.notify import words as texts
from app.notify.mail import Mailer, MailFailed
from app.notify.ports import Browser, NewPush, NoticeBook, PushBook, Recipient, Waiting, Words
from app.notify.switchboard import Plan
from app.notify.webhook import WebhookFailed, Webhooks
from app.settings import Settings

log = logging.getLogger("cartagena.notify")
_AT_ONCE = 8  # receivers talked to at the same time
_LEASE = (
    60  # seconds; a worker that dies in a round holds up the next one no longer, and two at once do no harm
)
_DAY = 86_400
_LIVE = 600  # seconds that it is news that a table is full or has begun
_MARKUP = str.maketrans({letter: "\\" + letter for letter in "\\*_~`|>[]()#<@:"})


class Noticed(Protocol):
    """Counts what was sent."""

    def noticed(self, way: str, outcome: str) -> None: ...


class Notifier:
    """Tells people what they want to hear. What there is to tell is read from the games themselves, each round anew,
    so that nothing is lost with a worker; what was told is kept with the person and with each browser.

    For e-mail and webhook a worker first claims a person (so two workers never both write), then tells, then notes
    what was told: a crash in between means being told again after the interval, never more often than that. A push
    is written down once and sent by push.py.
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
        pushes: PushBook | None = None,
    ) -> None:
        self._settings = settings
        self._book = book
        self._mailer = mailer
        self._webhooks = webhooks
        self._counts = counts
        self._clock = clock
        self._words = words
        self._pushes = pushes
        self._rounds = asyncio.Lock()

    async def round(self) -> int:
        """How many people were told, or will be by the pushes that are written down now."""
        async with self._rounds:
            return await self._round()

    async def _round(self) -> int:
        now = int(self._clock())
        if not await self._book.lease(now, _LEASE):
            return 0
        told, after = 0, ""
        try:
            while people := await self._book.recipients(now, after):
                after = people[-1].player
                told += await self._tell_all(people, now)
        finally:
            await self._book.end_lease()
        return told

    async def _tell_all(self, people: Any, now: int) -> int:
        turns = asyncio.Semaphore(_AT_ONCE)

        async def tell(recipient: Recipient) -> bool:
            async with turns:
                return await self._tell(recipient, now)

        return sum(await asyncio.gather(*(tell(each) for each in people)))

    async def _tell(self, recipient: Recipient, now: int) -> bool:
        settings = self._settings
        plan = switchboard.plan(
            recipient,
            now,
            round(settings.digest_minutes * 60),
            mails=self._mailer.is_open,
            calls=settings.calls_webhooks,
            pushes=self._pushes is not None,
        )
        if self._pushes is not None:
            for browser in recipient.browsers:
                await self._withdraw(self._pushes, browser, recipient, now)
        if plan.digest is not None and not await self._book.digested(recipient.player, plan.digest):
            return False
        well = False
        if self._pushes is not None and plan.push:
            for browser in recipient.browsers:
                well |= await self._push(self._pushes, browser, recipient, plan, now)
        if plan.mail or plan.webhook:
            well |= await self._write(recipient, plan, now)
        return well

    # -- pushes ------------------------------------------------------------------------------------

    async def _push(
        self, book: PushBook, browser: Browser, recipient: Recipient, plan: Plan, now: int
    ) -> bool:
        if plan.digest is not None:
            count = {"count": len(plan.push)}
            return (
                await book.enqueue(
                    [NewPush(browser.id, "", "digest", plan.digest, 0, count, now + _DAY)], now
                )
                > 0
            )
        fresh = []
        for item in switchboard.fresh_for(browser, plan.push):
            if switchboard.is_same_turn(browser, item) and not await self._book.acted_since(
                item.game, browser.pushed[item.game].seq, recipient.player
            ):
                await book.note_mark(browser.id, item.game, switchboard.mark_of(item))
            else:
                fresh.append(item)
        are_many = len(fresh) > switchboard.SINGLE
        new = [_new_push(browser, item, now, is_told=are_many) for item in fresh]
        if are_many:
            count = {"count": len(plan.push)}
            new.append(NewPush(browser.id, "", "digest", f"at:{now}", 0, count, now + _DAY))
        return bool(new) and await book.enqueue(new, now) > 0

    async def _withdraw(self, book: PushBook, browser: Browser, recipient: Recipient, now: int) -> None:
        """What does not wait any more is taken back where it was shown, or not sent at all."""
        over = switchboard.over_for(browser, recipient)
        shown = [
            game
            for game in over
            if browser.takes_silent
            and browser.pushed[game].sent_at is not None
            and browser.pushed[game].event in ("turn", "time")
        ]
        if shown:
            gone = [NewPush(browser.id, game, "gone", "gone", 0, {}, now + _DAY) for game in shown]
            await book.enqueue(gone, now)
        if rest := [game for game in over if game not in shown]:
            await book.forget(browser.id, rest)

    # -- e-mail and webhook ------------------------------------------------------------------------

    async def _write(self, recipient: Recipient, plan: Plan, now: int) -> bool:
        if not await self._book.claim(recipient.player, recipient.told_at, now):
            return False
        well = False
        if plan.mail and recipient.email is not None:
            well |= await self._mail(recipient, recipient.email, plan.mail)
        if plan.webhook and recipient.webhook is not None and recipient.webhook_key is not None:
            well |= await self._call(recipient, recipient.webhook, recipient.webhook_key, plan.webhook, now)
        if well:
            await self._book.told(recipient.player, [item.key for item in plan.mail or plan.webhook])
        return well

    async def _mail(self, recipient: Recipient, email: str, items: tuple[Waiting, ...]) -> bool:
        stop_url = f"{self._settings.public_url.rstrip('/')}/stop/{recipient.stop_token}"
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
        self, recipient: Recipient, url: str, key: str, items: tuple[Waiting, ...], now: int
    ) -> bool:
        make = self.channel_body if recipient.webhook_form == "discord" else self.body
        try:
            await self._webhooks.call(url, key, make(recipient, items, now), now)
        except WebhookFailed as problem:
            log.warning("webhook failed", extra={"fields": {"player": recipient.player, "why": str(problem)}})
            self._counts.noticed("webhook", "failed")
            await self._book.webhook_answered(recipient.player, False)
            return False
        self._counts.noticed("webhook", "sent")
        await self._book.webhook_answered(recipient.player, True)
        return True

    def body(self, recipient: Recipient, items: tuple[Waiting, ...], now: int) -> dict[str, Any]:
        """What a webhook is told: which games, where, until when; nothing of what is in them."""
        base = self._settings.public_url.rstrip("/")
        turns = [item for item in items if item.event == "turn" or item.is_opening]
        return {
            "event": "your_turn" if turns else items[0].event,
            "at": now * 1000,
            "player": recipient.player,
            "games": [
                {
                    "id": item.game,
                    "title": item.title,
                    "url": f"{base}/g/{item.game}",
                    "deadline": item.deadline,
                    "waits_for": "opening"
                    if item.is_opening
                    else "move"
                    if item.event in ("turn", "time")
                    else None,
                    **({} if item in turns else {"event": item.event}),
                }
                for item in items
            ],
        }

    def channel_body(self, recipient: Recipient, items: tuple[Waiting, ...], _now: int) -> dict[str, Any]:
        """The same as a line in a club's channel, in the shape that Discord takes. Names and titles are no markup."""
        base = self._settings.public_url.rstrip("/")

        def say(source: str, **values: object) -> str:
            return self._words(recipient.language, source, **values)

        lines = []
        for item in items[:10]:
            table = f"[{_plain(item.title) or 'Cartagena'}](<{base}/g/{item.game}>)"
            if item.event in ("turn", "time"):
                lines.append(say(texts.THEIR_TURN, name=_plain(recipient.name), table=table))
            else:
                lines.append(f"{_plain(recipient.name)}: {say(texts.headline(item))}: {table}")
        return {"content": "\n".join(lines)[:2000], "allowed_mentions": {"parse": []}}


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKUP)


def _new_push(browser: Browser, item: Waiting, now: int, *, is_told: bool) -> NewPush:
    expires = now + (_DAY if item.event in ("invited", "rematch") else _LIVE)
    if item.deadline is not None:
        expires = item.deadline // 1000
    body = {"title": item.title, "headline": texts.headline(item), "deadline": item.deadline}
    mark = switchboard.mark_of(item)
    return NewPush(browser.id, item.game, item.event, mark, item.seq, body, expires, is_told)
