"""The supply: drawing cards from the deck and the row, laying the row, and reshuffling the discards."""

from __future__ import annotations

from app.rules.core.chance import shuffle_sorted
from app.rules.core.event import CardsDrawn, DeckShuffled, RowLaid
from app.rules.core.position import Events, Position


def add_card(position: Position, seat: int, kind: int) -> None:
    """Put one card into a hand."""
    hand = position.hands[seat][:]
    hand[kind] += 1
    position.hands[seat] = hand
    position.hand_sizes[seat] += 1


def reshuffle(position: Position, events: Events) -> None:
    """Shuffle the discards into a new deck. There must be some, because an empty shuffle does not count."""
    discard = position.discard
    position.shuffles += 1
    # Kinds are numbered in text order, so this sorts the cards as text.
    shuffled = shuffle_sorted(position.seed, f"deck:{position.shuffles}", sorted(discard))
    shuffled.reverse()
    position.deck = bytes(shuffled)
    position.discard = b""
    if events is not None:
        events.append(DeckShuffled(len(shuffled)))


def lay_row(position: Position, events: Events) -> None:
    """Fill the empty row from the deck as far as cards last, reshuffling the discards if needed."""
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


def _record_drawn(position: Position, seat: int, source: str, drawn: list[int], events: Events) -> None:
    if events is not None and drawn:
        names = position.ruleset.kinds.names
        events.append(CardsDrawn(seat, source, tuple(names[kind] for kind in drawn)))


def _draw_from_deck(position: Position, seat: int, count: int, events: Events) -> None:
    drawn: list[int] = []
    for _ in range(count):
        if not position.deck:
            if not position.discard:
                break
            _record_drawn(position, seat, "deck", drawn, events)
            drawn = []
            reshuffle(position, events)
        kind = position.deck[-1]
        position.deck = position.deck[:-1]
        add_card(position, seat, kind)
        drawn.append(kind)
    _record_drawn(position, seat, "deck", drawn, events)


def _draw_from_row(position: Position, seat: int, count: int, events: Events) -> None:
    drawn: list[int] = []
    for _ in range(count):
        if not position.row:
            lay_row(position, events)
            if not position.row:
                break
        kind = position.row[0]
        position.row = position.row[1:]
        add_card(position, seat, kind)
        drawn.append(kind)
        if not position.row:
            _record_drawn(position, seat, "row", drawn, events)
            drawn = []
            lay_row(position, events)
    _record_drawn(position, seat, "row", drawn, events)


def draw_cards(position: Position, seat: int, count: int, events: Events) -> None:
    """Draw cards as for a retreat, from the row or the deck, as far as they last."""
    if position.ruleset.has_row:
        _draw_from_row(position, seat, count, events)
    else:
        _draw_from_deck(position, seat, count, events)


def draw_relief_card(position: Position, seat: int, events: Events) -> None:
    """Draw the relief card from the deck, or from the row if deck and discards are empty."""
    if position.deck or position.discard or not position.ruleset.has_row:
        _draw_from_deck(position, seat, 1, events)
    else:
        _draw_from_row(position, seat, 1, events)
