"""What is owed in a position from outside: read, and checked against the rest of the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.rules.core.errors import BadPosition
from app.rules.core.pending import OwedDiscards, OwedShare, OwedStack, OwedSteal, Pending
from app.rules.core.position import Position
from app.rules.modules.scoundrels import HAND_LIMIT

__all__ = ["pending_from_json"]

Json = dict[str, Any]

_LANTERN_CARDS = 4


def pending_from_json(value: object, position: Position) -> Pending | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise BadPosition("What is pending must be null or an object.")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in _READERS:
        raise BadPosition(f"The kind of what is pending is one of {', '.join(_READERS)}.")
    names, read = _READERS[kind]
    if value.keys() != names:
        raise BadPosition(f"A pending {kind} has exactly the fields {', '.join(sorted(names))}.")
    if kind == "discard":
        if not position.options.scoundrels:
            raise BadPosition("Discards are owed only where scoundrels play.")
    else:
        if not position.options.black_magic:
            raise BadPosition(f"A {kind} is owed only where black magic plays.")
        if type(value["seat"]) is not int or value["seat"] != position.seat:
            raise BadPosition(f"A {kind} is owed by the seat in turn.")
        if type(value["dark"]) is not bool or (value["dark"] and not position.options.scoundrels):
            raise BadPosition(
                "Whether a dark card was played is true or false, and false without scoundrels."
            )
    return read(value, position)


def _read_steal(value: Json, position: Position) -> Pending:
    victim = value["from"]
    if type(victim) is not int or not 0 <= victim < position.options.players or victim == position.seat:
        raise BadPosition("A card is stolen from another seat of the table.")
    if position.resigned[victim] or not position.held[victim]:
        raise BadPosition("A card is stolen from a seat that is still in and holds one.")
    return OwedSteal(value["seat"], victim, value["dark"])


def _choice_cards(value: Json, position: Position, low: int, high: int) -> tuple[int, ...]:
    cards = value["cards"]
    numbers = position.ruleset.kinds.numbers
    if not isinstance(cards, list) or not all(isinstance(card, str) and card in numbers for card in cards):
        raise BadPosition("Pending cards are a list of cards of this game.")
    if cards != sorted(cards):
        raise BadPosition("Pending cards must be sorted as text.")
    if not low <= len(cards) <= high:
        raise BadPosition(f"The pending {value['kind']} must have {low} to {high} cards here.")
    return tuple(numbers[card] for card in cards)


def _read_share(value: Json, position: Position) -> Pending:
    # Somebody may have resigned since the rum was poured: then there are more cards than seats plus one.
    cards = _choice_cards(value, position, len(position.seats_in) + 1, position.options.players + 1)
    return OwedShare(value["seat"], cards, value["dark"])


def _read_stack(value: Json, position: Position) -> Pending:
    return OwedStack(value["seat"], _choice_cards(value, position, 1, _LANTERN_CARDS), value["dark"])


def _read_discards(value: Json, position: Position) -> Pending:
    owed = value["owed"]
    seats = {str(seat): seat for seat in position.seats_in}
    if not isinstance(owed, dict) or not owed or not owed.keys() <= seats.keys():
        raise BadPosition("Owed discards are an object from the seats still in that owe to a count.")
    for name, count in owed.items():
        if type(count) is not int or count < 1 or position.held[seats[name]] != HAND_LIMIT + count:
            raise BadPosition(f"Player {name} owes exactly the cards that it holds beyond {HAND_LIMIT}.")
    return OwedDiscards(tuple((seat, owed[name]) for name, seat in seats.items() if name in owed))


_READERS: dict[str, tuple[set[str], Callable[[Json, Position], Pending]]] = {
    "steal": ({"kind", "seat", "from", "dark"}, _read_steal),
    "share": ({"kind", "seat", "cards", "dark"}, _read_share),
    "stack": ({"kind", "seat", "cards", "dark"}, _read_stack),
    "discard": ({"kind", "owed"}, _read_discards),
}
