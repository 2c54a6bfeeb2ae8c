"""What is stored: log entries, the head they move, the row a game begins with, chat lines."""

from __future__ import annotations

from typing import Any

import msgspec

# The seat of an entry that belongs to no seat.
NOBODY = -1


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One entry of a game's log. `seq` counts entries and is the room's only version."""

    game: str
    seq: int
    kind: str
    seat: int
    body: dict[str, Any]
    by: str  # person, bot, clock, server
    at: int  # milliseconds since 1970, never earlier than the entry before
    command: str | None = None  # the client's id of the command that made it
    who: str = ""  # the person who sent that command


class SeatRow(msgspec.Struct, frozen=True):
    """A seat as lists by player need it. Written with a bot's name only; read with what a person is called now."""

    seat: int
    person: str | None
    name: str | None  # None: a person who was deleted
    colour: str
    bot: str | None
    place: int | None = None


class Summary(msgspec.Struct, frozen=True):
    """What lists show of a game; written when something other than a move changed it."""

    taken: int
    bots: int
    host: str
    next_game: str | None
    started_at: int | None
    ended_at: int | None
    result: dict[str, Any] | None
    options: dict[str, Any]
    seats: tuple[SeatRow, ...]


class Append(msgspec.Struct, frozen=True, gc=False):
    """An entry and the head it makes; the store writes both in one transaction or neither."""

    entry: Entry
    status: str
    to_act: str  # seats it waits for, "0" or "1,3"
    deadline: int | None  # when the next clock runs out
    due: int | None = None  # wake the sweeper at this time; None leaves its row as it is
    summary: Summary | None = None
    notifies: bool = False  # whether people who are away may have to be notified of it


class GameRow(msgspec.Struct, frozen=True):
    """A game as it was created, with its head; what the log's fold begins with."""

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
    summary: Summary | None = None


class Due(msgspec.Struct, frozen=True):
    """A claimed row of due work, ours until the lease ends; `n` tells whether it changed since."""

    game: str
    at: int
    n: int


class Outage(msgspec.Struct, frozen=True):
    """A time in which no worker was alive; clocks that ran then are credited."""

    began: int
    ended: int


class ChatLine(msgspec.Struct, frozen=True):
    """A line of chat; `n` counts the room's lines, apart from the log."""

    game: str
    n: int
    at: int
    channel: str  # players or spectators
    person: str
    # Empty: what a person is called is asked when the line is shown; older lines have a former name.
    name: str
    seat: int | None
    text: str | None
    preset: str | None
    command: str
    is_deleted: bool = False
