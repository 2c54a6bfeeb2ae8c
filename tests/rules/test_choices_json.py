"""The choices that are put together from ready-made texts are the choices."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from app import rules
from app.rules.modules.scoundrels import OwedDiscard

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
            if position.winner is not None:
                break
            for seat in range(options.players):
                told = json.loads(rules.choices_json(position, seat))
                assert told == rules.choices(position, seat)
                sealed = rules.choices_json(position, seat, is_sealed=True)
                assert json.loads(sealed) == rules.choices(position, seat, is_sealed=True)
                assert all(choice["final"] for choice in json.loads(sealed))
                listed = rules.legal(position, seat)
                _check_that_its_words_are_known(position, told, listed)
                _check_that_only_what_is_legal_stands_in_it(position, sealed, listed)
            seat = chance.choice(rules.seats_to_act(position))
            action = chance.choice(rules.legal(position, seat))
            if isinstance(action, OwedDiscard):
                action = rules.default_action(position, seat)
            # A fresh value, as it comes from a client: it is the same action without being the same object.
            sent = rules.action_from_json(rules.action_to_json(action))
            after, events = rules.apply(position, seat, sent)
            assert rules.apply(position, seat, action.canonical(), is_listed=True) == (after, events)
            position = after


def _check_that_its_words_are_known(
    position: rules.Position, told: list[dict[str, Any]], listed: list[rules.Action]
) -> None:
    for choice, action in zip(told, listed, strict=True):
        words = json.dumps(choice["action"], separators=(",", ":")).encode()
        known = rules.known_action(position, words)
        if isinstance(action, rules.Advance | rules.Retreat | rules.End):
            assert known is not None
            assert known.action is action
        if known is not None:
            assert known[:2] == (rules.action_from_json(choice["action"]), choice["action"])


def _check_that_only_what_is_legal_stands_in_it(
    position: rules.Position, told: bytes, listed: list[rules.Action]
) -> None:
    """A room takes an action for legal because its choice begins like this somewhere in the list it has sent."""
    legal = set(map(id, listed))
    for known in position.ruleset.cache.by_json.values():
        assert (known.head in told) == (id(known.action) in legal)


def test_other_words_for_the_same_action_are_not_known() -> None:
    position = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2}), "0" * 64)
    for words in (b'{"type": "end"}', b'{"type":"resign"}', b'{"from":"start","type":"retreat"}', b"[]", b""):
        assert rules.known_action(position, words) is None
