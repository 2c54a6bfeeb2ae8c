"""One round of telling: the switchboard decides for each person; pushes are written down, letters and calls go out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from app.notify import switchboard
from app.notify import words as texts
from app.notify.mail import Mailer, MailFailed
from app.notify.ports import Browser, NewPush, NoticeBook, PushBook, Recipient, Waiting, Words
from app.notify.switchboard import Plan
from app.notify.webhook import WebhookFailed, Webhooks
from app.play.ports import StoreUnavailable
from app.settings import Settings

log = logging.getLogger("cartagena.notify")
_AT_ONCE = 8  # people told at the same time
_FRESH = 1.0  # seconds; whoever waits longer for a place among them is read anew
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

    A round first does for everybody what only the database is needed for: pushes are withdrawn and written down (once;
    push.py sends them). Letters, which here are e-mails and calls of webhooks, go out after that in a task of its own,
    so that no push waits for a receiver that hangs; a round begins a new one only when the last has ended. For a letter
    a worker first claims the person (so two workers never both write), then tells, then notes what was told: a crash
    in between means being told again after the interval, never more often than that. A digest's day is noted when it
    was told, by the letter where there is one.
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
        self._letters: asyncio.Task[set[str]] | None = None

    async def round(self) -> int:
        """A whole round: how many people were told, or will be by the pushes that are written down now."""
        told = await self.begin()
        if self._letters is not None:
            told |= await self._letters
        return len(told)

    async def begin(self) -> set[str]:
        """Writes the pushes down and begins the letters, without waiting for those; whoever has a new push."""
        async with self._rounds:
            if self._letters is not None and self._letters.done():
                self._letters = None
            now = int(self._clock())
            if not await self._book.lease(now, _LEASE):
                return set()
            pushed: set[str] = set()
            has_letters, after = False, ""
            try:
                while people := await self._book.recipients(now, after):
                    after = people[-1].player
                    has_letters |= await self._push_page(people, now, pushed)
            finally:
                await self._book.end_lease()
            if has_letters and self._letters is None:
                self._letters = asyncio.get_running_loop().create_task(self._write_letters())
            return pushed

    async def stop(self, patience: float) -> None:
        """Ends the letters; those cut off are written again after the interval."""
        letters, self._letters = self._letters, None
        if letters is not None:
            await asyncio.wait([letters], timeout=patience)
            letters.cancel()
            await asyncio.gather(letters, return_exceptions=True)

    def _plan(self, recipient: Recipient, now: int) -> Plan:
        settings = self._settings
        return switchboard.plan(
            recipient,
            now,
            round(settings.digest_minutes * 60),
            mails=self._mailer.is_open,
            calls=settings.calls_webhooks,
            pushes=self._pushes is not None,
        )

    # -- pushes ------------------------------------------------------------------------------------

    async def _push_page(self, people: Sequence[Recipient], now: int, pushed: set[str]) -> bool:
        """Whether anybody of these is to get a letter too."""
        places = asyncio.Semaphore(_AT_ONCE)

        async def tell(recipient: Recipient) -> bool:
            plan = Plan()
            async with places:
                with _apart(recipient.player):
                    plan = self._plan(recipient, now)
                    if self._pushes is not None and await self._push_all(self._pushes, recipient, plan, now):
                        pushed.add(recipient.player)
            return plan.has_letters

        outcomes = await asyncio.gather(*(tell(each) for each in people), return_exceptions=True)
        return any(_results(outcomes))

    async def _push_all(self, book: PushBook, recipient: Recipient, plan: Plan, now: int) -> bool:
        for browser in recipient.browsers:
            await self._withdraw(book, browser, recipient, now)
        if not plan.push:
            return False
        is_new = False
        for browser in recipient.browsers:
            is_new |= await self._push(book, browser, recipient, plan, now)
        if plan.digest is not None and not plan.has_letters:
            await self._book.digested(recipient.player, plan.digest)
        return is_new

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

    async def _write_letters(self) -> set[str]:
        """To everybody who is to get one now; who was told. A fault costs the rest of it, and the next round begins
        anew."""
        told: set[str] = set()
        async with asyncio.TaskGroup() as group:  # a stop ends them all
            try:
                await self._begin_letters(group, told)
            except StoreUnavailable:
                log.warning("the store did not answer; the other letters wait for the next round")
            except Exception:
                log.exception("the other letters wait for the next round")
        return told

    async def _begin_letters(self, group: asyncio.TaskGroup, told: set[str]) -> None:
        under_way: set[asyncio.Task[None]] = set()
        loop, after = asyncio.get_running_loop(), ""
        while people := await self._book.recipients(now := int(self._clock()), after):
            read_at = loop.time()
            for recipient in people:
                plan = Plan()
                with _apart(recipient.player):
                    plan = self._plan(recipient, now)
                if plan.has_letters:
                    if len(under_way) >= _AT_ONCE:
                        await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                        if loop.time() - read_at > _FRESH:
                            break  # meanwhile they may have played: they and all behind them are read anew
                    task = group.create_task(self._write(recipient, plan, now, told))
                    under_way.add(task)
                    task.add_done_callback(under_way.discard)
                after = recipient.player

    async def _write(self, recipient: Recipient, plan: Plan, now: int, told: set[str]) -> None:
        try:
            with _apart(recipient.player):
                if await self._write_to(recipient, plan, now):
                    told.add(recipient.player)
        except StoreUnavailable:
            log.warning("the store did not answer; who was written to may be so again after the interval")

    async def _write_to(self, recipient: Recipient, plan: Plan, now: int) -> bool:
        player = recipient.player
        if not await self._book.claim(player, recipient.told_at, now):
            return False
        ways = []
        if plan.mail and recipient.email is not None:
            ways.append(self._mail(recipient, recipient.email, plan.mail))
        if plan.webhook and recipient.webhook is not None and recipient.webhook_key is not None:
            ways.append(self._call(recipient, recipient.webhook, recipient.webhook_key, plan.webhook, now))
        outcomes = await asyncio.gather(*ways, return_exceptions=True)
        if True in outcomes:
            await self._book.told(player, [item.key for item in plan.mail or plan.webhook])
            if plan.digest is not None:
                await self._book.digested(player, plan.digest)
        return any(_results(outcomes))

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


@contextmanager
def _apart(player: str) -> Iterator[None]:
    """What is odd about one person is logged, and the others are told. An outage is nobody's own."""
    try:
        yield
    except StoreUnavailable:
        raise
    except Exception:
        log.exception("somebody could not be told", extra={"fields": {"player": player}})


def _results(outcomes: Sequence[bool | BaseException]) -> list[bool]:
    """When all have ended; the first fault is raised then, so that none goes on alone."""
    results = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        results.append(outcome)
    return results


def _plain(text: str) -> str:
    return " ".join(text.split()).translate(_MARKUP)


def _new_push(browser: Browser, item: Waiting, now: int, *, is_told: bool) -> NewPush:
    expires = now + (_DAY if item.event in ("invited", "rematch") else _LIVE)
    if item.deadline is not None:
        expires = item.deadline // 1000
    body = {"headline": texts.headline(item), "deadline": item.deadline}
    mark = switchboard.mark_of(item)
    return NewPush(browser.id, item.game, item.event, mark, item.seq, body, expires, is_told)
