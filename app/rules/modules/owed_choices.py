"""The choices that black magic leaves owed: steal, share and stack, and how a resigning seat settles them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.rules.core.actions import Action, Share, Stack, Steal
from app.rules.core.magic_events import CardsShared, CardsStacked, CardStolen, StealLapsed
from app.rules.core.movement import lose_card
from app.rules.core.pending import OwedShare, OwedStack, OwedSteal
from app.rules.core.position import Position
from app.rules.core.ruleset import Answers, Events, Resolver, Settler
from app.rules.core.supply import gain, take

__all__ = ["ANSWERS", "RESOLVERS", "SETTLERS"]


def _arrangements(cards: tuple[int, ...], count: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every different way to lay `count` of the sorted cards out in order, each with the sorted rest."""
    if count == 0:
        yield (), cards
        return
    for index, card in enumerate(cards):
        if index and cards[index - 1] == card:
            continue
        for tail, rest in _arrangements(cards[:index] + cards[index + 1 :], count - 1):
            yield (card, *tail), rest


def _names(position: Position, cards: Sequence[int]) -> tuple[str, ...]:
    names = position.ruleset.kinds.names
    return tuple(names[card] for card in cards)


# --- steal


def _steal_answers(position: Position, seat: int) -> list[Action]:
    owed = position.pending
    assert isinstance(owed, OwedSteal)
    if seat != owed.seat:
        return []
    names = position.ruleset.kinds.names
    return [Steal(names[kind]) for kind, count in enumerate(position.hands[owed.victim]) if count]


def _steal(position: Position, seat: int, action: Steal, events: Events) -> bool:
    owed = position.pending
    assert isinstance(owed, OwedSteal)
    kind = position.ruleset.kinds.numbers[action.card]
    lose_card(position, owed.victim, kind)
    gain(position, seat, kind)
    position.pending = None
    if events is not None:
        events.append(CardStolen(seat, owed.victim, action.card))
    take(position, owed.victim, 1, events)
    return owed.dark


def _settle_steal(position: Position, seat: int, events: Events) -> bool:
    """The thief resigns: it takes the lowest card. The victim resigns: the steal lapses."""
    owed = position.pending
    assert isinstance(owed, OwedSteal)
    if seat == owed.seat:
        lowest = position.hand_names(owed.victim)[0]
        return _steal(position, seat, Steal(lowest), events)
    if seat == owed.victim:
        position.pending = None
        if events is not None:
            events.append(StealLapsed(owed.seat, owed.victim))
        return owed.dark
    return False


# --- share


def _receivers(position: Position, seat: int) -> list[int]:
    return [other for other in position.seats_in if other != seat]


def _share_answers(position: Position, seat: int) -> list[Action]:
    owed = position.pending
    assert isinstance(owed, OwedShare)
    if seat != owed.seat:
        return []
    receivers = _receivers(position, seat)
    return [
        Share(_names(position, keep), tuple(zip(receivers, _names(position, given), strict=True)))
        for given, keep in _arrangements(owed.cards, len(receivers))
    ]


def _share(position: Position, seat: int, action: Share, events: Events) -> bool:
    owed = position.pending
    assert isinstance(owed, OwedShare)
    numbers = position.ruleset.kinds.numbers
    for card in action.keep:
        gain(position, seat, numbers[card])
    for receiver, card in action.give:
        gain(position, receiver, numbers[card])
    position.pending = None
    if events is not None:
        events.append(CardsShared(seat, action.keep, action.give))
    return owed.dark


def _settle_share(position: Position, seat: int, events: Events) -> bool:
    """The lowest cards are kept, the others given ascending by seat."""
    owed = position.pending
    assert isinstance(owed, OwedShare)
    if seat != owed.seat:
        return False
    receivers = _receivers(position, seat)
    kept = len(owed.cards) - len(receivers)
    cards = _names(position, owed.cards)
    return _share(
        position, seat, Share(cards[:kept], tuple(zip(receivers, cards[kept:], strict=True))), events
    )


# --- stack


def _stack_answers(position: Position, seat: int) -> list[Action]:
    owed = position.pending
    assert isinstance(owed, OwedStack)
    if seat != owed.seat:
        return []
    return [
        Stack(_names(position, keep)[0], _names(position, back))
        for back, keep in _arrangements(owed.cards, len(owed.cards) - 1)
    ]


def _stack(position: Position, seat: int, action: Stack, events: Events) -> bool:
    owed = position.pending
    assert isinstance(owed, OwedStack)
    numbers = position.ruleset.kinds.numbers
    gain(position, seat, numbers[action.keep])
    position.deck += bytearray(numbers[card] for card in reversed(action.back))
    position.pending = None
    if events is not None:
        events.append(CardsStacked(seat, action.keep, action.back))
    return owed.dark


def _settle_stack(position: Position, seat: int, events: Events) -> bool:
    """The lowest card is kept, the others put back ascending."""
    owed = position.pending
    assert isinstance(owed, OwedStack)
    if seat != owed.seat:
        return False
    cards = _names(position, owed.cards)
    return _stack(position, seat, Stack(cards[0], cards[1:]), events)


ANSWERS: dict[type, Answers] = {
    OwedSteal: _steal_answers,
    OwedShare: _share_answers,
    OwedStack: _stack_answers,
}
RESOLVERS: dict[type, Resolver] = {Steal: _steal, Share: _share, Stack: _stack}
SETTLERS: dict[type, Settler] = {
    OwedSteal: _settle_steal,
    OwedShare: _settle_share,
    OwedStack: _settle_stack,
}
