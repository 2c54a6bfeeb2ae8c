"""Fit the factors of app/bots/inference.py, which say how declined jumps change the odds of hidden cards.

    python -m app.research.hands --games 240

Plays games between captains in jamaica, fits the factors on three quarters of them by iterative scaling, and prints
them with the log-likelihood of the true cards in the other games: for random hands, for the present factors and for
the fitted ones.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from random import Random

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import Evaluator
from app.bots.inference import FACTORS, NEUTRAL_FACTOR, Layer, declined_layers, factor_row
from app.bots.turn_search import plans
from app.research.self_play import draw_plan
from app.rules import Json
from app.rules.core.action import End

_WIDTH = 10
_TEMPERATURE = 4
_ROUNDS = 10

Factors = Sequence[Sequence[float]]


@dataclass(frozen=True)
class SeenHand:
    """A hidden hand, and what the seat to move knows about it."""

    game: int
    unseen: list[int]
    """Number of cards of each symbol that the observer does not see."""
    hand: list[int]
    layers: list[Layer]


def play_games(games: int, players: int) -> list[SeenHand]:
    """Return every hidden hand at the start of every turn of the games."""
    hands: list[SeenHand] = []
    options = rules.parse_options({"preset": "jamaica", "players": players})
    for number in range(games):
        rng = Random(f"hands|{number}")
        position = rules.new_game(options, f"{rng.getrandbits(256):064x}")
        judges = [Evaluator(position.ruleset, seat) for seat in range(players)]
        history: list[Json] = []
        for _ in range(100 * players):
            seat = position.turn_seat
            judge = judges[seat]
            turns = plans(position, seat, _WIDTH, Meter(Budget()), judge.value, judge.rough_score)
            if not turns:
                break
            for action in draw_plan(turns, _TEMPERATURE, rng).actions:
                legal = rules.legal(position, seat)
                position, events = rules.apply(position, seat, action if action in legal else End())
                history += rules.events_for(events, None, options)
                if position.winner is not None or position.turn_seat != seat:
                    break
            if position.winner is not None:
                break
            hands += _hands(number, position, history)
    return hands


def _hands(game: int, position: rules.Position, history: Sequence[Json]) -> list[SeenHand]:
    observer = position.turn_seat
    others = [seat for seat in range(len(position.pirates)) if seat != observer]
    layers = declined_layers(rules.view(position, observer), history, position.ruleset.route, others)
    copies = position.ruleset.kinds.copies
    unseen = [
        copies[kind] - position.hands[observer][kind] - position.discard.count(kind) for kind in range(6)
    ]
    return [
        SeenHand(game, unseen, list(position.hands[other]), layers[other])
        for other in others
        if position.hand_sizes[other]
    ]


def expected_shares(seen: SeenHand, factors: Factors) -> list[float]:
    """Return the expected share of each symbol in the hand."""
    held = sum(seen.hand)
    shares = [0.0] * 6
    weights = [1.0] * 6
    counted = 0
    for number, layer in enumerate(seen.layers):
        row = factors[factor_row(layer.held)]
        weights = [weight * row[jump] for weight, jump in zip(weights, layer.jumps, strict=True)]
        earlier = seen.layers[number + 1].count if number + 1 < len(seen.layers) else 0
        count = min(layer.count, held) - min(earlier, held)
        if count > 0:
            total = sum(n * weight for n, weight in zip(seen.unseen, weights, strict=True))
            for symbol in range(6):
                shares[symbol] += count * seen.unseen[symbol] * weights[symbol] / total
            counted += count
    everything = sum(seen.unseen)
    return [(shares[n] + (held - counted) * seen.unseen[n] / everything) / held for n in range(6)]


def log_likelihood(hands: Sequence[SeenHand], factors: Factors) -> float:
    """Return the mean log-likelihood of a hidden card."""
    total, cards = 0.0, 0
    for seen in hands:
        for share, count in zip(expected_shares(seen, factors), seen.hand, strict=True):
            if count:
                total += count * log(share)
                cards += count
    return total / max(1, cards)


def fit_factors(hands: Sequence[SeenHand]) -> list[list[float]]:
    """Return the factors that make the expected card counts equal to the true ones."""
    factors = [[1.0] * len(FACTORS[0]) for _ in FACTORS]
    for _ in range(_ROUNDS):
        true = [[5.0] * len(row) for row in factors]
        expected = [[5.0] * len(row) for row in factors]
        for seen in hands:
            held = sum(seen.hand)
            shares = expected_shares(seen, factors)
            for layer in seen.layers:
                part = min(layer.count, held) / held
                row = factor_row(layer.held)
                for symbol, jump in enumerate(layer.jumps):
                    true[row][jump] += seen.hand[symbol] * part
                    expected[row][jump] += held * shares[symbol] * part
        factors = [
            [factor * (t / e) ** 0.9 for factor, t, e in zip(*rows, strict=True)]
            for rows in zip(factors, true, expected, strict=True)
        ]
    return factors


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=240)
    parser.add_argument("--players", type=int, default=2)
    arguments = parser.parse_args()
    hands = play_games(arguments.games, arguments.players)
    fitted = fit_factors([seen for seen in hands if seen.game % 4])
    others = [seen for seen in hands if not seen.game % 4]
    uniform = [[1.0] * len(row) for row in FACTORS]
    present = [[factor / NEUTRAL_FACTOR for factor in row] for row in FACTORS]
    cards = sum(sum(seen.hand) for seen in others) / max(1, len(others))
    print(f"{len(others)} hands of {cards:.1f} cards; log-likelihood of a card:")
    for name, factors in (("at random", uniform), ("by the program", present), ("as fitted", fitted)):
        print(f"  {name:15} {log_likelihood(others, factors):.4f}")
    for row in fitted:
        print("    (" + ", ".join(str(round(NEUTRAL_FACTOR * factor)) for factor in row) + "),")


if __name__ == "__main__":
    main()
