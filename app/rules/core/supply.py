"""The supply: how cards leave the deck and the row, and how discards become a deck again."""

from __future__ import annotations

from app.rules.core.chance import shuffle_sorted
from app.rules.core.event import CardsDrawn, DeckShuffled, RowLaid
from app.rules.core.position import Events, Position


def gain(position: Position, seat: int, kind: int) -> None:
    hand = position.hands[seat][:]
    hand[kind] += 1
    position.hands[seat] = hand
    position.held[seat] += 1


def reshuffle(position: Position, events: Events) -> None:
    """The discards become a new deck. A shuffle of nothing does not happen and is not counted."""
    discard = position.discard
    position.shuffles += 1
    # Kinds are numbered in text order, so sorting them is sorting the cards as text.
    shuffled = shuffle_sorted(position.seed, f"deck:{position.shuffles}", sorted(discard))
    shuffled.reverse()
    position.deck = bytes(shuffled)
    position.discard = b""
    if events is not None:
        events.append(DeckShuffled(len(shuffled)))


def lay_row(position: Position, events: Events) -> None:
    """Lay the row anew with as many cards as there are, mixing the discards in when the deck runs out."""
    missing = position.ruleset.options.row_size
    names = position.ruleset.kinds.names
    while missing and (position.deck or position.discard):
        if not position.deck:
            reshuffle(position, events)
        deck = position.deck
        laid = deck[: -missing - 1 : -1]
        position.deck = deck[: -len(laid)]
        position.row += laid
        missing -= len(laid)
        if events is not None:
            events.append(RowLaid(tuple(names[kind] for kind in laid)))


def _add_drawn(position: Position, seat: int, source: str, drawn: list[int], events: Events) -> None:
    if events is not None and drawn:
        names = position.ruleset.kinds.names
        events.append(CardsDrawn(seat, source, tuple(names[kind] for kind in drawn)))


def _take_from_deck(position: Position, seat: int, count: int, events: Events) -> None:
    drawn: list[int] = []
    for _ in range(count):
        if not position.deck:
            if not position.discard:
                break
            _add_drawn(position, seat, "deck", drawn, events)
            drawn = []
            reshuffle(position, events)
        kind = position.deck[-1]
        position.deck = position.deck[:-1]
        gain(position, seat, kind)
        drawn.append(kind)
    _add_drawn(position, seat, "deck", drawn, events)


def _take_from_row(position: Position, seat: int, count: int, events: Events) -> None:
    drawn: list[int] = []
    for _ in range(count):
        if not position.row:
            lay_row(position, events)
            if not position.row:
                break
        kind = position.row[0]
        position.row = position.row[1:]
        gain(position, seat, kind)
        drawn.append(kind)
        if not position.row:
            _add_drawn(position, seat, "row", drawn, events)
            drawn = []
            lay_row(position, events)
    _add_drawn(position, seat, "row", drawn, events)


def take(position: Position, seat: int, count: int, events: Events) -> None:
    """Take cards as for a retreat; you get what there is."""
    if position.ruleset.has_row:
        _take_from_row(position, seat, count, events)
    else:
        _take_from_deck(position, seat, count, events)


def take_relief(position: Position, seat: int, events: Events) -> None:
    """The relief card comes from the deck even where there is a row, which is the last resort."""
    if position.deck or position.discard or not position.ruleset.has_row:
        _take_from_deck(position, seat, 1, events)
    else:
        _take_from_row(position, seat, 1, events)
