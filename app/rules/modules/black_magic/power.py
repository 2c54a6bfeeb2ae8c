"""A power: a card played for what its symbol can do instead of an advance; and a choice it can leave owed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import BadPosition, Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.movement import discard_card
from app.rules.core.position import Offer, Pending, Position, Ruleset
from app.rules.core.ruleset import Rule


class Why(Reason):
    """Why a power cannot be used, whichever it is."""

    no_black_magic = "This table plays without black magic."
    wrong_power_card = "That power needs a {symbol} card."


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """What one symbol adds to the game."""

    symbol: str
    offer: Offer
    actions: dict[type[Action], Rule]
    events: tuple[type[Event], ...]
    every_action: Callable[[Ruleset], Iterable[Action]]
    debts: tuple[type[Pending], ...] = ()


class Owed(Pending):
    """A choice that the seat owes which played a power; `dark`: with a dark card."""

    __slots__ = ()
    seat: int
    dark: bool

    @property
    def seats(self) -> tuple[int, ...]:
        return (self.seat,)


def pay(position: Position, seat: int, *cards: str, cost: int = 1) -> bool:
    """The cards are played for their power, which counts as so many actions; whether one of them is dark."""
    kinds = position.ruleset.kinds
    for card in cards:
        discard_card(position, seat, kinds.numbers[card])
    position.taken += cost
    return any(kinds.dark[kinds.numbers[card]] for card in cards)


def close_choice(position: Position) -> bool:
    """What was owed has been answered; whether that ends the action of a dark card."""
    owed, position.pending = position.pending, None
    assert isinstance(owed, Owed)
    return owed.dark


def held_kinds(position: Position, seat: int, symbol: str) -> list[int]:
    hand = position.hands[seat]
    return [kind for kind in position.ruleset.kinds.of_name[symbol] if hand[kind]]


def pairs_held(position: Position, seat: int, first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """Two cards of one hand, one from each list; the same kind twice only if it is held twice."""
    hand = position.hands[seat]
    return [(one, two) for one in first for two in second if one != two or hand[one] > 1]


def wrong_card(card: str, symbol: str) -> Illegal | None:
    return None if card.removesuffix("*") == symbol else Illegal(Why.wrong_power_card, symbol=symbol)


def check_owed(value: Json, position: Position) -> None:
    """What all choices that a power leaves owed have in common."""
    kind = value["kind"]
    if not position.options.black_magic:
        raise BadPosition(f"A {kind} is owed only where black magic plays.")
    if type(value["seat"]) is not int or value["seat"] != position.seat:
        raise BadPosition(f"A {kind} is owed by the seat in turn.")
    if type(value["dark"]) is not bool or (value["dark"] and not position.options.scoundrels):
        raise BadPosition("Whether a dark card was played is true or false, and false without scoundrels.")
