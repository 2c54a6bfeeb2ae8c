"""Actions made once and used again, so that a legal list is only a list of known values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from app.rules.core import Json
from app.rules.core.action import Action, Advance, End, Retreat
from app.rules.core.route import Place

END = End()
"""The one that stands in every legal list."""

END_CHOICE = b'{"action":{"type":"end"},"final":true}'
"""Its choice, as JSON."""

HELD = bytes([0] + [1] * 255)
"""hand.translate(HELD): which kinds a hand holds, whatever their number."""


_Each = TypeVar("_Each")


class _ByHand(dict[bytes, tuple[tuple[_Each, ...], ...]], Generic[_Each]):
    """Which kinds are held → of each place, what there is of an advance with each of them. Filled as hands turn up."""

    def __init__(self, of_each: tuple[tuple[_Each, ...], ...]) -> None:
        super().__init__()
        self._of_each = of_each

    def __missing__(self, held: bytes) -> tuple[tuple[_Each, ...], ...]:
        rows = [self._of_each[kind] for kind, is_held in enumerate(held) if is_held]
        *places, _ = zip(*rows, strict=True) if rows else [()] * len(self._of_each[0])
        # Nobody advances from the goal, the last place.
        found = self[held] = (*places, ())
        return found


class Known(NamedTuple):
    """An action that was sent in the very words of a choice."""

    action: Action
    said: Json
    head: bytes
    """How its choice begins: it stands in a list of choices if these bytes do."""


@dataclass(frozen=True, slots=True)
class ActionCache:
    """The moves of one kind of route and deck; tables with the same places and cards share one."""

    advances: tuple[tuple[Advance, ...], ...]
    """advances[kind][place]"""
    advances_by_hand: _ByHand[Advance]
    retreats: tuple[Retreat, ...]
    interned: dict[Action, Action]
    """An advance, a retreat or the end → the one in this cache, which can be known by being the very same."""
    arrivals: tuple[tuple[tuple[bytes, ...], ...], ...]
    """arrivals[whether nothing can be taken back any more][cards it draws][place]: how the choice of a move to that
    place ends as JSON, unless it wins."""
    advance_heads: tuple[tuple[tuple[bytes, int], ...], ...]
    """advance_heads[kind][place]: how the choice of an advance begins as JSON, and the symbol of its card."""
    advance_heads_by_hand: _ByHand[tuple[bytes, int]]
    retreat_heads: tuple[bytes, ...]
    by_json: dict[bytes, Known]
    """JSON as a choice has it → its action."""


@lru_cache(maxsize=64)
def make_action_cache(
    cards: tuple[str, ...], symbols: tuple[int, ...], places: tuple[Place, ...]
) -> ActionCache:
    """`symbols` are those of the cards."""
    advances = tuple(tuple(Advance(card, place) for place in places) for card in cards)
    retreats = tuple(Retreat(place) for place in places)
    names = [json.dumps(place).encode() for place in places]
    arrivals = tuple(name + b',"final":false}' for name in names)
    last_arrivals = tuple(name + b',"final":true}' for name in names)
    drawing = [tuple(name + b',"draws":%d,"final":true}' % drawn for name in names) for drawn in (1, 2)]
    interned: dict[Action, Action] = {END: END}
    by_json = {b'{"type":"end"}': Known(END, END.to_json(), END_CHOICE)}

    def head_of(action: Action) -> bytes:
        said = action.to_json()
        text = json.dumps(said, separators=(",", ":")).encode()
        head = b'{"action":%b,"to":' % text
        interned[action], by_json[text] = action, Known(action, said, head)
        return head

    advance_heads = tuple(
        tuple((head_of(advance), symbol) for advance in row)
        for symbol, row in zip(symbols, advances, strict=True)
    )
    return ActionCache(
        advances=advances,
        advances_by_hand=_ByHand(advances),
        retreats=retreats,
        interned=interned,
        arrivals=((arrivals, *drawing), (last_arrivals, *drawing)),
        advance_heads=advance_heads,
        advance_heads_by_hand=_ByHand(advance_heads),
        retreat_heads=tuple(map(head_of, retreats)),
        by_json=by_json,
    )
