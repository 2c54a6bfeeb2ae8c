"""Texts of notices. The English sentences are the keys of the translation catalogues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale, UnknownLocaleError
from babel.dates import format_skeleton, format_time
from babel.lists import format_list

from app.settings import Settings
from app.store.people.notice_values import PendingNotice, Recipient

MAX_LISTED_NOTICES = 50  # in one message: each costs about 0.1 ms on the event loop

READY_TO_START_SUBJECT = "Your table at Cartagena is ready to start"
YOUR_TURN_SUBJECT = "It's your turn at Cartagena"
GAMES_WAIT_SUBJECT = "{count} games are waiting for you at Cartagena"
GREETING = "Ahoy {name},"
GAMES_INTRODUCTION = "This is waiting for you:"
MORE_GAMES = "And {count} more: {url}"  # after the list; the link leads to all of one's games
UNTIL = "until {when}"
TIME_ZONE = "Time zone: {zone}."
OPEN_TABLE = "Open the table"
CONFIRM_SEAT_HINT = (
    "The game starts when every player's browser has confirmed its seat: "
    "open the table once, in the browser you sat down with."
)
UNSUBSCRIBE_LINE = "You asked for these e-mails. To stop them, follow this link: {url}"
STOP_MAILS = "Stop the e-mails"
CODE_SUBJECT = "Your code for Cartagena: {code}"
CODE_TEXT = "Enter this code on your account page to get an e-mail when it is your turn: {code}"
CODE_NOT_REQUESTED = (
    "If you did not ask for this, you can ignore it: without the code, no further e-mails are sent."
)
TEST_SUBJECT = "A test from Cartagena"
TEST_TEXT = "This is the test you asked for. News about your games reaches you here."
# Headlines of notices.
YOUR_TURN = "Your turn"
TIME_RUNNING_OUT = "Your time is running out"
TABLE_FULL = "Your table is full"
TABLE_STARTED = "The game at your table has started"
READY_TO_START = "Your table is ready to start"
INVITED = "You have an invitation to a table"
REMATCH = "Rematch: a seat is waiting for you"
# The same with the names of the others at the table, such as "Ana, Iris and Olaf".
YOUR_TURN_AGAINST = "Your turn against {names}"
TIME_RUNNING_OUT_AGAINST = "Your time against {names} is running out"
TABLE_FULL_WITH = "Your table with {names} is full"
TABLE_STARTED_WITH = "Your game with {names} has started"
READY_TO_START_WITH = "Your table with {names} is ready to start"
# The last item of such a list, for players who are not named.
OTHER_PLAYER = "another player"
OTHER_PLAYERS = "other players"
# In a Discord channel.
THEIR_TURN = "It's {name}'s turn: {table}"
THEIR_TURN_AGAINST = "It's {name}'s turn against {names}: {table}"

_WITH_NAMES = {
    YOUR_TURN: YOUR_TURN_AGAINST,
    TIME_RUNNING_OUT: TIME_RUNNING_OUT_AGAINST,
    TABLE_FULL: TABLE_FULL_WITH,
    TABLE_STARTED: TABLE_STARTED_WITH,
    READY_TO_START: READY_TO_START_WITH,
}
SENTENCES = (
    *_WITH_NAMES,
    *_WITH_NAMES.values(),
    INVITED,
    REMATCH,
    OTHER_PLAYER,
    OTHER_PLAYERS,
    THEIR_TURN,
    THEIR_TURN_AGAINST,
    YOUR_TURN_SUBJECT,
    READY_TO_START_SUBJECT,
    GAMES_WAIT_SUBJECT,
    GREETING,
    GAMES_INTRODUCTION,
    MORE_GAMES,
    UNTIL,
    TIME_ZONE,
    OPEN_TABLE,
    CONFIRM_SEAT_HINT,
    UNSUBSCRIBE_LINE,
    STOP_MAILS,
    CODE_SUBJECT,
    CODE_TEXT,
    CODE_NOT_REQUESTED,
    TEST_SUBJECT,
    TEST_TEXT,
)


class Translate(Protocol):
    """Returns a sentence in a language, with its {placeholders} filled."""

    def __call__(self, language: str, source: str, /, **values: object) -> str: ...


def choose_headline(item: PendingNotice) -> str:
    """Return the headline of a notice, without names."""
    if item.is_opening:
        return READY_TO_START
    if item.event == "table":
        return TABLE_FULL if item.mark == "full" else TABLE_STARTED
    return {"turn": YOUR_TURN, "time": TIME_RUNNING_OUT, "invited": INVITED, "rematch": REMATCH}[item.event]


def compose_names(
    translate: Translate, language: str, item: PendingNotice, escape: Callable[[str], str] = str
) -> str:
    """Return the list of opponents, such as "Ana, Iris and another player"; empty if none can be named."""
    if not item.opponents:
        return ""
    names = [escape(" ".join(name.split())) for name in item.opponents]
    if item.unnamed_opponents:
        names.append(translate(language, OTHER_PLAYER if item.unnamed_opponents == 1 else OTHER_PLAYERS))
    return format_list(names, locale=_find_locale(language))


def compose_headline(
    translate: Translate, language: str, item: PendingNotice, escape: Callable[[str], str] = str
) -> str:
    """Return the headline of a notice with the names of the opponents: "Your turn against Ana and Olaf"."""
    headline = choose_headline(item)
    names = compose_names(translate, language, item, escape)
    if names and headline in _WITH_NAMES:
        return translate(language, _WITH_NAMES[headline], names=names)
    return translate(language, headline)


def name_edition(translate: Translate, language: str, item: PendingNotice) -> str:
    """Return the name of the game's edition; empty if this release does not know it."""
    return translate(language, item.edition) if item.edition else ""


def compose_details(
    translate: Translate, language: str, item: PendingNotice, zone: str, when: str | None = None
) -> str:
    """Return edition and deadline: "Jamaica, until Sat 21 Nov, 18:00". `when` replaces the formatted deadline."""
    details = [name_edition(translate, language, item)]
    if item.deadline is not None:
        when = when or format_deadline(item.deadline, language, zone)
        details.append(translate(language, UNTIL, when=when))
    return ", ".join(detail for detail in details if detail)


def compose_line(translate: Translate, recipient: Recipient, item: PendingNotice) -> str:
    """Return a notice as one line: "Your turn against Ana and Olaf — Jamaica, until Sat 21 Nov, 18:00"."""
    headline = compose_headline(translate, recipient.language, item)
    details = compose_details(translate, recipient.language, item, recipient.wishes.zone)
    return f"{headline} — {details}" if details else headline


def compose_subject(translate: Translate, recipient: Recipient, pending: Sequence[PendingNotice]) -> str:
    """Return the subject of a message about all pending notices: their number, or the only one."""
    language = recipient.language
    if len(pending) > 1:
        return translate(language, GAMES_WAIT_SUBJECT, count=len(pending))
    (only,) = pending
    if only.opponents:
        return compose_line(translate, recipient, only)
    if only.is_opening:
        return translate(language, READY_TO_START_SUBJECT)
    return translate(language, YOUR_TURN_SUBJECT if only.event == "turn" else choose_headline(only))


def compose_digest_mail(
    translate: Translate,
    settings: Settings,
    recipient: Recipient,
    pending: Sequence[PendingNotice],
    stop_url: str,
) -> tuple[str, str]:
    """Return subject and text of the e-mail about all pending notices, of which it lists the first."""

    def say(source: str, **values: object) -> str:
        return translate(recipient.language, source, **values)

    base_url = settings.public_url.rstrip("/")
    lines = [say(GREETING, name=recipient.name), "", say(GAMES_INTRODUCTION), ""]
    for item in pending[:MAX_LISTED_NOTICES]:
        lines.append(f"- {compose_line(translate, recipient, item)}")
        if title := " ".join(item.title.split()):
            lines.append(f"  {title}")
        lines.append(f"  {base_url}/g/{item.game}")
        if item.is_opening:
            lines.append(f"  {say(CONFIRM_SEAT_HINT)}")
    if more := compose_more_line(translate, recipient, pending, base_url):
        lines.append(f"- {more}")
    lines += ["", compose_zone_line(translate, recipient), say(UNSUBSCRIBE_LINE, url=stop_url), ""]
    return compose_subject(translate, recipient, pending), "\n".join(lines)


def compose_more_line(
    translate: Translate, recipient: Recipient, pending: Sequence[PendingNotice], base_url: str
) -> str:
    """Return the line that counts the notices which are not listed; empty if all are."""
    count = len(pending) - MAX_LISTED_NOTICES
    if count <= 0:
        return ""
    return translate(recipient.language, MORE_GAMES, count=count, url=f"{base_url}/me")


def compose_zone_line(translate: Translate, recipient: Recipient) -> str:
    """Return the line that says in which time zone deadlines are given."""
    return translate(recipient.language, TIME_ZONE, zone=recipient.wishes.zone.replace("_", " "))


def format_deadline(ms: int, language: str, zone: str) -> str:
    """Return weekday, date and time in this time zone: "Sat 21 Nov, 18:00". UTC is named, as it may be a default."""
    locale = _find_locale(language)
    local = datetime.fromtimestamp(ms / 1000, _find_zone(zone))
    day = format_skeleton("MMMEd", local, local.tzinfo, locale=locale)
    text = f"{day}, {format_time(local, 'short', local.tzinfo, locale)}"
    return f"{text} UTC" if local.tzinfo is UTC else text


def compose_confirmation_mail(translate: Translate, language: str, code: str) -> tuple[str, str]:
    """Return subject and text of the e-mail with the code that confirms an address."""
    subject = translate(language, CODE_SUBJECT, code=code)
    text = f"{translate(language, CODE_TEXT, code=code)}\n\n{translate(language, CODE_NOT_REQUESTED)}\n"
    return subject, text


def compose_test_mail(translate: Translate, language: str) -> tuple[str, str]:
    """Return subject and text of the e-mail that a person sends to their own address as a test."""
    return translate(language, TEST_SUBJECT), f"{translate(language, TEST_TEXT)}\n"


def _find_locale(language: str) -> Locale:
    """Return the locale of a language of this site; British English for one that an older release did not check."""
    try:
        return Locale.parse("en_GB" if language == "en" else language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en_GB")


def _find_zone(name: str) -> tzinfo:
    if name != "UTC":
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass  # stored by a server that knew it
    return UTC
