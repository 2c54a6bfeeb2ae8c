"""Texts of notices. The English sentences are the keys of the translation catalogues."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time

from app.settings import Settings
from app.store.people.notice_values import PendingNotice

YOUR_TURN_SUBJECT = "It's your turn at Cartagena"
READY_TO_START_SUBJECT = "Your table at Cartagena is ready to start"
GAMES_WAIT_SUBJECT = "{count} games are waiting for you at Cartagena"
GREETING = "Ahoy {name},"
GAMES_INTRODUCTION = "This is waiting for you:"
DEADLINE = "deadline: {when}"
CONFIRM_SEAT_HINT = (
    "The game starts when every player's browser has confirmed its seat: "
    "open the table once, in the browser you sat down with."
)
UNSUBSCRIBE_LINE = "You asked for these e-mails. To stop them, follow this link: {url}"
CODE_SUBJECT = "Your code for Cartagena: {code}"
CODE_TEXT = "Enter this code on your account page to get an e-mail when it is your turn: {code}"
CODE_NOT_REQUESTED = (
    "If you did not ask for this, you can ignore it: without the code, no further e-mails are sent."
)
# Headlines of notices, above the title of the table.
YOUR_TURN = "Your turn"
TIME_RUNNING_OUT = "Your time is running out"
TABLE_FULL = "Your table is full"
TABLE_STARTED = "The game at your table has started"
READY_TO_START = "Your table is ready to start"
INVITED = "You have an invitation to a table"
REMATCH = "Rematch: a seat is waiting for you"
# In a Discord channel.
THEIR_TURN = "It's {name}'s turn: {table}"

_HEADLINES = (
    YOUR_TURN,
    TIME_RUNNING_OUT,
    TABLE_FULL,
    TABLE_STARTED,
    READY_TO_START,
    INVITED,
    REMATCH,
    THEIR_TURN,
)
SENTENCES = (
    *_HEADLINES,
    YOUR_TURN_SUBJECT,
    READY_TO_START_SUBJECT,
    GAMES_WAIT_SUBJECT,
    GREETING,
    GAMES_INTRODUCTION,
    DEADLINE,
    CONFIRM_SEAT_HINT,
    UNSUBSCRIBE_LINE,
    CODE_SUBJECT,
    CODE_TEXT,
    CODE_NOT_REQUESTED,
)


class Translate(Protocol):
    """Returns a sentence in a language, with its {placeholders} filled."""

    def __call__(self, language: str, source: str, /, **values: object) -> str: ...


def choose_headline(item: PendingNotice) -> str:
    """Return the headline of a notice."""
    if item.is_opening:
        return READY_TO_START
    if item.event == "table":
        return TABLE_FULL if item.mark == "full" else TABLE_STARTED
    return {"turn": YOUR_TURN, "time": TIME_RUNNING_OUT, "invited": INVITED, "rematch": REMATCH}[item.event]


def compose_subject(translate: Translate, language: str, pending: Sequence[PendingNotice]) -> str:
    """Return the subject of a message about all pending notices: their number, or the only one."""
    if len(pending) > 1:
        return translate(language, GAMES_WAIT_SUBJECT, count=len(pending))
    only = pending[0]
    if only.is_opening:
        return translate(language, READY_TO_START_SUBJECT)
    return translate(language, YOUR_TURN_SUBJECT if only.event == "turn" else choose_headline(only))


def compose_digest_mail(
    translate: Translate,
    settings: Settings,
    language: str,
    name: str,
    pending: Sequence[PendingNotice],
    stop_url: str,
) -> tuple[str, str]:
    """Return subject and text of the e-mail about all pending notices."""

    def say(source: str, **values: object) -> str:
        return translate(language, source, **values)

    subject = compose_subject(translate, language, pending)
    lines = [say(GREETING, name=name), "", say(GAMES_INTRODUCTION), ""]
    for item in pending:
        title = " ".join(item.title.split()) or "Cartagena"
        about = [] if item.event == "turn" or item.is_opening else [say(choose_headline(item))]
        if item.deadline is not None:
            about.append(say(DEADLINE, when=format_time_utc(item.deadline / 1000, language)))
        details = f" ({', '.join(about)})" if about else ""
        lines += [f"- {title}{details}", f"  {settings.public_url.rstrip('/')}/g/{item.game}"]
        if item.is_opening:
            lines.append(f"  {say(CONFIRM_SEAT_HINT)}")
    lines += ["", say(UNSUBSCRIBE_LINE, url=stop_url), ""]
    return subject, "\n".join(lines)


def format_time_utc(seconds: float, language: str) -> str:
    """Return date and time in UTC as the language writes them; the reader's time zone is unknown."""
    time = datetime.fromtimestamp(seconds, UTC)
    try:
        locale = Locale.parse("en_GB" if language == "en" else language)
    except (UnknownLocaleError, ValueError):  # stored by a release that did not check it
        locale = Locale.parse("en_GB")
    return f"{format_date(time, 'long', locale)}, {format_time(time, 'short', locale=locale)} UTC"


def compose_confirmation_mail(translate: Translate, language: str, code: str) -> tuple[str, str]:
    """Return subject and text of the e-mail with the code that confirms an address."""
    subject = translate(language, CODE_SUBJECT, code=code)
    text = f"{translate(language, CODE_TEXT, code=code)}\n\n{translate(language, CODE_NOT_REQUESTED)}\n"
    return subject, text
