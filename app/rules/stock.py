"""The stock: actions made once and used again, so that a legal list is only a list of known values."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache

from app.rules.actions import Action, Advance, Morgan, Retreat
from app.rules.route import Place

__all__ = ["HELD", "Stock", "make_stock"]

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
class Stock:
    """The moves of one kind of route and deck; tables with the same places and cards share one."""

    advances: tuple[tuple[Advance, ...], ...]
    """advances[kind][place]"""
    advances_by_hand: _AdvancesByHand
    retreats: tuple[Retreat, ...]
    morgans: tuple[tuple[Morgan, ...], ...]
    own: dict[Action, Action]
    """An advance or retreat → the stock's own, which can be known by being the very same."""
    names: tuple[bytes, ...]
    """Of each place its name as JSON."""
    heads: dict[int, bytes] = field(default_factory=dict)
    """id of an action of this stock → how its choice begins as JSON. Filled as needed."""


@lru_cache(maxsize=64)
def make_stock(cards: tuple[str, ...], places: tuple[Place, ...], players: int) -> Stock:
    advances = tuple(tuple(Advance(card, place) for place in places) for card in cards)
    retreats = tuple(Retreat(place) for place in places)
    own: dict[Action, Action] = {action: action for action in retreats}
    own.update((action, action) for row in advances for action in row)
    return Stock(
        advances=advances,
        advances_by_hand=_AdvancesByHand(advances),
        retreats=retreats,
        own=own,
        names=tuple(json.dumps(place).encode() for place in places),
        morgans=tuple(tuple(Morgan(player, place) for place in places) for player in range(players)),
    )
