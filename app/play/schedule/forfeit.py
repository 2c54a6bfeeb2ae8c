"""Giving up: when a bot does, and how a game ends that every person has given up.

The rules know no draw, and a game that would never end must not keep people waiting.

Whoever takes all the cards and never plays them can make another seat pass for ever. Only a seat that was a
bot's from the start gives up; nobody's seat is given up for them, and no hint says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.play.commands.proposal import Proposal
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.rules import Event
from app.rules.core.event import TurnPassed

MOST_ACTIONS = 750  # own turns times the actions of a turn: ten times what a game takes


def must_resign(table: Table, seat: int, history: Iterable[tuple[Event, ...]]) -> bool:
    """Whether this seat has played so many turns that the game would never end. A cabin boy does not notice."""
    chair = table.seats[seat]
    if chair.person is not None or chair.bot == "cabin-boy":
        return False
    turns = sum(
        isinstance(event, TurnPassed) and event.seat == seat for events in history for event in events
    )
    return turns > MOST_ACTIONS // table.options.actions


def have_all_resigned(table: Table) -> bool:
    """Whether every person at the table has resigned a game that still runs: only bots would play it on.

    A person who is away, or whose seat a bot plays for now, may come back and has not given up.
    """
    if not table.resign_order or table.status != "running":
        return False
    people = [number for number, seat in enumerate(table.seats) if seat.person is not None]
    return bool(people) and all(table.is_resigned(number) for number in people)


def end_by_resigning() -> Proposal:
    """The entry that ends such a game: bots share the first place, people follow, the last to give up first."""
    return Proposal("aborted", NOBODY, {"reason": "resigned"})
