"""Choices joined from cached fragments equal those built from the legal list."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from app import rules
from app.rules.formats.choices import preview_choices
from app.rules.modules.scoundrels import DiscardPlaceholder

VARIANTS: tuple[dict[str, object], ...] = (
    {},
    {"scoundrels": True},
    {"card_gain": "both"},
    {"black_magic": True},
)


@pytest.mark.parametrize("preset", sorted(rules.PRESETS))
def test_written_choices_equal_previewed_ones_throughout_a_game(preset: str) -> None:
    for number, variant in enumerate(VARIANTS):
        try:
            options = rules.parse_options({"preset": preset, "players": 2 + number, **variant})
        except rules.BadOptions:
            continue  # not every edition has the symbols of black magic
        chance = random.Random(number)
        position = rules.new_game(options, f"{number:064x}")
        for _ in range(150):
            if position.winner is not None:
                break
            for seat in range(options.players):
                listed = rules.legal(position, seat)
                choices = json.loads(rules.choices_json(position, seat))
                assert choices == preview_choices(position, seat, listed, is_undo_closed=False)
                final_choices = rules.choices_json(position, seat, is_undo_closed=True)
                assert json.loads(final_choices) == preview_choices(
                    position, seat, listed, is_undo_closed=True
                )
                assert all(choice["final"] for choice in json.loads(final_choices))
                _check_actions_are_cached(position, choices, listed)
                _check_prefixes_match_legal_actions(position, final_choices, listed)
            seat = chance.choice(rules.seats_to_act(position))
            action = chance.choice(rules.legal(position, seat))
            if isinstance(action, DiscardPlaceholder):
                action = rules.default_action(position, seat)
            # Use an equal but different object, as parsing a client's message would.
            sent = rules.action_from_json(rules.action_to_json(action))
            after, events = rules.apply(position, seat, sent)
            assert rules.apply(position, seat, action.canonical(), is_listed=True) == (after, events)
            position = after


def _check_actions_are_cached(
    position: rules.Position, choices: list[dict[str, Any]], listed: list[rules.Action]
) -> None:
    for choice, action in zip(choices, listed, strict=True):
        words = json.dumps(choice["action"], separators=(",", ":")).encode()
        known = rules.find_cached_action(position, words)
        if isinstance(action, rules.Advance | rules.Retreat | rules.End):
            assert known is not None
            assert known.action is action
        if known is not None:
            assert known[:2] == (rules.action_from_json(choice["action"]), choice["action"])


def _check_prefixes_match_legal_actions(
    position: rules.Position, choices: bytes, listed: list[rules.Action]
) -> None:
    """Check that the prefix test of rooms accepts exactly the legal actions."""
    legal = set(map(id, listed))
    for known in position.ruleset.cache.by_json.values():
        assert (known.choice_prefix in choices) == (id(known.action) in legal)


def test_other_json_for_the_same_action_is_not_in_the_cache() -> None:
    position = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2}), "0" * 64)
    for words in (b'{"type": "end"}', b'{"type":"resign"}', b'{"from":"start","type":"retreat"}', b"[]", b""):
        assert rules.find_cached_action(position, words) is None
