"""Powers: what a card can do instead of an advance, and the pending choice that a power can leave."""

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


class IllegalPowerReason(Reason):
    """Reasons why any power can be illegal."""

    no_black_magic = "This table does not use black magic."
    wrong_power_card = "That power needs this card: {symbol}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """The power of one symbol."""

    symbol: str
    offer: Offer
    actions: dict[type[Action], Rule]
    events: tuple[type[Event], ...]
    all_actions: Callable[[Ruleset], Iterable[Action]]
    pending_types: tuple[type[Pending], ...] = ()


class PendingPower(Pending):
    """A choice of the seat that played a power. `dark` says whether it was played with a dark card."""

    __slots__ = ()
    seat: int
    dark: bool

    @property
    def seats(self) -> tuple[int, ...]:
        return (self.seat,)


def play_power_cards(position: Position, seat: int, *cards: str, cost: int = 1) -> bool:
    """Discard cards played for their power and count `cost` actions. Return whether one of the cards is dark."""
    kinds = position.ruleset.kinds
    for card in cards:
        discard_card(position, seat, kinds.by_name[card])
    position.actions_taken += cost
    return any(kinds.dark[kinds.by_name[card]] for card in cards)


def close_pending(position: Position) -> bool:
    """Remove the answered choice. Return whether a dark card was played for it, as a Resolver does."""
    pending, position.pending = position.pending, None
    assert isinstance(pending, PendingPower)
    return pending.dark


def held_kinds(position: Position, seat: int, symbol: str) -> list[int]:
    """Return the kinds of a symbol that the seat holds."""
    hand = position.hands[seat]
    return [kind for kind in position.ruleset.kinds.by_symbol_name[symbol] if hand[kind]]


def held_pairs(position: Position, seat: int, first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """Return the pairs of one kind from each list that the hand can play; a kind can pair with itself if held twice."""
    hand = position.hands[seat]
    return [(one, other) for one in first for other in second if one != other or hand[one] > 1]


def explain_wrong_card(card: str, symbol: str) -> Illegal | None:
    """Return the error if the card does not have the symbol, else None."""
    return (
        None
        if card.removesuffix("*") == symbol
        else Illegal(IllegalPowerReason.wrong_power_card, symbol=symbol)
    )


def check_pending_power(value: Json, position: Position) -> None:
    """Check the fields that all pending choices of powers share. Raise BadPosition if they are invalid."""
    kind = value["kind"]
    if not position.options.black_magic:
        raise BadPosition(f"A {kind} can be pending only with black magic.")
    if type(value["seat"]) is not int or value["seat"] != position.turn_seat:
        raise BadPosition(f"A {kind} can be pending only for the seat whose turn it is.")
    if type(value["dark"]) is not bool or (value["dark"] and not position.options.scoundrels):
        raise BadPosition("dark must be true or false, and false without scoundrels.")
