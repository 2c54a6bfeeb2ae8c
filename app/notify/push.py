"""The sender of pushes: one claim covers all browsers of one person. Messages are encrypted and posted; the answers of
push services decide what becomes of the rows and the subscription.

A person's browsers share that person's capacity: two at a time, and after MAX_TIMEOUTS time-outs or SEND_SECONDS the
rest waits for the next claim, so that silent or slow endpoints delay nobody but who registered them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from app.notify import words as texts
from app.notify.outbound import Answer, Congested, NotReached, Outbound, TimedOut
from app.notify.ports import Browser, NoticeCounter, OutboxStore, Pushed, Recipient, Settled, Waiting, Words
from app.notify.switchboard import DAY, Plan, PushDecision, decide_push, expires_at, mark_of
from app.notify.webpush import BadKeys, authorization, encoded, encrypt, topic
from app.settings import Settings

log = logging.getLogger("cartagena.push")
BROWSERS_AT_ONCE = 2  # of one person
MAX_TIMEOUTS = 2  # of one person in one claim
SEND_SECONDS = 45  # of one person in one claim: with the last post it ends before the lease
CONGESTED_RETRY_SECONDS = 20
POSTPONED_SECONDS = 60
FIRST_RETRY_SECONDS = 30
MAX_RETRY_SECONDS = 6 * 3600
REFUSED_REST_SECONDS = 6 * 3600  # until a push service that does not accept our signature is tried again
MAX_RETRY_AFTER_SECONDS = DAY
MAX_TTL_SECONDS = 28 * DAY
SUMMARY_KEPT_SECONDS = 2 * DAY
_URGENCY = {"time": "high", "table": "high", "gone": "low"}


@dataclass(frozen=True, slots=True)
class _Message:
    """One push: what the browser is sent, which games' rows it settles, and how they are noted."""

    event: str
    game: str
    mark: str
    content: Mapping[str, Any]
    expires_at: int
    rows: Mapping[str, Pushed]


@dataclass(slots=True)
class _Budget:
    """The capacity of one person in one claim: time-outs, and seconds of the event loop's clock."""

    ends_at: float
    timeouts: int = 0

    @property
    def is_spent(self) -> bool:
        return self.timeouts >= MAX_TIMEOUTS or asyncio.get_running_loop().time() >= self.ends_at


class PushSender:
    """Sends to the browsers of one person what the switchboard decides."""

    def __init__(
        self,
        settings: Settings,
        store: OutboxStore,
        outbound: Outbound,
        counts: NoticeCounter,
        clock: Callable[[], float],
        words: Words = texts.in_english,
    ) -> None:
        self._settings = settings
        self._store = store
        self._outbound = outbound
        self._counts = counts
        self._clock = clock
        self._words = words

    async def send(self, recipient: Recipient, made: Plan, now: int) -> list[Settled]:
        """Send to every browser; return what becomes of the rows."""
        places = asyncio.Semaphore(BROWSERS_AT_ONCE)
        budget = _Budget(asyncio.get_running_loop().time() + SEND_SECONDS)

        async def send_to(browser: Browser) -> list[Settled]:
            async with places:
                return await self._send_to(recipient, browser, made, now, budget)

        # Browsers that work come first.
        browsers = sorted(recipient.browsers, key=_failures)
        outcomes = await asyncio.gather(*map(send_to, browsers), return_exceptions=True)
        settled: list[Settled] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            settled += outcome
        return settled

    async def _send_to(
        self, recipient: Recipient, browser: Browser, made: Plan, now: int, budget: _Budget
    ) -> list[Settled]:
        decision = decide_push(recipient, browser, made, now)
        rows = {game: row for game, row in browser.pushed.items() if game}
        next_at = dict(decision.next_at)
        if (last := browser.pushed.get("")) is not None:
            rows[""], next_at[""] = last, _kept_until(last, now)
        retry_at: int | None = None  # once it is set, the rest waits for the same time
        for message in self._messages(recipient, browser, decision, now):
            noted = message.rows
            if retry_at is None and browser.rests_until > now:
                retry_at = browser.rests_until
            if retry_at is None and budget.is_spent:
                retry_at = now + POSTPONED_SECONDS
            if retry_at is None:
                outcome = await self._post(recipient, browser, message, budget)
                if outcome is None:
                    return []  # the subscription is over
                retry_at, is_counted = outcome
                if retry_at is not None and is_counted:
                    noted = {game: replace(row, attempts=row.attempts + 1) for game, row in noted.items()}
            if retry_at is None:
                sent_at = int(self._clock())
                noted = {game: replace(row, sent_at=sent_at, attempts=0) for game, row in noted.items()}
                if message.event == "gone":
                    next_at[message.game] = None
            else:
                next_at |= dict.fromkeys(noted, retry_at)
            rows |= noted
            if "" in noted:
                next_at[""] = _kept_until(noted[""], now)
        return [
            Settled(browser.id, game, rows.get(game, Pushed()), at)
            for game, at in next_at.items()
            if at is not None or game in rows
        ]

    def _messages(
        self, recipient: Recipient, browser: Browser, decision: PushDecision, now: int
    ) -> list[_Message]:
        def noted(game: str, event: str, mark: str, seq: int) -> Pushed:
            last = browser.pushed.get(game, Pushed())
            if (last.event, last.mark) == (event, mark):
                return last
            return Pushed(event, mark, seq, None, now, 0, last.n)

        def row_of(item: Waiting) -> Pushed:
            return noted(item.game, item.event, mark_of(item), item.seq)

        language = recipient.language
        made = [
            _Message("gone", game, "gone", {}, now + DAY, {game: noted(game, "gone", "gone", 0)})
            for game in decision.withdrawn
        ]
        for item in decision.single:
            content: dict[str, Any] = {
                "title": self._words(language, texts.headline(item)),
                "body": " ".join(item.title.split())[:200] or "Cartagena",
                "url": f"/g/{item.game}",
            }
            if item.deadline is not None:
                due = self._words(language, texts.DUE, when="{when}")
                content |= {"deadline": item.deadline, "due": due}
            row = row_of(item)
            ends = min(expires_at(item), now + DAY) if item.deadline is None else expires_at(item)
            made.append(_Message(item.event, item.game, row.mark, content, ends, {item.game: row}))
        if decision.summary:
            # Not the time of sending: the same summary sent twice has the same id.
            mark = decision.digest or f"at:{max(item.since for item in decision.summary)}"
            title = self._words(language, texts.MANY, count=decision.waiting)
            covered = {"": noted("", "digest", mark, 0)}
            if decision.digest is None:
                covered |= {item.game: row_of(item) for item in decision.summary}
            content = {"title": title, "body": "", "url": "/me"}
            made.append(_Message("digest", "", mark, content, now + DAY, covered))
        return made

    async def _post(
        self, recipient: Recipient, browser: Browser, message: _Message, budget: _Budget
    ) -> tuple[int | None, bool] | None:
        """Return when to retry, None if it was taken, and whether that counts as an attempt.

        Return None alone if the subscription is over.
        """
        now, store = int(self._clock()), self._store
        assert browser.key is not None
        tag = topic(message.game, browser.id)
        headers = {
            "Authorization": authorization(browser.key, browser.endpoint, self.contact(), now),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(min(MAX_TTL_SECONDS, max(0, message.expires_at - now))),
            "Urgency": _URGENCY.get(message.event, "normal"),
            "Topic": tag,
            "User-Agent": "cartagena-push",
        }
        shown: dict[str, Any] = {"v": 1, "t": message.event, "tag": tag}
        if message.event != "gone":
            # The same notice sent twice (a crash between sending and noting it) makes no second sound.
            code = hashlib.sha256(f"{tag}:{message.event}:{message.mark}".encode()).digest()
            shown |= {"id": encoded(code)[:16], "lang": recipient.language, **message.content}
        text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()
        answer = Answer(0)
        try:
            body = encrypt(text, browser.p256dh, browser.auth)
            answer = await self._outbound.post(browser.endpoint, body, headers, owner=recipient.player)
        except BadKeys:  # of an older release: no message can be made for this browser
            await store.end_subscription(browser.id)
            self._counts.noticed("push", "gone")
            return None
        except Congested:
            return now + CONGESTED_RETRY_SECONDS, False
        except TimedOut:
            budget.timeouts += 1
        except NotReached:
            pass  # status 0, handled with the others
        status, now = answer.status, int(self._clock())
        fields = {"host": urlsplit(browser.endpoint).netloc, "status": status}
        if 200 <= status < 300:
            if browser.rests_until:
                await store.rest_subscription(browser.id, 0)
            self._counts.noticed("push", "sent")
            return None, False
        if status in (404, 410):
            await store.end_subscription(browser.id)
            self._counts.noticed("push", "gone")
            return None
        if status in (401, 403):
            # A wrong clock or key must not end everybody's subscriptions: they are kept, and the operator is told.
            log.error(
                "a push service does not accept our signature; check the clock and `cartagena admin push-keys`",
                extra={"fields": fields},
            )
            await store.rest_subscription(browser.id, now + REFUSED_REST_SECONDS, refused_at=now)
            self._counts.noticed("push", "refused")
            return now + REFUSED_REST_SECONDS, False
        if status == 0 or status == 429 or status >= 500:
            attempts = max(row.attempts for row in message.rows.values())
            wait = min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(attempts, 20))
            retry_at = now + max(wait, parse_retry_after(answer.retry_after, now))
            await store.rest_subscription(browser.id, retry_at)
            self._counts.noticed("push", "delayed")
            return retry_at, True
        # It would not be taken the next time either: it counts as sent.
        log.warning("a push was not taken", extra={"fields": fields})
        self._counts.noticed("push", "failed")
        return None, False

    def contact(self) -> str:
        """Return whom a push service may ask about us (RFC 8292: an https or mailto address)."""
        if self._settings.is_https:
            return self._settings.public_url.rstrip("/")
        address = parseaddr(self._settings.mail_from)[1]
        return f"mailto:{address}" if address else ""


def _failures(browser: Browser) -> int:
    return max((row.attempts for row in browser.pushed.values()), default=0)


def _kept_until(summary: Pushed, now: int) -> int | None:
    """The row of a summary is kept while it tells that today's digest was sent."""
    end = summary.queued_at + SUMMARY_KEPT_SECONDS
    return end if end > now else None


def parse_retry_after(text: str, now: int) -> int:
    """Return the seconds of a Retry-After header, a number or a date; 0 if it is neither."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(MAX_RETRY_AFTER_SECONDS, int(text))
    try:
        return min(MAX_RETRY_AFTER_SECONDS, max(0, int(parsedate_to_datetime(text).timestamp()) - now))
    except (ValueError, TypeError, OverflowError):
        return 0
