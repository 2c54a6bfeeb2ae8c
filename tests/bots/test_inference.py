"""Inference of hidden hands: samples deal a seat fewer cards of symbols that it declined to play."""

from __future__ import annotations

import random
from itertools import pairwise

from app import rules
from app.bots.inference import FACTORS, declined_layers, likelihoods
from app.bots.sampling import PositionSampler
from tests.bots.tables import Json, play_randomly

TABLE: Json = {"preset": "jamaica", "players": 2}


def turn_starts(number: int) -> list[tuple[rules.Position, list[Json]]]:
    """Return the positions at the start of the turns of seat 0, with the events it has seen."""
    return [
        (position, list(histories[0]))
        for position, histories in play_randomly(TABLE, number, 120)
        if position.winner is None and position.turn_seat == 0 and position.actions_taken == 0
    ]


def test_layers_count_the_cards_held_before_the_last_turns() -> None:
    seen = 0
    for position, history in turn_starts(5):
        layers = declined_layers(rules.view(position, 0), history, position.ruleset.route, [1])[1]
        drawn = 0
        for event in reversed(history):
            if event["type"] == "turn_passed" and event["next"] == 1:
                break
            drawn += event["count"] if event["type"] == "cards_drawn" and event["seat"] == 1 else 0
        if layers:
            assert layers[0].count == position.hand_sizes[1] - drawn
            assert all(one.count >= two.count for one, two in pairwise(layers))
            seen += 1
        assert sum(count for count, _ in likelihoods(layers)) <= position.hand_sizes[1]
    assert seen > 3


def test_a_symbol_with_a_long_jump_declined_is_dealt_less_often() -> None:
    more = less = 0
    for position, history in turn_starts(6):
        view = rules.view(position, 0)
        layers = declined_layers(view, history, position.ruleset.route, [1])[1]
        groups = likelihoods(layers)
        if not groups:
            continue
        weights = groups[0][1]
        least = weights.index(min(weights))
        if 3 * weights[least] > max(weights):
            continue
        guessing = PositionSampler(view, 0, history)
        inferring = PositionSampler(view, 0, history, infers=True)
        rng = random.Random(7)
        less += sum(inferring.sample(rng).hands[1][least] for _ in range(60))
        more += sum(guessing.sample(rng).hands[1][least] for _ in range(60))
    assert 0 < less < 0.8 * more


def test_inferred_positions_have_the_same_view() -> None:
    for position, history in turn_starts(8):
        view = rules.view(position, 0)
        sampled = PositionSampler(view, 0, history, infers=True).sample(random.Random(1))
        assert rules.view(sampled, 0) == view


def test_declining_a_longer_jump_never_makes_a_card_likelier() -> None:
    for row in FACTORS:
        assert list(row) == sorted(row, reverse=True)
