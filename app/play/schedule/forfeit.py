"""Forfeits: when a bot resigns, and the end of a game that every person has resigned.

The rules know no draw, and a player who takes all the cards and never plays them can make another seat pass for ever.
So a bot resigns a game that would not end. Only seats that were a bot's from the start do; a bot that plays a person's
seat, and a hint, never resign.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.play.commands.request import Decision
from app.play.log.entries import NO_SEAT
from app.play.log.table import Table
from app.rules import Event
from app.rules.core.event import TurnPassed

MAX_BOT_ACTIONS = 750  # turns times actions per turn: ten times what a game takes


def should_bot_resign(table: Table, seat: int, history: Iterable[tuple[Event, ...]]) -> bool:
    """Return whether this bot has played so many turns that the game may never end. A cabin boy never resigns."""
    place = table.seats[seat]
    if place.person is not None or place.bot == "cabin-boy":
        return False
    turns = sum(
        isinstance(event, TurnPassed) and event.seat == seat for events in history for event in events
    )
    return turns > MAX_BOT_ACTIONS // table.options.actions


def have_all_people_resigned(table: Table) -> bool:
    """Return whether every person has resigned a running game, so that only bots would continue it.

    A person who is away, or whose seat a bot plays for now, has not resigned.
    """
    if not table.resign_order or table.status != "running":
        return False
    people = [number for number, seat in enumerate(table.seats) if seat.person is not None]
    return bool(people) and all(table.is_resigned(number) for number in people)


def decide_forfeit() -> Decision:
    """Return the entry that ends such a game: bots share the first place, and the last to resign comes next."""
    return Decision("aborted", NO_SEAT, {"reason": "resigned"})
