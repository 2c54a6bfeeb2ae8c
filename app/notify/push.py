"""Sending pushes: what is due is leased, encrypted and posted, a bounded number at a time and a few to one host, beside
everything else the server does. A push service that is slow, refuses or is gone costs nobody a move.

A claim is small, and leaves out hosts at which pushes wait already: a slow one never has all the room."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from app.notify import words as texts
from app.notify.digest import Noticed
from app.notify.outbound import Answer, NotReached, Outbound
from app.notify.ports import DuePush, PushBook, Waiting, Words
from app.notify.switchboard import is_quiet, is_wanted
from app.notify.webpush import authorization, encoded, encrypt, topic
from app.play.ports import StoreUnavailable
from app.settings import Settings

log = logging.getLogger("cartagena.push")
AT_ONCE = 32
A_HOST = 4  # at once to one host
A_CLAIM = 8  # claimed in one go: with A_HOST under way, the most that are held for one host
IN_LINE = 10.0  # seconds that a push waits for its turn at a host
LEASE = 60  # seconds; longer than waiting in line, a look-up and a post can take
_BUSY = 5  # seconds until one that waited in vain is tried again
_QUIET = 600  # seconds until somebody who wants to hear nothing now is looked at again
_FIRST_WAIT = 30
_LONGEST_WAIT = 6 * 3600
_REFUSED_REST = 6 * 3600  # until a push service that does not believe us is asked again
_LONGEST_RETRY = 86_400
_LONGEST_TTL = 28 * 86_400
_URGENCY = {"time": "high", "table": "high", "gone": "low"}


@dataclass(slots=True)
class _Line:
    """The pushes for one host: A_HOST under way, the others waiting."""

    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(A_HOST))
    count: int = 0


class PushSender:
    """Sends what the book says is due. `round` begins as much as there is room for and waits for none of it; when there
    was more than that, the next one begins as soon as there is room again."""

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
        self._lines: dict[str, _Line] = {}
        self._claiming = asyncio.Lock()
        self._was_full = False  # the last round ended for want of room
        self._left_out: frozenset[str] = frozenset()  # hosts at which too many waited then
        self._next: asyncio.Task[None] | None = None
        self._is_stopped = False

    async def round(self) -> int:
        """How many were begun."""
        begun = 0
        async with self._claiming:
            self._was_full = False
            while (room := min(A_CLAIM, AT_ONCE - len(self._tasks))) > 0:
                self._left_out = self._crowded()
                due = await self._book.claim_due(self._now(), LEASE, room, self._left_out)
                for push in due:
                    self._begin(push)
                begun += len(due)
                if len(due) < room:
                    break
            else:
                self._was_full = True
        self._go_on()
        return begun

    def _begin(self, push: DuePush) -> None:
        self._lines.setdefault(_host(push), _Line()).count += 1
        task = asyncio.get_running_loop().create_task(self._send(push))
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._go_on()

    def _crowded(self) -> frozenset[str]:
        """Hosts at which some wait."""
        return frozenset(host for host, line in self._lines.items() if line.count > A_HOST)

    def _go_on(self) -> None:
        """Begins the next round, where the last one left something and there is room for it now."""
        if self._next is not None or self._is_stopped or self._claiming.locked():
            return
        has_room = self._was_full and AT_ONCE - len(self._tasks) >= A_CLAIM
        if has_room or self._left_out - self._crowded():
            self._was_full, self._left_out = False, frozenset()
            self._next = asyncio.get_running_loop().create_task(self._next_round())

    async def _next_round(self) -> None:
        try:
            await self.round()
        except StoreUnavailable:
            log.warning("the store does not answer; the next round of pushes will try again")
        except Exception:
            log.exception("a round of pushes failed")
        finally:
            self._next = None
        self._go_on()

    async def finish(self) -> None:
        """Waits for all that was begun."""
        while under_way := self._under_way():
            await asyncio.wait(under_way)

    async def stop(self) -> None:
        """Ends it; what was under way is somebody's again when its lease lapses."""
        self._is_stopped = True
        under_way = self._under_way()
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)

    def _under_way(self) -> list[asyncio.Task[None]]:
        return [*self._tasks, *([self._next] if self._next is not None else [])]

    def _now(self) -> int:
        return int(self._clock())

    async def _send(self, push: DuePush) -> None:
        host = _host(push)
        line = self._lines[host]
        try:
            if not await _has_place(line):
                await self._book.later(push, self._now() + _BUSY, counts=False)
                return
            try:
                await self._try(push)
            finally:
                line.places.release()
        except StoreUnavailable:
            log.warning("the store does not answer; a push waits until its lease is over")
        except Exception:
            log.exception("a push failed")
            self._counts.noticed("push", "failed")
        finally:
            line.count -= 1
            if not line.count:
                del self._lines[host]

    async def _try(self, push: DuePush) -> None:
        now = self._now()
        if push.expires_at <= now:
            self._counts.noticed("push", "expired")
            await self._book.drop(push)
            return
        found = await self._book.wanted(push)
        if found is None:
            return  # played, replaced or signed out meanwhile
        wishes, title = found
        if push.event != "gone":  # taking back what was shown disturbs nobody
            if not is_wanted(wishes, Waiting(push.game, title, None, event=push.event)):
                await self._book.drop(push)
                return
            if is_quiet(wishes, now):
                await self._book.later(push, now + _QUIET, counts=False)
                return
        await self._note(push, urlsplit(push.endpoint).netloc, await self._post(push, title))

    async def _post(self, push: DuePush, title: str) -> Answer | None:
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
        message = json.dumps(self.message(push, title), separators=(",", ":"), ensure_ascii=False).encode()
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
            # It would not be taken the next time either: it counts as told, so that it is not written down again.
            log.warning("a push was not taken", extra={"fields": fields})
            await self._book.sent(push, now)
            self._counts.noticed("push", "failed")

    def contact(self) -> str:
        """Whom a push service may ask about us (RFC 8292: an https or mailto address)."""
        if self._settings.is_https:
            return self._settings.public_url.rstrip("/")
        address = parseaddr(self._settings.mail_from)[1]
        return f"mailto:{address}" if address else ""

    def message(self, push: DuePush, title: str) -> dict[str, Any]:
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
            "body": " ".join(title.split())[:200] or "Cartagena",
            "url": f"/g/{push.game}",
        }
        if body.get("deadline") is not None:
            told |= {"deadline": body["deadline"], "due": say(texts.DUE, when="{when}")}
        return told


def _host(push: DuePush) -> str:
    """Its push service, as the book leaves it out."""
    parts = urlsplit(push.endpoint)
    return f"{parts.scheme}://{parts.netloc}".lower()


async def _has_place(line: _Line) -> bool:
    """Waits for one; False when that takes too long."""
    try:
        async with asyncio.timeout(IN_LINE):
            await line.places.acquire()
    except TimeoutError:
        return False
    return True


def _retry_after(text: str, now: int) -> int:
    """Seconds, from a number or a date; what is neither asks for nothing."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(_LONGEST_RETRY, int(text))
    try:
        return min(_LONGEST_RETRY, max(0, int(parsedate_to_datetime(text).timestamp()) - now))
    except (ValueError, TypeError, OverflowError):
        return 0
