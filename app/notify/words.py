"""What the e-mails say; English sentences are the keys of the catalogues."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time

from app.notify.ports import Waiting, Words
from app.settings import Settings

ONE = "It is your turn at Cartagena"
BEGINS = "Your table at Cartagena wants to begin"
MANY = "{count} games of Cartagena wait for you"
HELLO = "Ahoy {name},"
THESE = "these games wait for you:"
DUE = "until {when}"
OPEN_IT = (
    "It begins when everybody's browser has confirmed its seat: "
    "open the table once, with the browser you sat down with."
)
STOP = "You asked for these e-mails. One click ends them: {url}"
CODE_SUBJECT = "Your code for Cartagena: {code}"
CODE_TEXT = "Type this code on your account page to get an e-mail when it is your turn: {code}"
CODE_NOT_YOU = "If you did not ask for this, do nothing: without the code no further e-mail is sent."
# What a notice says above the table's title
YOUR_TURN = "Your turn"
RUNNING_OUT = "Your time is running out"
FULL = "Your table is full"
BEGUN = "Your table has begun"
WANTS_TO_BEGIN = "Your table wants to begin"
INVITED = "You are invited to a table"
REMATCH = "A rematch: a seat waits for you"
# In a club's channel
THEIR_TURN = "It is {name}'s turn: {table}"

_NOTICES = (YOUR_TURN, RUNNING_OUT, FULL, BEGUN, WANTS_TO_BEGIN, INVITED, REMATCH, THEIR_TURN)
SENTENCES = (
    *_NOTICES,
    ONE,
    BEGINS,
    MANY,
    HELLO,
    THESE,
    DUE,
    OPEN_IT,
    STOP,
    CODE_SUBJECT,
    CODE_TEXT,
    CODE_NOT_YOU,
)


def headline(item: Waiting) -> str:
    """What a notice of this is headed with."""
    if item.is_opening:
        return WANTS_TO_BEGIN
    if item.event == "table":
        return FULL if item.mark == "full" else BEGUN
    return {"turn": YOUR_TURN, "time": RUNNING_OUT, "invited": INVITED, "rematch": REMATCH}[item.event]


def in_english(_language: str, source: str, /, **values: object) -> str:
    """The sentences as they are written here."""
    return source.format(**values)


def digest(
    words: Words, settings: Settings, language: str, name: str, waiting: Sequence[Waiting], stop_url: str
) -> tuple[str, str]:
    """Subject and text of the one e-mail about all games that wait."""

    def say(source: str, **values: object) -> str:
        return words(language, source, **values)

    subject = say(MANY, count=len(waiting))
    if len(waiting) == 1:
        only = waiting[0]
        subject = say(BEGINS if only.is_opening else ONE if only.event == "turn" else headline(only))
    lines = [say(HELLO, name=name), "", say(THESE), ""]
    for game in waiting:
        title = " ".join(game.title.split()) or "Cartagena"
        about = [] if game.event == "turn" or game.is_opening else [say(headline(game))]
        if game.deadline is not None:
            about.append(say(DUE, when=moment(game.deadline / 1000, language)))
        lines += [f"- {title} ({', '.join(about)})", f"  {settings.public_url.rstrip('/')}/g/{game.game}"]
        if game.is_opening:
            lines.append(f"  {say(OPEN_IT)}")
    lines += ["", say(STOP, url=stop_url), ""]
    return subject, "\n".join(lines)


def moment(seconds: float, language: str) -> str:
    """A day and a time as the language writes them; the server does not know where its reader is."""
    when = datetime.fromtimestamp(seconds, UTC)
    try:
        place = Locale.parse("en_GB" if language == "en" else language)
    except (UnknownLocaleError, ValueError):  # somebody's row may hold what no release checked
        place = Locale.parse("en_GB")
    return f"{format_date(when, 'long', place)}, {format_time(when, 'short', locale=place)} UTC"


def confirmation(words: Words, language: str, code: str) -> tuple[str, str]:
    """Subject and text of the e-mail that proves an address."""
    subject = words(language, CODE_SUBJECT, code=code)
    text = f"{words(language, CODE_TEXT, code=code)}\n\n{words(language, CODE_NOT_YOU)}\n"
    return subject, text
