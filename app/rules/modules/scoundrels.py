"""Scoundrels: a dark card played makes every other seat discard down to seven cards."""

from __future__ import annotations

from app.rules.core.actions import Action, Discard, OwedDiscard
from app.rules.core.events import CardsDiscarded, DiscardOwed
from app.rules.core.movement import discard_card
from app.rules.core.pending import OwedDiscards
from app.rules.core.position import Position
from app.rules.core.ruleset import Events, Module

__all__ = ["HAND_LIMIT", "SCOUNDRELS"]

HAND_LIMIT = 7


def _others_owe_discards(position: Position, seat: int, events: Events) -> None:
    owed = tuple(
        (other, held - HAND_LIMIT)
        for other, held in enumerate(position.held)
        if other != seat and held > HAND_LIMIT and not position.resigned[other]
    )
    if owed:
        position.pending = OwedDiscards(owed)
        if events is not None:
            events.append(DiscardOwed(owed))


def _owed_answers(position: Position, seat: int) -> list[Action]:
    assert isinstance(position.pending, OwedDiscards)
    return [OwedDiscard(count) for owing, count in position.pending.owed if owing == seat]


def _discard(position: Position, seat: int, action: Discard, events: Events) -> bool:
    numbers = position.ruleset.kinds.numbers
    return _pay(position, seat, sorted(numbers[card] for card in action.cards), events)


def _pay(position: Position, seat: int, kinds: list[int], events: Events) -> bool:
    assert isinstance(position.pending, OwedDiscards)
    for kind in kinds:
        discard_card(position, seat, kind)
    left = tuple(debt for debt in position.pending.owed if debt[0] != seat)
    position.pending = OwedDiscards(left) if left else None
    if events is not None:
        names = position.ruleset.kinds.names
        events.append(CardsDiscarded(seat, tuple(names[kind] for kind in kinds)))
    return False


def _settle(position: Position, seat: int, events: Events) -> bool:
    """A seat that resigns discards its lowest cards."""
    assert isinstance(position.pending, OwedDiscards)
    count = dict(position.pending.owed).get(seat, 0)
    return _pay(position, seat, position.hand_cards(seat)[:count], events) if count else False


SCOUNDRELS = Module(
    name="scoundrels",
    is_on=lambda options: options.scoundrels,
    resolvers={Discard: _discard},
    answers={OwedDiscards: _owed_answers},
    settlers={OwedDiscards: _settle},
    reactions=(_others_owe_discards,),
)
