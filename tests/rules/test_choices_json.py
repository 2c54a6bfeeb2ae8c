"""The choices that are put together from ready-made texts are the choices."""

from __future__ import annotations

import json
import random

import pytest

from app import rules

VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"scoundrels": True},
    {"card_gain": "both"},
    {"black_magic": True},
)


@pytest.mark.parametrize("preset", sorted(rules.PRESETS))
def test_ready_made_choices_are_the_same_for_every_seat_all_game_long(preset: str) -> None:
    for number, variant in enumerate(VARIANTS):
        try:
            options = rules.parse_options({"preset": preset, "players": 2 + number, **variant})
        except rules.BadOptions:
            continue  # black magic needs symbols that not every edition has
        chance = random.Random(number)
        position = rules.new_game(options, f"{number:064x}")
        for _ in range(150):
            if rules.is_over(position):
                break
            for seat in range(options.players):
                told = json.loads(rules.choices_json(position, seat))
                assert told == rules.choices(position, seat)
            seat = chance.choice(rules.seats_to_act(position))
            action = chance.choice(rules.legal(position, seat))
            if isinstance(action, rules.OwedDiscard):
                action = rules.default_action(position, seat)
            # A fresh value, as it comes from a client: it is the same action without being the same object.
            sent = rules.action_from_json(rules.action_to_json(action))
            position, _ = rules.apply(position, seat, sent)
