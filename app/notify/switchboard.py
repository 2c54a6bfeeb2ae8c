"""The switchboard: what somebody is told, when, and on which channel. One place for push, e-mail and webhook, and pure:
everything it knows is in its arguments, so that a crash changes nothing about what it decides.

A person is told on one channel: at once in their browsers, else at their webhook, else by e-mail. What was pushed and
still waits after the interval is told on the next channel too; whoever asks for every channel gets all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from app.notify.ports import Browser, Recipient, Waiting, Wishes

NEXT_CHANNEL = 30 * 60  # seconds after a push until another channel may tell the same
SETTLED = 15  # seconds that a turn waits before it is pushed: whoever plays on at once is there
SINGLE = 3  # more than so many notices at once become one


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
    items = wanted(recipient)
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
    """What this browser has not been told; a turn under another deadline may be the same one (see `is_same_turn`)."""
    return [
        item
        for item in items
        if item.since >= browser.made_at * 1000  # what was so before they subscribed, they saw
        and not _knows(browser, item)
    ]


def is_same_turn(browser: Browser, item: Waiting) -> bool:
    """Whether it may be the turn they know of, its deadline moved by a credit or a pause."""
    last = browser.pushed.get(item.game)
    if last is None or not {last.event, item.event} <= {"turn", "time"}:
        return False
    return last.event == item.event or last.event == "time"


def over_for(browser: Browser, recipient: Recipient) -> list[str]:
    """Games this browser was told of and that do not wait for the person any longer: played elsewhere."""
    waiting = {(item.game, _kind(item.event)) for item in recipient.waiting}
    return [
        game
        for game, last in browser.pushed.items()
        if game and (game, _kind(last.event)) not in waiting and last.event != "gone"
    ]


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
