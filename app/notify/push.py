"""Sending pushes: what is due is leased, encrypted and posted, a bounded number at a time and a few to one host, beside
everything else the server does. A push service that is slow, refuses or is gone costs nobody a move."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import Counter
from collections.abc import Callable
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from app.notify import words as texts
from app.notify.digest import Noticed
from app.notify.outbound import Answer, NotReached, Outbound
from app.notify.ports import DuePush, PushBook, Words
from app.notify.webpush import authorization, encoded, encrypt, topic
from app.play.ports import StoreUnavailable
from app.settings import Settings

log = logging.getLogger("cartagena.push")
AT_ONCE = 32
A_HOST = 4  # at once to one host, so that a slow one leaves room for the others
LEASE = 60  # seconds; longer than a look-up and a post can take
_BUSY = 5  # seconds until a host that had its share is tried again
_FIRST_WAIT = 30
_LONGEST_WAIT = 6 * 3600
_REFUSED_REST = 6 * 3600  # until a push service that does not believe us is asked again
_LONGEST_RETRY = 86_400
_LONGEST_TTL = 28 * 86_400
_URGENCY = {"time": "high", "table": "high", "gone": "low"}


class PushSender:
    """Sends what the book says is due. `round` begins as much as there is room for and waits for none of it."""

    def __init__(
        self,
        settings: Settings,
        book: PushBook,
        outbound: Outbound,
        counts: Noticed,
        clock: Callable[[], float],
        words: Words = texts.in_english,
    ) -> None:
        self._settings = settings
        self._book = book
        self._outbound = outbound
        self._counts = counts
        self._clock = clock
        self._words = words
        self._tasks: set[asyncio.Task[None]] = set()
        self._hosts: Counter[str] = Counter()

    async def round(self) -> int:
        """How many were begun."""
        room = AT_ONCE - len(self._tasks)
        if room <= 0:
            return 0
        due = await self._book.claim_due(self._now(), LEASE, room)
        for push in due:
            task = asyncio.get_running_loop().create_task(self._send(push))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return len(due)

    async def finish(self) -> None:
        """Waits for all that was begun."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    async def stop(self) -> None:
        """Ends it; what was under way is somebody's again when its lease lapses."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _now(self) -> int:
        return int(self._clock())

    async def _send(self, push: DuePush) -> None:
        host = urlsplit(push.endpoint).netloc
        try:
            if push.expires_at <= self._now():
                self._counts.noticed("push", "expired")
                await self._book.drop(push)
                return
            if self._hosts[host] >= A_HOST:
                await self._book.later(push, self._now() + _BUSY, counts=False)
                return
            self._hosts[host] += 1
            try:
                answer = await self._post(push)
            finally:
                self._hosts[host] -= 1
                if not self._hosts[host]:
                    del self._hosts[host]
            await self._note(push, host, answer)
        except StoreUnavailable:
            log.warning("the store does not answer; a push waits until its lease is over")
        except Exception:
            log.exception("a push failed")
            self._counts.noticed("push", "failed")

    async def _post(self, push: DuePush) -> Answer | None:
        now = self._now()
        headers = {
            "Authorization": authorization(push.key, push.endpoint, self.contact(), now),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(min(_LONGEST_TTL, max(0, push.expires_at - now))),
            "Urgency": _URGENCY.get(push.event, "normal"),
            "Topic": topic(push.game, push.browser),
            "User-Agent": "cartagena-push",
        }
        message = json.dumps(self.message(push), separators=(",", ":"), ensure_ascii=False).encode()
        try:
            return await self._outbound.post(push.endpoint, encrypt(message, push.p256dh, push.auth), headers)
        except NotReached:
            return None

    async def _note(self, push: DuePush, host: str, answer: Answer | None) -> None:
        now = self._now()
        status = answer.status if answer is not None else 0
        fields = {"host": host, "status": status}
        if 200 <= status < 300:
            await self._book.sent(push, now)
            await self._book.believed(push)
            self._counts.noticed("push", "sent")
        elif status in (404, 410):
            await self._book.end(push.browser)
            self._counts.noticed("push", "gone")
        elif status in (401, 403):
            # A wrong clock or key must not end everybody's subscriptions: they are kept, and the operator is told.
            log.error(
                "a push service does not believe that it is us; look at the clock and at `cartagena admin push-keys`",
                extra={"fields": fields},
            )
            await self._book.refused(push, now, now + _REFUSED_REST)
            self._counts.noticed("push", "refused")
        elif status == 0 or status == 429 or status >= 500:
            wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** min(push.attempts, 20))
            asked = _retry_after(answer.retry_after, now) if answer is not None else 0
            await self._book.later(push, now + max(wait, asked))
            self._counts.noticed("push", "delayed")
        else:
            log.warning("a push was not taken", extra={"fields": fields})
            await self._book.drop(push)
            self._counts.noticed("push", "failed")

    def contact(self) -> str:
        """Whom a push service may ask about us (RFC 8292: an https or mailto address)."""
        if self._settings.is_https:
            return self._settings.public_url.rstrip("/")
        address = parseaddr(self._settings.mail_from)[1]
        return f"mailto:{address}" if address else ""

    def message(self, push: DuePush) -> dict[str, Any]:
        """What the service worker shows: where to look, and nothing of what is in the game."""
        tag = topic(push.game, push.browser)
        if push.event == "gone":
            return {"v": 1, "t": push.event, "tag": tag}

        def say(source: str, **values: object) -> str:
            return self._words(push.language, source, **values)

        body = push.body
        told: dict[str, Any] = {
            "v": 1,
            "t": push.event,
            "tag": tag,
            # The same notice sent twice (a crash between sending and noting it) makes no second sound.
            "id": encoded(hashlib.sha256(f"{tag}:{push.event}:{push.mark}".encode()).digest())[:16],
            "lang": push.language,
        }
        if not push.game:
            return {**told, "title": say(texts.MANY, count=body["count"]), "body": "", "url": "/me"}
        told |= {
            "title": say(body["headline"]),
            "body": " ".join(body["title"].split())[:200] or "Cartagena",
            "url": f"/g/{push.game}",
        }
        if body.get("deadline") is not None:
            told |= {"deadline": body["deadline"], "due": say(texts.DUE, when="{when}")}
        return told


def _retry_after(text: str, now: int) -> int:
    """Seconds, from a number or a date; what is neither asks for nothing."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(_LONGEST_RETRY, int(text))
    try:
        return min(_LONGEST_RETRY, max(0, int(parsedate_to_datetime(text).timestamp()) - now))
    except (ValueError, TypeError):
        return 0
