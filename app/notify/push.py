"""Sends pushes: one claim covers all browsers of one person.

Messages are encrypted and sent to push services, whose responses decide what happens to the rows and the subscription.
A person's browsers share a budget: two are served at a time, and after MAX_TIMEOUTS time-outs or SEND_SECONDS the rest
waits for the next claim. So silent or slow endpoints delay only the person who registered them.
"""

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
from app.notify.outbound import (
    CONGESTED_RETRY_SECONDS,
    Congested,
    Outbound,
    Response,
    TimedOut,
    Unreachable,
)
from app.notify.switchboard import (
    DAY_SECONDS,
    Plan,
    Planner,
    PushDecision,
    adapt_for_push,
    decide_push,
    get_expiry,
)
from app.notify.webpush import BadKeys, encrypt, make_authorization, make_topic
from app.notify.words import Translate
from app.settings import Settings
from app.store.people.notice_values import Browser, OutboxRow, PendingNotice, Recipient, SettledRow
from app.store.people.pushes import PushStore
from app.store.people.vapid import encode_base64url

_log = logging.getLogger("cartagena.push")
MAX_CONCURRENT_BROWSERS = 2  # of one person
MAX_TIMEOUTS = 2  # of one person in one claim
SEND_SECONDS = 45  # of one person in one claim; with the last request it ends before the lease does
POSTPONE_SECONDS = 60  # after the budget is spent
FIRST_RETRY_SECONDS = 30
MAX_RETRY_SECONDS = 6 * 3600
REFUSED_PAUSE_SECONDS = 6 * 3600  # after a push service did not accept our signature
MAX_RETRY_AFTER_SECONDS = DAY_SECONDS
MAX_TTL_SECONDS = 28 * DAY_SECONDS
SUMMARY_ROW_SECONDS = 2 * DAY_SECONDS
MAX_SUMMARY_LINES = 4
TEST_LIFETIME_SECONDS = 300
MAX_BODY_BYTES = 1500  # several long names in a large script; the whole message has MAX_MESSAGE_BYTES
_URGENCY = {"time": "high", "table": "high", "gone": "low"}


@dataclass(frozen=True, slots=True)
class _PushMessage:
    """One push: its content, and the new state of the outbox rows that it covers, by game."""

    event: str
    game: str
    mark: str
    content: Mapping[str, Any]
    expires_at: int
    rows: Mapping[str, OutboxRow]


@dataclass(slots=True)
class _Budget:
    """The budget of one person in one claim. `ends_at` is a time of the event loop's clock."""

    ends_at: float
    timeouts: int = 0

    @property
    def is_spent(self) -> bool:
        return self.timeouts >= MAX_TIMEOUTS or asyncio.get_running_loop().time() >= self.ends_at


class PushSender:
    """Sends to a person's browsers what the switchboard decides."""

    def __init__(
        self,
        settings: Settings,
        make_plan: Planner,
        store: PushStore,
        outbound: Outbound,
        on_notice: Callable[[str, str], None],
        clock: Callable[[], float],
        translate: Translate,
    ) -> None:
        self._settings = settings
        self._make_plan = make_plan
        self._store = store
        self._outbound = outbound
        self._on_notice = on_notice
        self._clock = clock
        self._translate = translate

    async def send(self, recipient: Recipient, now: int) -> list[SettledRow]:
        """Send to every browser; return the new state of the rows."""
        plan = self._make_plan(adapt_for_push(recipient), now)
        slots = asyncio.Semaphore(MAX_CONCURRENT_BROWSERS)
        budget = _Budget(asyncio.get_running_loop().time() + SEND_SECONDS)

        async def send_to(browser: Browser) -> list[SettledRow]:
            async with slots:
                return await self._send_to(recipient, browser, plan, now, budget)

        # Browsers without failures come first.
        browsers = sorted(recipient.browsers, key=_count_failures)
        outcomes = await asyncio.gather(*map(send_to, browsers), return_exceptions=True)
        settled: list[SettledRow] = []
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
            settled += outcome
        return settled

    async def _send_to(
        self, recipient: Recipient, browser: Browser, plan: Plan, now: int, budget: _Budget
    ) -> list[SettledRow]:
        decision = decide_push(recipient, browser, plan, now)
        rows = {game: row for game, row in browser.rows.items() if game}
        next_at = dict(decision.next_at)
        if (last := browser.rows.get("")) is not None:
            rows[""], next_at[""] = last, _get_summary_expiry(last, now)
        retry_at: int | None = None  # once set, the remaining messages wait until then too
        for message in self._make_messages(recipient, browser, decision, now):
            updated = message.rows
            if retry_at is None and browser.rests_until > now:
                retry_at = browser.rests_until
            if retry_at is None and budget.is_spent:
                retry_at = now + POSTPONE_SECONDS
            if retry_at is None:
                outcome = await self._post(recipient, browser, message, budget)
                if outcome is None:
                    return []  # the subscription has ended
                retry_at, is_counted = outcome
                if retry_at is not None and is_counted:
                    updated = {game: replace(row, attempts=row.attempts + 1) for game, row in updated.items()}
            if retry_at is None:
                sent_at = int(self._clock())
                updated = {game: replace(row, sent_at=sent_at, attempts=0) for game, row in updated.items()}
                if message.event == "gone":
                    next_at[message.game] = None
            else:
                next_at |= dict.fromkeys(updated, retry_at)
            rows |= updated
            if "" in updated:
                next_at[""] = _get_summary_expiry(updated[""], now)
        return [
            SettledRow(browser.id, game, rows.get(game, OutboxRow()), at)
            for game, at in next_at.items()
            if at is not None or game in rows
        ]

    async def send_test(self, recipient: Recipient, browser: Browser) -> str:
        """Send a test to one browser, past all planning. Return "sent", "unreachable" or "answered <status>".

        A subscription that has ended is deleted, and its outcome is "ended".
        """
        content = {
            "title": self._translate(recipient.language, texts.TEST_SUBJECT),
            "body": self._translate(recipient.language, texts.TEST_TEXT),
            "url": "/me",  # not the page that is open: its window would make a notice unnecessary
        }
        now = int(self._clock())
        message = _PushMessage("test", "test", f"test:{now}", content, now + TEST_LIFETIME_SECONDS, {})
        try:
            response = await self._request(recipient, browser, message)
        except (Congested, TimedOut, Unreachable):
            return "unreachable"
        except BadKeys:
            response = Response(410)
        if 200 <= response.status < 300:
            self._on_notice("push", "sent")
            return "sent"
        if response.status in (404, 410):
            await self._store.end_subscription(browser.id)
            return "ended"
        return f"answered {response.status}"

    async def _request(self, recipient: Recipient, browser: Browser, message: _PushMessage) -> Response:
        """Encrypt a push and send it to its push service. Raise BadKeys, Congested, TimedOut or Unreachable."""
        now = int(self._clock())
        assert browser.key is not None
        tag = make_topic(message.game, browser.id)
        headers = {
            "Authorization": make_authorization(browser.key, browser.endpoint, self.get_contact(), now),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(min(MAX_TTL_SECONDS, max(0, message.expires_at - now))),
            "Urgency": _URGENCY.get(message.event, "normal"),
            "Topic": tag,
            "User-Agent": "cartagena-push",
        }
        content: dict[str, Any] = {"v": 1, "t": message.event, "tag": tag}
        if message.event != "gone":
            # The id lets the browser ignore a notice sent twice, after a crash between sending and recording it.
            digest = hashlib.sha256(f"{tag}:{message.event}:{message.mark}".encode()).digest()
            content |= {"id": encode_base64url(digest)[:16], "lang": recipient.language, **message.content}
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()
        body = encrypt(text, browser.p256dh, browser.auth)
        return await self._outbound.post(browser.endpoint, body, headers, owner=recipient.player)

    def _make_messages(
        self, recipient: Recipient, browser: Browser, decision: PushDecision, now: int
    ) -> list[_PushMessage]:
        def make_row(game: str, event: str, mark: str, seq: int) -> OutboxRow:
            last = browser.rows.get(game, OutboxRow())
            if (last.event, last.mark) == (event, mark):
                return last
            return OutboxRow(event, mark, seq, None, now, 0, last.n)

        def make_row_for(item: PendingNotice) -> OutboxRow:
            return make_row(item.game, item.event, item.push_mark, item.seq)

        language = recipient.language
        messages = [
            _PushMessage(
                "gone", game, "gone", {}, now + DAY_SECONDS, {game: make_row(game, "gone", "gone", 0)}
            )
            for game in decision.withdrawn
        ]
        for item in decision.single:
            about = [" ".join(item.title.split())[:200], texts.name_edition(self._translate, language, item)]
            content: dict[str, Any] = {
                "title": texts.compose_headline(self._translate, language, item),
                "body": _clip(" \u00b7 ".join(part for part in about if part), MAX_BODY_BYTES) or "Cartagena",
                "url": f"/g/{item.game}",
            }
            if item.deadline is not None:
                due = self._translate(language, texts.UNTIL, when="{when}")
                content |= {"deadline": item.deadline, "due": due}
            row = make_row_for(item)
            ends = min(get_expiry(item), now + DAY_SECONDS) if item.deadline is None else get_expiry(item)
            messages.append(_PushMessage(item.event, item.game, row.mark, content, ends, {item.game: row}))
        if decision.summary:
            # Not the time of sending, so that the same summary sent twice has the same id.
            mark = decision.digest or f"at:{max(item.since for item in decision.summary)}"
            if decision.count == 1:  # a daily digest
                title = texts.compose_subject(self._translate, recipient, decision.summary)
            else:
                title = self._translate(language, texts.GAMES_WAIT_SUBJECT, count=decision.count)
            covered = {"": make_row("", "digest", mark, 0)}
            if decision.digest is None:
                covered |= {item.game: make_row_for(item) for item in decision.summary}
            shown = decision.summary[:MAX_SUMMARY_LINES] if decision.count > 1 else ()
            lines = [texts.compose_line(self._translate, recipient, item) for item in shown]
            content = {"title": title, "body": _clip("\n".join(lines), MAX_BODY_BYTES), "url": "/me"}
            messages.append(_PushMessage("digest", "", mark, content, now + DAY_SECONDS, covered))
        return messages

    async def _post(
        self, recipient: Recipient, browser: Browser, message: _PushMessage, budget: _Budget
    ) -> tuple[int | None, bool] | None:
        """Send a push. Return when to retry (None if it was accepted), and whether that counts as an attempt.

        Return None alone if the subscription has ended.
        """
        now, store = int(self._clock()), self._store
        response = Response(0)
        try:
            response = await self._request(recipient, browser, message)
        except BadKeys:  # the stored keys are unusable
            await store.end_subscription(browser.id)
            self._on_notice("push", "gone")
            return None
        except Congested:
            return now + CONGESTED_RETRY_SECONDS, False
        except TimedOut:
            budget.timeouts += 1
        except Unreachable:
            pass  # status 0, handled below
        status, now = response.status, int(self._clock())
        fields = {"host": urlsplit(browser.endpoint).netloc, "status": status}
        if 200 <= status < 300:
            if browser.rests_until:
                await store.pause_subscription(browser.id, 0)
            self._on_notice("push", "sent")
            return None, False
        if status in (404, 410):
            await store.end_subscription(browser.id)
            self._on_notice("push", "gone")
            return None
        if status in (401, 403):
            # Caused by our clock or key, so subscriptions are kept and the operator is informed.
            _log.error(
                "a push service does not accept our signature; check the clock and `cartagena admin push-keys`",
                extra={"fields": fields},
            )
            await store.pause_subscription(browser.id, now + REFUSED_PAUSE_SECONDS, refused_at=now)
            self._on_notice("push", "refused")
            return now + REFUSED_PAUSE_SECONDS, False
        if status == 0 or status == 429 or status >= 500:
            attempts = max(row.attempts for row in message.rows.values())
            wait = min(MAX_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** min(attempts, 20))
            retry_at = now + max(wait, parse_retry_after(response.retry_after, now))
            await store.pause_subscription(browser.id, retry_at)
            self._on_notice("push", "delayed")
            return retry_at, True
        # A retry would fail too, so it counts as sent.
        _log.warning("a push was not accepted", extra={"fields": fields})
        self._on_notice("push", "failed")
        return None, False

    def get_contact(self) -> str:
        """Return the contact for push services: an https or mailto URL (RFC 8292), or an empty string."""
        if self._settings.is_https:
            return self._settings.public_url.rstrip("/")
        address = parseaddr(self._settings.mail_from)[1]
        return f"mailto:{address}" if address else ""


def _clip(text: str, max_bytes: int) -> str:
    return text.encode()[:max_bytes].decode(errors="ignore")


def _count_failures(browser: Browser) -> int:
    return max((row.attempts for row in browser.rows.values()), default=0)


def _get_summary_expiry(summary: OutboxRow, now: int) -> int | None:
    """Return when to delete the row of a summary: it is needed while it shows that today's digest was sent."""
    end = summary.queued_at + SUMMARY_ROW_SECONDS
    return end if end > now else None


def parse_retry_after(text: str, now: int) -> int:
    """Return the delay in a Retry-After header, a number of seconds or a date; 0 if it is neither."""
    if text.isascii() and text.isdigit() and len(text) < 10:
        return min(MAX_RETRY_AFTER_SECONDS, int(text))
    try:
        return min(MAX_RETRY_AFTER_SECONDS, max(0, int(parsedate_to_datetime(text).timestamp()) - now))
    except (ValueError, TypeError, OverflowError):
        return 0
