"""Values that are stored: log entries, the head of a log, the row of a game, chat lines."""

from __future__ import annotations

from typing import Any

import msgspec

NO_SEAT = -1  # the seat of an entry that belongs to no seat


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One entry of a game's log. `seq` counts entries and is the room's only version."""

    game: str
    seq: int
    kind: str
    seat: int
    body: dict[str, Any]
    by: str  # person, bot, clock, server
    at: int  # milliseconds since 1970, never earlier than the entry before
    command: str | None = None  # the id that the client gave the command
    who: str = ""  # the person who sent the command


class SeatRow(msgspec.Struct, frozen=True):
    """A seat in lists of games. Stored with the names of bots only; read with the present names of people."""

    seat: int
    person: str | None
    name: str | None  # None: a person who was deleted
    colour: str
    bot: str | None
    place: int | None = None
    seen_at: int = 0  # in seconds, when read: when the person last used the site


class OwnTurn(msgspec.Struct, frozen=True):
    """An unfinished game of a person, and whether it waits for them."""

    game: str
    is_waiting: bool


class OwnTurns(msgspec.Struct, frozen=True):
    """How many unfinished games a person has, and how many of them wait for the person."""

    games: int
    waiting: int


class GameSummary(msgspec.Struct, frozen=True):
    """The fields of a game that lists show; written with every entry other than a move, and with the last move."""

    taken: int
    bots: int
    host: str
    next_game: str | None
    started_at: int | None
    ended_at: int | None
    result: dict[str, Any] | None
    options: dict[str, Any]
    seats: tuple[SeatRow, ...]
    is_rated: bool = False


class Append(msgspec.Struct, frozen=True, gc=False):
    """An entry and the head of the log after it. The store writes both in one transaction."""

    entry: Entry
    status: str
    to_act: str  # the awaited seats, such as "0" or "1,3"
    deadline: int | None  # when the next clock runs out
    due: int | None = None  # new time of the due row; None leaves it unchanged
    summary: GameSummary | None = None
    notifies: bool = False  # whether people who are away may need a notice


class GameRow(msgspec.Struct, frozen=True):
    """A game as it was created, with the head of its log. Folding the log starts from it."""

    id: str
    rules_version: int
    options: dict[str, Any]
    terms: dict[str, Any]
    server_seed: str
    commitment: str
    creator: str
    created_at: int
    seq: int = 0
    status: str = "open"
    to_act: str = ""
    deadline: int | None = None
    updated_at: int = 0
    summary: GameSummary | None = None


class DueRow(msgspec.Struct, frozen=True):
    """A row of due work under this worker's lease. `n` changes with every write, so it shows later ones."""

    game: str
    at: int
    n: int


class Outage(msgspec.Struct, frozen=True):
    """A time in which no worker was running; clocks get it back."""

    began: int
    ended: int


class ChatLine(msgspec.Struct, frozen=True):
    """A line of chat. `n` numbers the lines of a room, independently of the log."""

    game: str
    n: int
    at: int
    channel: str  # players or spectators
    person: str
    name: str  # empty: the present name is looked up when the line is shown
    seat: int | None
    text: str | None
    preset: str | None
    command: str
    is_deleted: bool = False
