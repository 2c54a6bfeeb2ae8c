"""The switchboard: what a person is notified of, when, and on which channel. It is evaluated once, when rows of the
outbox are claimed, for push, e-mail and webhook alike; all it knows is in its arguments.

A person is notified on one channel: at once in their browsers, else at their webhook, else by e-mail. What was pushed
and still waits after the interval goes to the next channel too; every channel at once is a setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.notify.ports import Browser, Pushed, Recipient, Waiting, Wishes

NEXT_CHANNEL = 30 * 60  # seconds after a push until another channel may tell the same
SETTLED = 15  # seconds that a turn waits before it is pushed: whoever plays on at once is there
SINGLE = 3  # more than so many notices at once become one
DAY = 86_400
LIVE = 10 * 60  # seconds that it is news that a table is full or has begun
LIFETIME_SECONDS = {"table": LIVE, "rematch": DAY, "invited": 7 * DAY}  # of what has no deadline
MAX_PAUSE = 3600  # seconds: quiet hours and digests are checked hourly, for clocks change and people travel
PENDING_SECONDS = 60  # until a letter that has no channel yet is decided about again


@dataclass(frozen=True, slots=True)
class Plan:
    """What to tell one person now. `digest`: it is their daily one, of this day."""

    push: tuple[Waiting, ...] = ()
    webhook: tuple[Waiting, ...] = ()
    mail: tuple[Waiting, ...] = ()
    digest: str | None = None

    @property
    def has_letters(self) -> bool:
        """Whether there is more to do than to write pushes down."""
        return bool(self.mail or self.webhook)


def local(wishes: Wishes, now: int) -> datetime:
    """The time where the person is; UTC when nobody knows that zone any more."""
    try:
        zone = ZoneInfo(wishes.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.fromtimestamp(now, UTC)
    return datetime.fromtimestamp(now, zone)


def is_quiet(wishes: Wishes, now: int) -> bool:
    """Whether these are the hours in which the person wants to hear nothing."""
    return wishes.quiet is not None and _is_within(wishes.quiet, _minute(local(wishes, now)))


def digest_day(wishes: Wishes, at: int, told_at: int, now: int) -> str | None:
    """The day whose digest is due, unless they had it. A digest of the quiet hours comes when those end, and counts for
    the day on which it comes. What was begun and failed may still be told after midnight.
    """
    if wishes.quiet is not None and _is_within(wishes.quiet, at):
        at = wishes.quiet[1]

    def day_of(moment: int) -> str:
        here = local(wishes, moment)
        return (here.date() - timedelta(days=_minute(here) < at)).isoformat()

    day = day_of(now)
    if wishes.digested_on is not None and wishes.digested_on >= day:
        return None
    is_todays = day == local(wishes, now).date().isoformat()
    return day if is_todays or day_of(told_at) == day else None


def is_wanted(wishes: Wishes, item: Waiting) -> bool:
    """The game's switch goes before the person's own; what has none is wanted."""
    of_game = wishes.games.get(item.game, {})
    return of_game.get(item.event, wishes.switches.get(item.event, True))


def wanted(recipient: Recipient) -> tuple[Waiting, ...]:
    """Of each game the most pressing thing that they want to hear."""
    found: dict[str, Waiting] = {}
    for item in recipient.waiting:
        if item.game not in found and is_wanted(recipient.wishes, item):
            found[item.game] = item
    return tuple(found.values())


def plan(
    recipient: Recipient, now: int, interval: int, *, mails: bool, calls: bool, pushes: bool = True
) -> Plan:
    """What is told now; the flags say which channels this server has at all."""
    wishes = recipient.wishes
    if is_quiet(wishes, now):
        return Plan()
    items = tuple(each for each in wanted(recipient) if each.deadline is None or each.deadline > now * 1000)
    lasting = tuple(item for item in items if not _is_fleeting(item))
    has_push = pushes and bool(recipient.browsers)
    has_hook = calls and recipient.webhook is not None and recipient.webhook_key is not None
    has_mail = mails and recipient.email is not None
    if wishes.digest_at is not None:
        day = digest_day(wishes, wishes.digest_at, recipient.told_at, now)
        if not lasting or day is None:
            return Plan()
        every = wishes.every_channel
        digest = Plan(
            push=lasting if has_push else (),
            webhook=lasting if has_hook and (every or not has_push) else (),
            mail=lasting if has_mail and (every or not (has_push or has_hook)) else (),
            digest=day,
        )
        # Whoever was written to a moment ago waits, for the push too: the day is noted when all of it was told.
        return Plan() if digest.has_letters and recipient.told_at > now - interval else digest
    push = tuple(item for item in items if _is_settled(item, now)) if has_push else ()
    later: tuple[Waiting, ...] = ()
    if recipient.told_at <= now - interval:
        later = tuple(
            item for item in lasting if not has_push or wishes.every_channel or _is_old(recipient, item, now)
        )
    if not any(item.key not in recipient.told_of for item in later):
        later = ()
    return Plan(
        push=push,
        webhook=later if has_hook else (),
        mail=later if has_mail and (wishes.every_channel or not has_hook) else (),
    )


def fresh_for(browser: Browser, items: Sequence[Waiting]) -> list[Waiting]:
    """What this browser was not notified of."""
    return [
        item
        for item in items
        if item.since >= browser.made_at * 1000  # what was so before they subscribed, they saw
        and not (_knows(browser, item) and browser.pushed[item.game].sent_at is not None)
    ]


def is_same_turn(last: Pushed, item: Waiting) -> bool:
    """Whether it may be the turn that was notified, its deadline moved by a credit or a pause."""
    if not {last.event, item.event} <= {"turn", "time"}:
        return False
    return last.event == item.event or last.event == "time"


@dataclass(frozen=True, slots=True)
class PushDecision:
    """What one browser is sent now, and when to decide again about each game; None deletes its row."""

    single: tuple[Waiting, ...] = ()
    summary: tuple[Waiting, ...] = ()  # sent as one notice, which counts `waiting` games
    waiting: int = 0
    digest: str | None = None
    withdrawn: tuple[str, ...] = ()
    next_at: Mapping[str, int | None] = field(default_factory=dict)


def decide_push(recipient: Recipient, browser: Browser, made: Plan, now: int) -> PushDecision:
    """Return what to send to one browser under this plan."""
    single: tuple[Waiting, ...] = ()
    summary: tuple[Waiting, ...] = ()
    digest = None
    if made.digest is None:
        fresh = tuple(fresh_for(browser, made.push))
        single, summary = ((), fresh) if len(fresh) > SINGLE else (fresh, ())
    elif not _had_digest(browser, made.digest):
        summary, digest = made.push, made.digest
    told = {item.game for item in (*single, *summary)}
    return PushDecision(
        single=single,
        summary=summary,
        waiting=len(made.push),
        digest=digest,
        withdrawn=tuple(_withdrawn(recipient, browser, now)),
        next_at=_next_times(
            recipient,
            browser.pushed,
            now,
            is_told=lambda item: item.game in told or item not in fresh_for(browser, [item]),
            pending_at=lambda item: item.since // 1000 + SETTLED,
        ),
    )


def for_push(recipient: Recipient) -> Recipient:
    """The same person where browsers are concerned: each has its own row of the last digest."""
    begun = max(
        (browser.pushed[""].queued_at for browser in recipient.browsers if "" in browser.pushed), default=0
    )
    return replace(recipient, told_at=begun, wishes=replace(recipient.wishes, digested_on=None))


def _had_digest(browser: Browser, day: str) -> bool:
    last = browser.pushed.get("", Pushed())
    return last.sent_at is not None and not last.mark.startswith("at:") and last.mark >= day


def decide_letter(recipient: Recipient, made: Plan, now: int, interval: int) -> dict[str, int | None]:
    """Return when to decide again about each game's letter, once this plan was carried out."""
    told = {*recipient.told_of, *(item.key for item in (*made.mail, *made.webhook))}
    told_at = now if made.has_letters else recipient.told_at
    has_channel = (
        recipient.email is not None or recipient.webhook is not None
    )  # setting one makes the rows due

    def pending_at(item: Waiting) -> int:
        return max(told_at + interval, _second_channel_at(recipient, item))

    return _next_times(
        recipient,
        recipient.letters,
        now,
        is_told=lambda item: item.key in told or _is_fleeting(item) or not has_channel,
        pending_at=pending_at,
    )


def expires_at(item: Waiting) -> int:
    """Return when it is no news any more, in seconds since 1970."""
    return (
        item.deadline // 1000
        if item.deadline is not None
        else item.since // 1000 + LIFETIME_SECONDS.get(item.event, DAY)
    )


def _next_times(
    recipient: Recipient,
    rows: Iterable[str],
    now: int,
    *,
    is_told: Callable[[Waiting], bool],
    pending_at: Callable[[Waiting], int],
) -> dict[str, int | None]:
    wishes = recipient.wishes
    found: dict[str, int | None] = {game: None for game in rows if game}
    for item in reversed(recipient.waiting):  # the most pressing last
        found[item.game] = _end(item, now)  # unless it is wanted: changing a setting makes the row due
    for item in wanted(recipient):
        if wishes.digest_at is not None and not _is_fleeting(item):
            found[item.game] = _pause(wishes, wishes.digest_at, now)
        elif is_told(item):
            reminder = item.remind_at // 1000 if item.event == "turn" and item.remind_at is not None else 0
            found[item.game] = reminder if reminder > now else _end(item, now)
        elif is_quiet(wishes, now) and wishes.quiet is not None:
            found[item.game] = _pause(wishes, wishes.quiet[1], now)
        else:
            pending = pending_at(item)
            found[item.game] = pending if pending > now else now + PENDING_SECONDS
    return found


def _end(item: Waiting, now: int) -> int:
    """When it ends; later, where it goes on although its time is over."""
    end = expires_at(item)
    return end if end > now else now + MAX_PAUSE


def _pause(wishes: Wishes, minute: int, now: int) -> int:
    """The next time that it is this minute of the person's day, or an hour from now."""
    if wishes.quiet is not None and _is_within(wishes.quiet, minute):
        minute = wishes.quiet[1]
    here = local(wishes, now)
    left = ((minute - _minute(here)) % 1440 or 1440) * 60 - here.second
    return now + min(left, MAX_PAUSE)


def _withdrawn(recipient: Recipient, browser: Browser, now: int) -> Iterator[str]:
    """Games whose notice is shown there and which do not wait for the person any longer: played elsewhere."""
    waiting = {(item.game, _kind(item.event)) for item in recipient.waiting}
    concerned = {item.game for item in recipient.waiting}
    for game, last in browser.pushed.items():
        if last.event == "gone":  # an earlier attempt failed
            if last.sent_at is None and game not in concerned and last.queued_at > now - DAY:
                yield game
        elif (
            last.event in ("turn", "time")
            and last.sent_at is not None
            and browser.takes_silent
            and (game, "turn") not in waiting
        ):
            yield game


def _second_channel_at(recipient: Recipient, item: Waiting) -> int:
    """When a letter may tell what is pushed first."""
    if not recipient.browsers or recipient.wishes.every_channel:
        return 0
    known = [browser.pushed[item.game] for browser in recipient.browsers if _knows(browser, item)]
    begun = max(
        (max(each.queued_at, each.sent_at or 0) for each in known), default=item.since // 1000 + SETTLED
    )
    return begun + NEXT_CHANNEL


def mark_of(item: Waiting) -> str:
    """What a push remembers of it."""
    return f"{item.deadline if item.deadline is not None else item.mark}"


def _minute(here: datetime) -> int:
    return here.hour * 60 + here.minute


def _is_within(hours: tuple[int, int], minute: int) -> bool:
    """Whether this minute of the day is one of these hours, which may go over midnight."""
    begins, ends = hours
    return begins <= minute < ends if begins <= ends else minute >= begins or minute < ends


def _kind(event: str) -> str:
    return "turn" if event == "time" else event


def _knows(browser: Browser, item: Waiting) -> bool:
    last = browser.pushed.get(item.game)
    if last is None or last.mark != mark_of(item):
        return False
    return last.event == item.event or (last.event == "time" and item.event == "turn")


def _is_fleeting(item: Waiting) -> bool:
    """News of minutes, that a table is full or has begun: over before anybody reads a letter."""
    return item.event == "table" and item.deadline is None


def _is_settled(item: Waiting, now: int) -> bool:
    return item.event != "turn" or item.since <= (now - SETTLED) * 1000


def _is_old(recipient: Recipient, item: Waiting, now: int) -> bool:
    """Whether the browsers were told of it a good while ago, so that another channel may tell it again.

    Of this, and not of the turn whose time is now running out: both have the same deadline for a mark.
    """
    if all(item.since < browser.made_at * 1000 for browser in recipient.browsers):
        return True  # they were not, and will not be
    known = [browser.pushed[item.game] for browser in recipient.browsers if _knows(browser, item)]
    return bool(known) and all(max(each.queued_at, each.sent_at or 0) <= now - NEXT_CHANNEL for each in known)
