"""When a bot gives up: the rules know no draw, and a game that would never end must not keep people waiting.

Whoever takes all the cards and never plays them can make another seat pass for ever. Only a seat that was a
bot's from the start gives up; nobody's seat is given up for them, and no hint says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.play.table import Table
from app.rules import Event
from app.rules.events import TurnPassed

__all__ = ["MOST_ACTIONS", "gives_up"]

MOST_ACTIONS = 750  # own turns times the actions of a turn: ten times what a game takes


def gives_up(table: Table, seat: int, history: Iterable[tuple[Event, ...]]) -> bool:
    """Whether this seat has played so many turns that the game would never end. A cabin boy does not notice."""
    chair = table.seats[seat]
    if chair.person is not None or chair.bot == "cabin-boy":
        return False
    turns = sum(
        isinstance(event, TurnPassed) and event.seat == seat for events in history for event in events
    )
    return turns > MOST_ACTIONS // table.options.actions
