"""Whole turns: every different position in which the seat in turn can end its turn."""

from __future__ import annotations

from app.rules.core.action import Action, End
from app.rules.core.engine import legal, play
from app.rules.core.position import Position

__all__ = ["TurnEnd", "turn_ends"]

TurnEnd = tuple[Position, tuple[Action, ...]]
"""A position at the end of a turn, before it passes on, and the actions that lead to it."""


def _search_key(position: Position) -> tuple[object, ...]:
    """Equal for positions that play on alike: the order of the discards and `taken` stand aside."""
    return (
        b"".join([*map(bytes, position.pirates), *position.hands, position.row, position.deck]),
        position.seat,
        position.sloop,
        position.captain_used,
        position.pending,
        position.winner,
        position.shuffles,
        position.token_shuffles,
        len(position.tokens),
    )


def turn_ends(position: Position, most: int | None = None) -> list[TurnEnd]:
    """All distinct ends of the present turn, each with a shortest way to it; `most` bounds the search.

    The position must show everything a turn can touch: a search plays on a position it has imagined. A turn
    also ends where the game is won or where others owe something.
    """
    seat = position.seat
    ends: dict[tuple[object, ...], TurnEnd] = {}
    seen = {(_search_key(position), position.taken)}
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
                play(after, seat, action)
                if after.seat != seat:
                    ends.setdefault(_search_key(after), (after, (*way, action)))
                    continue
                key = (_search_key(after), after.taken)
                if key not in seen:
                    seen.add(key)
                    further.append((after, (*way, action)))
            if most is not None and len(seen) > most:
                return list(ends.values())
        layer = further
    return list(ends.values())
