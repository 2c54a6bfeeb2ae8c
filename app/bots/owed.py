"""Owed choices: which card to steal, share, stack or discard, by what each card is worth in a hand."""

from __future__ import annotations

from collections.abc import Sequence

from app import rules
from app.bots.evaluation import strength, weights_for
from app.rules.core.action import Action
from app.rules.core.position import Position
from app.rules.modules.black_magic.lantern import Stack
from app.rules.modules.black_magic.pistol import Steal
from app.rules.modules.black_magic.rum import Share
from app.rules.modules.scoundrels import Discard, OwedDiscard


def card_values(position: Position, seat: int) -> list[float]:
    """Of each kind, what one more is worth to the seat: rarer in hand and reaching further is better."""
    route = position.ruleset.route
    kinds = position.ruleset.kinds
    crowd = position.crowd
    hand = position.hands[seat]
    spots = [place for place in dict.fromkeys(position.pirates[seat]) if place != route.goal]
    by_symbol = []
    for symbol in range(6):
        jumps = sorted(
            (
                next((s for s in route.ahead[symbol][place] if not crowd[s]), route.end[place]) - place
                for place in spots
            ),
            reverse=True,
        )
        count = sum(hand[kind] for kind in kinds.of_symbol[symbol])
        best = jumps[0] if jumps else 0
        by_symbol.append((6.0 + best) / (1.0 + 0.35 * count))
    return [
        by_symbol[symbol] + (0.5 if kinds.dark[kind] else 0.0) for kind, symbol in enumerate(kinds.symbol)
    ]


def answer(position: Position, seat: int, listed: Sequence[Action]) -> Action:
    """The answer to what the seat owes."""
    if isinstance(listed[0], OwedDiscard):
        return Discard(_least_wanted(position, seat, listed[0].count))
    return max(listed, key=lambda action: _worth(position, seat, action, card_values(position, seat)))


def _worth(position: Position, seat: int, action: Action, values: list[float]) -> float:
    numbers = position.ruleset.kinds.numbers
    match action:
        case Steal(card):
            return values[numbers[card]]
        case Share(keep, give):
            kept = _worth_together(position, seat, keep)
            given = sum(card_values(position, other)[numbers[card]] for other, card in give)
            return kept - given / max(1, len(give))
        case Stack(keep, back):
            # The next to draw is most often somebody else: let the poorest lie on top.
            return 4 * values[numbers[keep]] - sum(
                values[numbers[card]] / (2 + depth) for depth, card in enumerate(back)
            )
        case _:
            return 0.0


def _worth_together(position: Position, seat: int, cards: Sequence[str]) -> float:
    """Cards kept together: the second of a symbol is worth less than the first."""
    twin = position.copy()
    hand = twin.hands[seat] = twin.hands[seat][:]
    numbers = position.ruleset.kinds.numbers
    total = 0.0
    for card in cards:
        total += card_values(twin, seat)[numbers[card]]
        hand[numbers[card]] += 1
    return total


def _least_wanted(position: Position, seat: int, count: int) -> tuple[str, ...]:
    """One card after the other, each time the one that the hand misses least."""
    twin = position.copy()
    hand = twin.hands[seat] = twin.hands[seat][:]
    names = position.ruleset.kinds.names
    weights = weights_for(position)
    given: list[str] = []
    for _ in range(count):
        best, best_value = -1, float("-inf")
        for kind, held in enumerate(hand):
            if held:
                hand[kind] -= 1
                twin.held[seat] -= 1
                value = strength(twin, seat, weights) - (0.02 if position.ruleset.kinds.dark[kind] else 0.0)
                hand[kind] += 1
                twin.held[seat] += 1
                if value > best_value:
                    best, best_value = kind, value
        hand[best] -= 1
        twin.held[seat] -= 1
        given.append(names[best])
    return tuple(sorted(given))


def settle_all(position: Position) -> None:
    """Answer in place whatever anybody owes with what lies lowest: how a search gets past a choice.

    Within a search the cards that come this way are unknown anyway; how many go where is what counts.
    """
    while position.pending is not None and position.winner is None:
        seat = position.pending.seats[0]
        action = position.pending.lowest(position, seat)
        if action is None:
            position.pending = None  # only unknown cards: the thief takes one, the victim draws one
        else:
            rules.play(position, seat, action)
