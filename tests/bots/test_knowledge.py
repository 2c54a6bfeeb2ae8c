"""Sampled positions fit everything that a seat has seen, and hidden cards do not influence them."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import rules
from app.bots import LEVELS, Budget
from app.bots.engine_choose import choose_from_position
from app.bots.knowledge import Contradiction, make_hypothesis
from app.bots.sampling import PositionSampler, acting_seat
from tests.bots.tables import Json, play_randomly

TABLES: list[Json] = [
    {"preset": "hispaniola", "players": 3, "scoundrels": True},
    {"preset": "jamaica", "players": 2},
    {"preset": "dungeon", "players": 4, "black_magic": True},
    {"preset": "complete", "players": 3, "black_magic": True, "scoundrels": True, "card_gain": "both"},
    {"preset": "dungeon", "players": 3, "black_magic": True, "hands": "open"},
]


@given(table=st.sampled_from(TABLES), number=st.integers(0, 10_000), step=st.integers(0, 250))
@settings(max_examples=60, deadline=None)
def test_a_sampled_position_has_the_same_view(table: Json, number: int, step: int):
    for count, (position, histories) in enumerate(play_randomly(table, number, step)):
        if count != step and position.winner is None:
            continue
        for seat in range(position.options.players):
            view = rules.view(position, seat)
            if position.winner is not None:
                continue
            sampled = PositionSampler(view, seat, histories[seat]).sample(random.Random(number))
            assert rules.view(sampled, seat) == view
            # The sample is a valid position: it has the full set of cards and all tokens.
            assert rules.position_from_json(rules.position_to_json(sampled)) == sampled


GUESSED_EVENTS = ("card_stolen", "cards_shared", "cards_stacked")


@given(table=st.sampled_from(TABLES), number=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_known_cards_are_where_the_seat_assumes_them(table: Json, number: int):
    for position, histories in play_randomly(table, number, 120):
        if position.winner is not None:
            return
        for seat in range(position.options.players):
            try:
                hypothesis = make_hypothesis(rules.view(position, seat), histories[seat], random.Random(1))
            except Contradiction:
                # Only guesses about unseen thefts and shares can be wrong.
                assert any(
                    event["type"] in GUESSED_EVENTS and None in (event.get("card"), event.get("keep"))
                    for event in histories[seat]
                )
                continue
            if not hypothesis.is_certain:
                continue
            for other, known in enumerate(hypothesis.known):
                assert known <= Counter(position.hand_names(other)) or other == seat
            names = position.ruleset.kinds.names
            top = [names[kind] for kind in reversed(position.deck)][: len(hypothesis.deck_top)]
            sure = [
                (said, true) for said, true in zip(hypothesis.deck_top, top, strict=True) if said is not None
            ]
            assert all(said == true for said, true in sure)


def test_a_card_seen_leaving_the_row_is_remembered():
    for position, histories in play_randomly({"preset": "hispaniola", "players": 2}, 7, 60):
        if position.winner is not None:
            return
        seen = Counter[str]()
        for event in histories[0]:
            if event["type"] == "cards_drawn" and event["seat"] == 1:
                seen.update(event["cards"])
            elif event["type"] == "advanced" and event["seat"] == 1 and seen[event["card"]]:
                seen[event["card"]] -= 1
        sampled = PositionSampler(rules.view(position, 0), 0, histories[0]).sample(random.Random(2))
        assert seen <= Counter(sampled.hand_names(1))


def shuffle_hidden(position: rules.Position, seat: int, rng: random.Random) -> rules.Position:
    """Return another position that looks the same to the seat."""
    return PositionSampler(rules.view(position, seat), seat, ()).sample(rng)


@pytest.mark.parametrize("level", LEVELS)
def test_hidden_cards_do_not_change_a_bots_action(level: str):
    for table in TABLES[:4]:
        for count, (position, _) in enumerate(play_randomly(table, 3, 60)):
            if count % 12 or position.winner is not None:
                continue
            seat = rules.seats_to_act(position)[0]
            other = shuffle_hidden(position, seat, random.Random(count))
            assert rules.position_to_json(other) != rules.position_to_json(position)
            moves = [
                choose_from_position(each, seat, level, Budget(nodes=200), random.Random(9))
                for each in (position, other)
            ]
            assert moves[0] == moves[1]


def test_the_acting_seat_follows_from_the_view():
    for table in TABLES:
        for position, _ in play_randomly(table, 11, 200):
            for seat in rules.seats_to_act(position):
                view = rules.view(position, seat)
                actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
                if table.get("hands") != "open":
                    assert acting_seat(view, actions) == seat


@pytest.mark.parametrize(
    ("seat", "level", "code"),
    [(1, "captain", "not_your_turn"), (0, "admiral", "bad_action")],
)
def test_an_invalid_choose_request_is_refused(seat: int, level: str, code: str):
    position = rules.new_game(rules.parse_options({"preset": "tortuga", "players": 2, "first": 0}), "1" * 64)
    with pytest.raises(rules.RuleError) as refusal:
        choose_from_position(position, seat, level)
    assert refusal.value.code == code
