"""Values of notices: pending notices, a person's wishes, and rows of the outbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from app.store.people.vapid import VapidKey

# What people can be notified of; each event has its own switch.
EVENTS = ("turn", "time", "table", "invited", "rematch")
Channel = Literal["push", "letter"]  # a letter is an e-mail, a webhook call, or both


@dataclass(frozen=True, slots=True)
class PendingNotice:
    """An event in a game that a person may be notified of.

    In a correspondence game the deadline distinguishes a turn from the next one. `since` is when the event happened,
    `seq` the game's seq at that time.
    """

    game: str
    title: str  # empty if the person has no seat: strangers must not write on a lock screen
    deadline: int | None  # milliseconds since 1970
    is_opening: bool = False  # the table is starting and waits for this person's browser to open its seal
    event: str = "turn"
    mark: str = ""  # distinguishes events of the same kind that have no deadline
    since: int = 0  # milliseconds since 1970
    seq: int = 0
    remind_at: int | None = None  # milliseconds since 1970: when to remind that time is running out
    # Read when a notice is sent; see `add_table_details`.
    preset: str = ""
    edition: str = ""  # the title of the preset in English; empty if this release does not know it
    opponents: tuple[str, ...] = ()  # names in the order of seats
    unnamed_opponents: int = 0  # erased, or blocked by the recipient

    @property
    def letter_key(self) -> str:
        """The key under which a letter about this is recorded."""
        name = f"{self.game}:{self.deadline if self.deadline is not None else self.mark}"
        return name if self.event == "turn" or self.is_opening else f"{self.event}:{name}"

    @property
    def push_mark(self) -> str:
        """The mark under which a push about this is recorded."""
        return f"{self.deadline if self.deadline is not None else self.mark}"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants to be notified of, and when. Times are minutes of the day in the person's time zone."""

    switches: Mapping[str, bool] = field(default_factory=dict)
    games: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    zone: str = "UTC"
    quiet: tuple[int, int] | None = None
    digest_at: int | None = None
    digested_on: str | None = None
    every_channel: bool = False


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """What an address was last notified of, or is going to be. An empty `event` means nothing yet."""

    event: str = ""
    mark: str = ""
    seq: int = 0
    sent_at: int | None = None
    queued_at: int = 0
    attempts: int = 0
    n: int = 0


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser's push subscription, with its outbox rows by game."""

    id: str
    made_at: int
    takes_silent: bool
    rows: Mapping[str, OutboxRow] = field(default_factory=dict)
    endpoint: str = ""
    p256dh: str = ""
    auth: str = ""
    key: VapidKey | None = None
    rests_until: int = 0


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person, with everything that is needed to decide about notices and send them. Read after the claim."""

    player: str
    name: str
    language: str
    email: str | None
    stop_token: str
    webhook: str | None
    webhook_key: str | None
    last_letter_at: int  # when sending of the last letter began
    covered_keys: tuple[str, ...]  # `letter_key` of everything that letters have covered
    pending: tuple[PendingNotice, ...]  # of one game, the most urgent first
    webhook_form: str = "plain"
    wishes: Wishes = field(default_factory=Wishes)
    browsers: tuple[Browser, ...] = ()
    letters: Mapping[str, OutboxRow] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettledRow:
    """The new state of an outbox row, and when to decide about it again; `at` None deletes it."""

    address: str
    game: str
    row: OutboxRow
    at: int | None


def is_same_turn(last: OutboxRow, item: PendingNotice) -> bool:
    """Return whether this may be the same turn, with a deadline moved by a credit or a pause."""
    if not {last.event, item.event} <= {"turn", "time"}:
        return False
    return last.event == item.event or last.event == "time"
