"""Enumeration of whole turns: every distinct position in which the current turn can end."""

from __future__ import annotations

from app.rules.core.action import Action, End
from app.rules.core.engine import apply_in_place, legal
from app.rules.core.position import Position

__all__ = ["TurnEnd", "turn_ends"]

TurnEnd = tuple[Position, tuple[Action, ...]]
"""A position at the end of a turn, before it passes on, and the actions that lead to it."""


def _search_key(position: Position) -> tuple[object, ...]:
    """Return a key that ignores the order of discards and the number of actions taken."""
    return (
        *map(bytes, position.pirates),
        *map(bytes, position.hands),  # one value each: joined, a hand could run over into the deck
        bytes(position.row),
        bytes(position.deck),
        position.turn_seat,
        position.sloop,
        position.captain_used,
        position.forced_passes,
        position.pending,
        position.winner,
        position.shuffles,
        position.token_shuffles,
        len(position.tokens),
    )


def turn_ends(position: Position, most: int | None = None) -> list[TurnEnd]:
    """Return all distinct ends of the current turn, each with a shortest path; `most` bounds the search.

    The position must be complete, for example sampled from a view. A turn also ends when the game is won or another
    seat has a pending choice.
    """
    seat = position.turn_seat
    ends: dict[tuple[object, ...], TurnEnd] = {}
    seen = {(_search_key(position), position.actions_taken)}
    layer: list[TurnEnd] = [(position, ())]
    while layer:
        further: list[TurnEnd] = []
        for at, way in layer:
            if at.winner is not None or (at.pending is not None and seat not in at.pending.seats):
                ends.setdefault(_search_key(at), (at, way))
                continue
            for action in legal(at, seat):
                if type(action) is End:
                    ends.setdefault(_search_key(at), (at, way))
                    continue
                after = at.copy()
                apply_in_place(after, seat, action)
                if after.turn_seat != seat:
                    ends.setdefault(_search_key(after), (after, (*way, action)))
                    continue
                key = (_search_key(after), after.actions_taken)
                if key not in seen:
                    seen.add(key)
                    further.append((after, (*way, action)))
            if most is not None and len(seen) > most:
                return list(ends.values())
        layer = further
    return list(ends.values())
