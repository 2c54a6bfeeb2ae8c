"""Preallocated actions and JSON fragments, so that building a legal list only appends shared values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from app.rules.core import Json
from app.rules.core.action import Action, Advance, End, Retreat
from app.rules.core.route import Place

END = End()
"""The end action that all legal lists share."""

END_CHOICE_JSON = b'{"action":{"type":"end"},"final":true}'

NONZERO_FLAG_BY_COUNT = bytes([0] + [1] * 255)
"""Table for `bytes.translate` that turns the counts of a hand into 1 for each kind held, else 0."""


_Item = TypeVar("_Item")


class _ItemsByHand(dict[bytes, tuple[tuple[_Item, ...], ...]], Generic[_Item]):
    """Cache from the flags of the kinds held to the items of all advances with these kinds, for each place."""

    def __init__(self, items: tuple[tuple[_Item, ...], ...]) -> None:
        """`items[kind][place]` is the item of one advance."""
        super().__init__()
        self._items = items

    def __missing__(self, flags: bytes) -> tuple[tuple[_Item, ...], ...]:
        rows = [self._items[kind] for kind, is_held in enumerate(flags) if is_held]
        *places, _ = zip(*rows, strict=True) if rows else [()] * len(self._items[0])
        # The goal is the last place, and no pirate advances from there.
        found = self[flags] = (*places, ())
        return found


class CachedAction(NamedTuple):
    """An action of the cache, found by its exact JSON text."""

    action: Action
    json: Json
    choice_prefix: bytes
    """First bytes of its entry in a list of choices. The action is legal exactly if the list contains them."""


@dataclass(frozen=True, slots=True)
class ActionCache:
    """All advances and retreats for one combination of places and cards, shared by the tables that have it."""

    advances: tuple[tuple[Advance, ...], ...]
    """advances[kind][place]"""
    advances_by_hand: _ItemsByHand[Advance]
    retreats: tuple[Retreat, ...]
    interned: dict[Action, Action]
    """Maps an advance, a retreat or the end to the equal object in this cache, so that `is` can replace `==`."""
    choice_suffixes: tuple[tuple[tuple[bytes, ...], ...], ...]
    """choice_suffixes[is undo closed][cards drawn][place]: last bytes of the choice of a move to that place, unless
    the move wins."""
    advance_prefixes: tuple[tuple[tuple[bytes, int], ...], ...]
    """advance_prefixes[kind][place]: first bytes of the choice of an advance, and the symbol of its card."""
    advance_prefixes_by_hand: _ItemsByHand[tuple[bytes, int]]
    retreat_prefixes: tuple[bytes, ...]
    by_json: dict[bytes, CachedAction]
    """Maps the JSON of an action, exactly as choices write it, to the action."""


@lru_cache(maxsize=64)
def make_action_cache(
    cards: tuple[str, ...], symbols: tuple[int, ...], places: tuple[Place, ...]
) -> ActionCache:
    """Return the cache for these card names, the symbol number of each card, and these place names."""
    advances = tuple(tuple(Advance(card, place) for place in places) for card in cards)
    retreats = tuple(Retreat(place) for place in places)
    names = [json.dumps(place).encode() for place in places]
    open_suffixes = tuple(name + b',"final":false}' for name in names)
    final_suffixes = tuple(name + b',"final":true}' for name in names)
    draw_suffixes = [tuple(name + b',"draws":%d,"final":true}' % drawn for name in names) for drawn in (1, 2)]
    interned: dict[Action, Action] = {END: END}
    by_json = {b'{"type":"end"}': CachedAction(END, END.to_json(), END_CHOICE_JSON)}

    def add(action: Action) -> bytes:
        """Add the action to the cache and return the first bytes of its choice."""
        encoded = action.to_json()
        text = json.dumps(encoded, separators=(",", ":")).encode()
        prefix = b'{"action":%b,"to":' % text
        interned[action], by_json[text] = action, CachedAction(action, encoded, prefix)
        return prefix

    advance_prefixes = tuple(
        tuple((add(advance), symbol) for advance in row)
        for symbol, row in zip(symbols, advances, strict=True)
    )
    return ActionCache(
        advances=advances,
        advances_by_hand=_ItemsByHand(advances),
        retreats=retreats,
        interned=interned,
        choice_suffixes=((open_suffixes, *draw_suffixes), (final_suffixes, *draw_suffixes)),
        advance_prefixes=advance_prefixes,
        advance_prefixes_by_hand=_ItemsByHand(advance_prefixes),
        retreat_prefixes=tuple(map(add, retreats)),
        by_json=by_json,
    )
