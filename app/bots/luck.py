"""Luck: how much cards from the deck changed each seat's chance to win, compared with what was to be expected.

Each card is one chance event: its luck is the value with this card minus the mean value over the cards that the deck
held, weighted by their number. The mean of that is zero whatever the evaluation says, so a result minus its luck has
the same mean as the result (a control variate) and varies less.

Not counted: new rows, chest tokens, draws with black magic, where cards on top of the deck can be known, and the deal:
the evaluation exaggerates what a dealt hand is worth, so subtracting it would add variance (bench/README.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from app.bots.evaluation import CERTAINTY, Evaluator, next_seat
from app.rules.core.event import CardsDrawn, DeckShuffled, Event
from app.rules.core.position import Position

__all__ = ["RESIDUAL_SD", "luck_of_action", "luck_of_draws"]

RESIDUAL_SD = {2: 0.49, 3: 0.46, 4: 0.42, 5: 0.39}
"""Standard deviation of a result minus its luck, by the number of seats, measured in jamaica (bench/README.md)."""


class _Draw(NamedTuple):
    """A card drawn from the deck, and what the deck held then."""

    seat: int
    kind: int
    pool: Counter[int]


def luck_of_action(
    evaluator: Evaluator, before: Position, after: Position, events: Sequence[Event]
) -> list[float]:
    """Return each seat's luck in an action, as a difference of chances; none with black magic.

    `evaluator` is one with all hands open.
    """
    if before.options.black_magic:
        return [0.0] * len(before.pirates)
    return luck_of_draws(evaluator, before, after, events)


def luck_of_draws(
    evaluator: Evaluator, before: Position, after: Position, events: Sequence[Event]
) -> list[float]:
    """Like `luck_of_action`, but also with black magic, where the seat may have known cards that it drew."""
    luck = [0.0] * len(before.pirates)
    if after.winner is not None:
        return luck
    draws = _draws_of(after, events)
    if not draws:
        return luck
    # Every card of the action is unknown first; `hand_sizes` counts it all the same.
    shown = after.copy()
    # The evaluation knows turns from their ends; halfway, a card is worth what it is worth afterwards.
    to_move = after.turn_seat if after.turn_seat != before.turn_seat else next_seat(after, after.turn_seat)
    for draw in draws:
        _change_hand(shown, draw.seat, draw.kind, -1)
    for draw in draws:
        actual: list[int] = []
        means = [0.0] * len(luck)
        total = draw.pool.total()
        for kind, count in draw.pool.items():
            _change_hand(shown, draw.seat, kind, 1)
            chances = evaluator.chances(shown, to_move)
            _change_hand(shown, draw.seat, kind, -1)
            means = [mean + chance * count / total for mean, chance in zip(means, chances, strict=True)]
            if kind == draw.kind:
                actual = chances
        _change_hand(shown, draw.seat, draw.kind, 1)
        luck = [
            sum_ + (chance - mean) / CERTAINTY for sum_, chance, mean in zip(luck, actual, means, strict=True)
        ]
    return luck


def _draws_of(after: Position, events: Sequence[Event]) -> list[_Draw]:
    """Return the cards drawn from the deck, in order. Read backwards from the deck that is left."""
    numbers = after.ruleset.kinds.by_name
    pool = Counter(after.deck)
    draws: list[_Draw] = []
    for event in reversed(events):
        if isinstance(event, DeckShuffled):
            pool = Counter()  # the deck was used up
        elif isinstance(event, CardsDrawn) and event.source == "deck":
            for card in reversed(event.cards):
                pool[numbers[card]] += 1
                draws.append(_Draw(event.seat, numbers[card], Counter(pool)))
    draws.reverse()
    return draws


def _change_hand(position: Position, seat: int, kind: int, change: int) -> None:
    hand = position.hands[seat] = position.hands[seat][:]
    hand[kind] += change
