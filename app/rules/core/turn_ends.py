"""Whole turns: every different position in which the seat in turn can end its turn."""

from __future__ import annotations

from app.rules.core.action import Action
from app.rules.core.actions import End
from app.rules.core.engine import legal, play
from app.rules.core.position import Position

__all__ = ["TurnEnd", "turn_ends"]

TurnEnd = tuple[Position, tuple[Action, ...]]
"""A position at the end of a turn, before it passes on, and the actions that lead to it."""


def turn_ends(position: Position, most: int | None = None) -> list[TurnEnd]:
    """All distinct ends of the present turn, each with a shortest way to it; `most` bounds the search.

    The position must show everything a turn can touch: a search plays on a position it has imagined. A turn
    also ends where the game is won or where others owe something.
    """
    seat = position.seat
    ends: dict[tuple[object, ...], TurnEnd] = {}
    seen = {(position.search_key(), position.taken)}
    layer: list[TurnEnd] = [(position, ())]
    while layer:
        further: list[TurnEnd] = []
        for at, way in layer:
            if at.winner is not None or (at.pending is not None and seat not in at.pending.seats):
                ends.setdefault(at.search_key(), (at, way))
                continue
            for action in legal(at, seat):
                if type(action) is End:
                    ends.setdefault(at.search_key(), (at, way))
                    continue
                after = at.copy()
                play(after, seat, action)
                if after.seat != seat:
                    ends.setdefault(after.search_key(), (after, (*way, action)))
                    continue
                key = (after.search_key(), after.taken)
                if key not in seen:
                    seen.add(key)
                    further.append((after, (*way, action)))
            if most is not None and len(seen) > most:
                return list(ends.values())
        layer = further
    return list(ends.values())
