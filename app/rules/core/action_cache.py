"""Actions made once and used again, so that a legal list is only a list of known values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from app.rules.core.action import Action, Advance, End, Retreat
from app.rules.core.route import Place

END = End()
"""The one that stands in every legal list."""

HELD = bytes([0] + [1] * 255)
"""hand.translate(HELD): which kinds a hand holds, whatever their number."""


class _AdvancesByHand(dict[bytes | bytearray, tuple[tuple[Advance, ...], ...]]):
    """Which kinds are held → of each place, an advance with each of them. Filled as hands turn up."""

    def __init__(self, advances: tuple[tuple[Advance, ...], ...]) -> None:
        super().__init__()
        self._advances = advances

    def __missing__(self, held: bytes) -> tuple[tuple[Advance, ...], ...]:
        rows = [self._advances[kind] for kind, is_held in enumerate(held) if is_held]
        *places, _ = zip(*rows, strict=True) if rows else [()] * len(self._advances[0])
        # Nobody advances from the goal, the last place.
        found = self[held] = (*places, ())
        return found


@dataclass(frozen=True, slots=True)
class ActionCache:
    """The moves of one kind of route and deck; tables with the same places and cards share one."""

    advances: tuple[tuple[Advance, ...], ...]
    """advances[kind][place]"""
    advances_by_hand: _AdvancesByHand
    retreats: tuple[Retreat, ...]
    interned: dict[Action, Action]
    """An advance, a retreat or the end → the one in this cache, which can be known by being the very same."""
    names: tuple[bytes, ...]
    """Of each place its name as JSON."""
    arrivals: tuple[bytes, ...]
    """Of each place how the choice of a move to it ends as JSON, unless it draws or wins."""
    last_arrivals: tuple[bytes, ...]
    """The same for a move that cannot be taken back."""
    choice_heads: dict[int, tuple[bytes, int, int]]
    """id of an advance or a retreat of this cache → how its choice begins as JSON, from where it moves, and the
    symbol of its card (−1: none)."""
    by_json: dict[bytes, tuple[Action, dict[str, Any]]]
    """JSON as a choice has it → the action of this cache, and that JSON parsed."""


@lru_cache(maxsize=64)
def make_action_cache(
    cards: tuple[str, ...], symbols: tuple[int, ...], places: tuple[Place, ...]
) -> ActionCache:
    """`symbols` are those of the cards."""
    advances = tuple(tuple(Advance(card, place) for place in places) for card in cards)
    retreats = tuple(Retreat(place) for place in places)
    names = tuple(json.dumps(place).encode() for place in places)
    interned: dict[Action, Action] = {END: END}
    choice_heads: dict[int, tuple[bytes, int, int]] = {}
    by_json: dict[bytes, tuple[Action, dict[str, Any]]] = {b'{"type":"end"}': (END, END.to_json())}
    rows: list[tuple[Action, ...]] = [*advances, retreats]
    for symbol, row in zip((*symbols, -1), rows, strict=True):
        for place, action in enumerate(row):
            parsed = action.to_json()
            text = json.dumps(parsed, separators=(",", ":")).encode()
            interned[action], by_json[text] = action, (action, parsed)
            choice_heads[id(action)] = b'{"action":%b,"to":' % text, place, symbol
    return ActionCache(
        advances=advances,
        advances_by_hand=_AdvancesByHand(advances),
        retreats=retreats,
        interned=interned,
        names=names,
        arrivals=tuple(name + b',"final":false}' for name in names),
        last_arrivals=tuple(name + b',"final":true}' for name in names),
        choice_heads=choice_heads,
        by_json=by_json,
    )
