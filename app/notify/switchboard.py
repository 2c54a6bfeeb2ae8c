"""The switchboard decides what a person is notified of, when, and on which channel.

It is evaluated once per claim of outbox rows, for push, e-mail and webhook alike. All functions are pure.

A person is notified on one channel: push if they have a browser, else the webhook, else e-mail. A notice that was
pushed and is still pending after NEXT_CHANNEL_DELAY_SECONDS also goes to the next channel. With the setting
`every_channel`, all channels are used immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.store.people.notice_values import Browser, OutboxRow, PendingNotice, Recipient, Wishes

NEXT_CHANNEL_DELAY_SECONDS = 30 * 60  # after a push, until the next channel may be used
TURN_SETTLE_SECONDS = 15  # before a turn is pushed; a player who acts within it is present
MAX_SINGLE_NOTICES = 3  # more notices at once are combined into a summary
DAY_SECONDS = 86_400
LIVE_NEWS_SECONDS = 10 * 60  # how long it is news that a table is full or has started
# Of events without a deadline.
LIFETIME_SECONDS = {"table": LIVE_NEWS_SECONDS, "rematch": DAY_SECONDS, "invited": 7 * DAY_SECONDS}
MAX_PAUSE_SECONDS = 3600  # quiet hours and digests are checked hourly: clocks change and people travel
RECHECK_SECONDS = 60  # for a notice that is overdue but could not be sent


@dataclass(frozen=True, slots=True)
class Plan:
    """What to send to one person now, by channel. `digest` is the day if this is the daily digest."""

    push: tuple[PendingNotice, ...] = ()
    webhook: tuple[PendingNotice, ...] = ()
    mail: tuple[PendingNotice, ...] = ()
    digest: str | None = None

    @property
    def has_letters(self) -> bool:
        """Return whether an e-mail or webhook call is to be sent."""
        return bool(self.mail or self.webhook)


def get_local_time(wishes: Wishes, now: int) -> datetime:
    """Return the person's local time, or UTC if the time zone is unknown."""
    try:
        zone = ZoneInfo(wishes.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return datetime.fromtimestamp(now, UTC)
    return datetime.fromtimestamp(now, zone)


def is_quiet(wishes: Wishes, now: int) -> bool:
    """Return whether it is within the person's quiet hours."""
    return wishes.quiet is not None and _is_within_hours(
        wishes.quiet, _get_minute_of_day(get_local_time(wishes, now))
    )


def find_due_digest_day(wishes: Wishes, digest_minute: int, last_letter_at: int, now: int) -> str | None:
    """Return the day whose digest is due, or None if none is due or it was sent already.

    A digest that falls into the quiet hours is sent when they end, and counts for the day on which they end. One that
    failed may still be sent after midnight.
    """
    if wishes.quiet is not None and _is_within_hours(wishes.quiet, digest_minute):
        digest_minute = wishes.quiet[1]

    def get_digest_day(time: int) -> str:
        local = get_local_time(wishes, time)
        return (local.date() - timedelta(days=_get_minute_of_day(local) < digest_minute)).isoformat()

    day = get_digest_day(now)
    if wishes.digested_on is not None and wishes.digested_on >= day:
        return None
    is_today = day == get_local_time(wishes, now).date().isoformat()
    return day if is_today or get_digest_day(last_letter_at) == day else None


def is_wanted(wishes: Wishes, item: PendingNotice) -> bool:
    """Return whether the person wants this notice. The game's switch overrides the general one; the default is on."""
    game_switches = wishes.games.get(item.game, {})
    return game_switches.get(item.event, wishes.switches.get(item.event, True))


def select_wanted(recipient: Recipient) -> tuple[PendingNotice, ...]:
    """Return the most urgent wanted notice of each game."""
    by_game: dict[str, PendingNotice] = {}
    for item in recipient.pending:
        if item.game not in by_game and is_wanted(recipient.wishes, item):
            by_game[item.game] = item
    return tuple(by_game.values())


Planner = Callable[[Recipient, int], Plan]
"""Makes the plan for one person, with the channels and the interval of this server."""


def make_plan(
    recipient: Recipient, now: int, interval: int, *, can_mail: bool, can_call: bool, can_push: bool = True
) -> Plan:
    """Return what to send now. The flags say which channels this server has."""
    wishes = recipient.wishes
    if is_quiet(wishes, now):
        return Plan()
    items = tuple(
        item for item in select_wanted(recipient) if item.deadline is None or item.deadline > now * 1000
    )
    lasting = tuple(item for item in items if not _is_fleeting(item))
    has_push = can_push and bool(recipient.browsers)
    has_webhook = can_call and recipient.webhook is not None and recipient.webhook_key is not None
    has_mail = can_mail and recipient.email is not None
    if wishes.digest_at is not None:
        day = find_due_digest_day(wishes, wishes.digest_at, recipient.last_letter_at, now)
        if not lasting or day is None:
            return Plan()
        every = wishes.every_channel
        digest = Plan(
            push=lasting if has_push else (),
            webhook=lasting if has_webhook and (every or not has_push) else (),
            mail=lasting if has_mail and (every or not (has_push or has_webhook)) else (),
            digest=day,
        )
        # Within the interval the push waits too: the day is recorded once all of the digest was sent.
        return Plan() if digest.has_letters and recipient.last_letter_at > now - interval else digest
    push = tuple(item for item in items if _has_settled(item, now)) if has_push else ()
    letter: tuple[PendingNotice, ...] = ()
    if recipient.last_letter_at <= now - interval:
        letter = tuple(
            item
            for item in lasting
            if not has_push or wishes.every_channel or _is_due_on_next_channel(recipient, item, now)
        )
    if not any(item.letter_key not in recipient.covered_keys for item in letter):
        letter = ()
    return Plan(
        push=push,
        webhook=letter if has_webhook else (),
        mail=letter if has_mail and (wishes.every_channel or not has_webhook) else (),
    )


def select_unsent(browser: Browser, items: Sequence[PendingNotice]) -> list[PendingNotice]:
    """Return the notices that this browser was not sent."""
    return [
        item
        for item in items
        if item.since >= browser.made_at * 1000  # earlier events were seen on the page that subscribed
        and not (_was_notified(browser, item) and browser.rows[item.game].sent_at is not None)
    ]


@dataclass(frozen=True, slots=True)
class PushDecision:
    """What to send to one browser now, and when to decide again about each game; None deletes its row."""

    single: tuple[PendingNotice, ...] = ()
    summary: tuple[PendingNotice, ...] = ()  # sent as one notice, which shows `count`
    count: int = 0
    digest: str | None = None
    withdrawn: tuple[str, ...] = ()
    next_at: Mapping[str, int | None] = field(default_factory=dict)


def decide_push(recipient: Recipient, browser: Browser, plan: Plan, now: int) -> PushDecision:
    """Return what to send to one browser according to the plan."""
    single: tuple[PendingNotice, ...] = ()
    summary: tuple[PendingNotice, ...] = ()
    digest = None
    if plan.digest is None:
        unsent = tuple(select_unsent(browser, plan.push))
        single, summary = ((), unsent) if len(unsent) > MAX_SINGLE_NOTICES else (unsent, ())
    elif not _has_digest(browser, plan.digest):
        summary, digest = plan.push, plan.digest
    sent = {item.game for item in (*single, *summary)}
    return PushDecision(
        single=single,
        summary=summary,
        count=len(plan.push),
        digest=digest,
        withdrawn=tuple(_find_outdated_notices(recipient, browser, now)),
        next_at=_schedule(
            recipient,
            browser.rows,
            now,
            is_sent=lambda item: item.game in sent or item not in select_unsent(browser, [item]),
            pending_at=lambda item: item.since // 1000 + TURN_SETTLE_SECONDS,
        ),
    )


def adapt_for_push(recipient: Recipient) -> Recipient:
    """Return the recipient with the time of the last digest taken from the browsers' own rows."""
    last_digest_at = max(
        (browser.rows[""].queued_at for browser in recipient.browsers if "" in browser.rows), default=0
    )
    return replace(
        recipient, last_letter_at=last_digest_at, wishes=replace(recipient.wishes, digested_on=None)
    )


def _has_digest(browser: Browser, day: str) -> bool:
    last = browser.rows.get("", OutboxRow())
    return last.sent_at is not None and not last.mark.startswith("at:") and last.mark >= day


def decide_letter(recipient: Recipient, plan: Plan, now: int, interval: int) -> dict[str, int | None]:
    """Return when to decide again about each game's letter, after the plan was carried out."""
    covered = {*recipient.covered_keys, *(item.letter_key for item in (*plan.mail, *plan.webhook))}
    last_letter_at = now if plan.has_letters else recipient.last_letter_at
    # Without a channel nothing is scheduled: setting one makes the rows due.
    has_channel = recipient.email is not None or recipient.webhook is not None

    def pending_at(item: PendingNotice) -> int:
        return max(last_letter_at + interval, _get_next_channel_time(recipient, item))

    return _schedule(
        recipient,
        recipient.letters,
        now,
        is_sent=lambda item: item.letter_key in covered or _is_fleeting(item) or not has_channel,
        pending_at=pending_at,
    )


def get_expiry(item: PendingNotice) -> int:
    """Return when a notice stops being news, in seconds since 1970."""
    return (
        item.deadline // 1000
        if item.deadline is not None
        else item.since // 1000 + LIFETIME_SECONDS.get(item.event, DAY_SECONDS)
    )


def _schedule(
    recipient: Recipient,
    rows: Iterable[str],
    now: int,
    *,
    is_sent: Callable[[PendingNotice], bool],
    pending_at: Callable[[PendingNotice], int],
) -> dict[str, int | None]:
    """Return when to decide again about each game; None deletes the row. `pending_at` says when a notice is due."""
    wishes = recipient.wishes
    next_at: dict[str, int | None] = {game: None for game in rows if game}
    for item in reversed(recipient.pending):  # so that the most urgent wins
        next_at[item.game] = _get_end(item, now)  # for unwanted notices; changing a setting makes the row due
    for item in select_wanted(recipient):
        if wishes.digest_at is not None and not _is_fleeting(item):
            next_at[item.game] = _find_next_time_of_day(wishes, wishes.digest_at, now)
        elif is_sent(item):
            reminder = item.remind_at // 1000 if item.event == "turn" and item.remind_at is not None else 0
            next_at[item.game] = reminder if reminder > now else _get_end(item, now)
        elif is_quiet(wishes, now) and wishes.quiet is not None:
            next_at[item.game] = _find_next_time_of_day(wishes, wishes.quiet[1], now)
        else:
            pending = pending_at(item)
            next_at[item.game] = pending if pending > now else now + RECHECK_SECONDS
    return next_at


def _get_end(item: PendingNotice, now: int) -> int:
    """Return when the notice expires, or a later time if it is pending although it has expired."""
    end = get_expiry(item)
    return end if end > now else now + MAX_PAUSE_SECONDS


def _find_next_time_of_day(wishes: Wishes, minute: int, now: int) -> int:
    """Return when it is next this minute of the person's day, but at most an hour from now."""
    if wishes.quiet is not None and _is_within_hours(wishes.quiet, minute):
        minute = wishes.quiet[1]
    local = get_local_time(wishes, now)
    seconds = ((minute - _get_minute_of_day(local)) % 1440 or 1440) * 60 - local.second
    return now + min(seconds, MAX_PAUSE_SECONDS)


def _find_outdated_notices(recipient: Recipient, browser: Browser, now: int) -> Iterator[str]:
    """Yield the games whose notice this browser shows, but which no longer wait for the person."""
    pending = {(item.game, _get_kind(item.event)) for item in recipient.pending}
    pending_games = {item.game for item in recipient.pending}
    for game, last in browser.rows.items():
        if last.event == "gone":  # an earlier attempt failed
            if last.sent_at is None and game not in pending_games and last.queued_at > now - DAY_SECONDS:
                yield game
        elif (
            last.event in ("turn", "time")
            and last.sent_at is not None
            and browser.takes_silent
            and (game, "turn") not in pending
        ):
            yield game


def _get_next_channel_time(recipient: Recipient, item: PendingNotice) -> int:
    """Return when a letter may repeat a notice that is pushed first."""
    if not recipient.browsers or recipient.wishes.every_channel:
        return 0
    known = [browser.rows[item.game] for browser in recipient.browsers if _was_notified(browser, item)]
    pushed_at = max(
        (max(row.queued_at, row.sent_at or 0) for row in known),
        default=item.since // 1000 + TURN_SETTLE_SECONDS,
    )
    return pushed_at + NEXT_CHANNEL_DELAY_SECONDS


def _get_minute_of_day(local: datetime) -> int:
    return local.hour * 60 + local.minute


def _is_within_hours(hours: tuple[int, int], minute: int) -> bool:
    """Return whether this minute of the day is within these hours, which may span midnight."""
    begins, ends = hours
    return begins <= minute < ends if begins <= ends else minute >= begins or minute < ends


def _get_kind(event: str) -> str:
    return "turn" if event == "time" else event


def _was_notified(browser: Browser, item: PendingNotice) -> bool:
    last = browser.rows.get(item.game)
    if last is None or last.mark != item.push_mark:
        return False
    return last.event == item.event or (last.event == "time" and item.event == "turn")


def _is_fleeting(item: PendingNotice) -> bool:
    """Return whether this is live news, which would be outdated before a letter is read."""
    return item.event == "table" and item.deadline is None


def _has_settled(item: PendingNotice, now: int) -> bool:
    return item.event != "turn" or item.since <= (now - TURN_SETTLE_SECONDS) * 1000


def _is_due_on_next_channel(recipient: Recipient, item: PendingNotice, now: int) -> bool:
    """Return whether the browsers were notified long enough ago for the next channel to be used.

    That means of this event: a reminder has the same mark as the turn whose time is running out.
    """
    if all(item.since < browser.made_at * 1000 for browser in recipient.browsers):
        return True  # no browser was or will be notified
    known = [browser.rows[item.game] for browser in recipient.browsers if _was_notified(browser, item)]
    return bool(known) and all(
        max(row.queued_at, row.sent_at or 0) <= now - NEXT_CHANNEL_DELAY_SECONDS for row in known
    )
