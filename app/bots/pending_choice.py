"""Answers to pending choices: which cards to steal, share, stack or discard, by their value in a hand."""

from __future__ import annotations

from collections.abc import Sequence

from app import rules
from app.bots.evaluation import SCORE_UNIT, Evaluator
from app.rules.core.action import Action
from app.rules.core.position import Position
from app.rules.modules.black_magic.lantern import Stack
from app.rules.modules.black_magic.pistol import Steal
from app.rules.modules.black_magic.rum import Share
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder

_DARK_CARD_VALUE = SCORE_UNIT // 50
"""Additional value of a dark card, which makes other seats discard."""


def card_values(position: Position, seat: int) -> list[float]:
    """Return the value of one more card of each kind for the seat: higher if it jumps further and is rarer in hand."""
    route = position.ruleset.route
    kinds = position.ruleset.kinds
    occupancy = position.occupancy
    hand = position.hands[seat]
    spots = [place for place in dict.fromkeys(position.pirates[seat]) if place != route.goal]
    by_symbol = []
    for symbol in range(6):
        jumps = sorted(
            (
                next(
                    (s for s in route.spaces_ahead[symbol][place] if not occupancy[s]), route.side_end[place]
                )
                - place
                for place in spots
            ),
            reverse=True,
        )
        count = sum(hand[kind] for kind in kinds.by_symbol[symbol])
        best = jumps[0] if jumps else 0
        by_symbol.append((6.0 + best) / (1.0 + 0.35 * count))
    return [
        by_symbol[symbol] + (0.5 if kinds.dark[kind] else 0.0) for kind, symbol in enumerate(kinds.symbol)
    ]


def answer(position: Position, seat: int, listed: Sequence[Action]) -> Action:
    """Return the best answer to the pending choice of a seat."""
    if isinstance(listed[0], DiscardPlaceholder):
        return Discard(_least_valuable(position, seat, listed[0].count))
    return max(listed, key=lambda action: answer_value(position, seat, action, card_values(position, seat)))


def answer_value(position: Position, seat: int, action: Action, values: list[float]) -> float:
    """Return the value of an answer, given the values of the cards (`card_values`)."""
    numbers = position.ruleset.kinds.by_name
    match action:
        case Steal(card):
            return values[numbers[card]]
        case Share(keep, give):
            kept = _combined_value(position, seat, keep)
            given = sum(card_values(position, other)[numbers[card]] for other, card in give)
            return kept - given / max(1, len(give))
        case Stack(keep, back):
            # Another seat usually draws next, so the worst card goes on top.
            return 4 * values[numbers[keep]] - sum(
                values[numbers[card]] / (2 + depth) for depth, card in enumerate(back)
            )
        case _:
            return 0.0


def _combined_value(position: Position, seat: int, cards: Sequence[str]) -> float:
    """Return the value of keeping the cards together; a second card of a symbol is worth less than the first."""
    twin = position.copy()
    hand = twin.hands[seat] = twin.hands[seat][:]
    numbers = position.ruleset.kinds.by_name
    total = 0.0
    for card in cards:
        total += card_values(twin, seat)[numbers[card]]
        hand[numbers[card]] += 1
    return total


def _least_valuable(position: Position, seat: int, count: int) -> tuple[str, ...]:
    """Return cards to discard, chosen one at a time so that the hand loses as little value as possible."""
    twin = position.copy()
    hand = twin.hands[seat] = twin.hands[seat][:]
    names = position.ruleset.kinds.names
    evaluator = Evaluator(position.ruleset, seat)
    given: list[str] = []
    for _ in range(count):
        best, best_value = -1, -(1 << 60)
        for kind, held in enumerate(hand):
            if held:
                hand[kind] -= 1
                twin.hand_sizes[seat] -= 1
                value = evaluator.own_score(twin, seat) - _DARK_CARD_VALUE * position.ruleset.kinds.dark[kind]
                hand[kind] += 1
                twin.hand_sizes[seat] += 1
                if value > best_value:
                    best, best_value = kind, value
        hand[best] -= 1
        twin.hand_sizes[seat] -= 1
        given.append(names[best])
    return tuple(sorted(given))


def settle_all(position: Position) -> None:
    """Answer all pending choices in place with the lowest cards, so that a search can go on.

    Within a search the kinds of these cards are unknown anyway; only the numbers of cards matter.
    """
    while position.pending is not None and position.winner is None:
        seat = position.pending.seats[0]
        action = position.pending.lowest_answer(position, seat)
        if action is None:
            position.pending = None  # the victim's cards are all unknown: skip the steal
        else:
            rules.apply_in_place(position, seat, action)
