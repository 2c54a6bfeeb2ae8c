"""Bots know what their seat knows: imagined positions fit everything seen, and nothing hidden leaks in."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import rules
from app.bots import LEVELS, Budget
from app.bots.engine_choose import choose_from_position
from app.bots.knowledge import Contradiction, suppose
from app.bots.sampling import PositionSampler, acting_seat
from tests.bots.tables import Json, wander

TABLES: list[Json] = [
    {"preset": "hispaniola", "players": 3, "scoundrels": True},
    {"preset": "jamaica", "players": 2},
    {"preset": "dungeon", "players": 4, "black_magic": True},
    {"preset": "complete", "players": 3, "black_magic": True, "scoundrels": True, "card_gain": "both"},
    {"preset": "dungeon", "players": 3, "black_magic": True, "hands": "open"},
]


@given(table=st.sampled_from(TABLES), number=st.integers(0, 10_000), step=st.integers(0, 250))
@settings(max_examples=60, deadline=None)
def test_an_imagined_position_looks_like_the_view(table: Json, number: int, step: int):
    for count, (position, histories) in enumerate(wander(table, number, step)):
        if count != step and position.winner is None:
            continue
        for seat in range(position.options.players):
            view = rules.view(position, seat)
            if position.winner is not None:
                continue
            imagined = PositionSampler(view, seat, histories[seat]).sample(random.Random(number))
            assert rules.view(imagined, seat) == view
            # Valid in every other way too: the full set of cards, all tokens, nobody in two places.
            assert rules.position_from_json(rules.position_to_json(imagined)) == imagined


GUESSED = ("card_stolen", "cards_shared", "cards_stacked")


@given(table=st.sampled_from(TABLES), number=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_what_a_seat_is_sure_of_is_true(table: Json, number: int):
    for position, histories in wander(table, number, 120):
        if position.winner is not None:
            return
        for seat in range(position.options.players):
            try:
                hypothesis = suppose(rules.view(position, seat), histories[seat], random.Random(1))
            except Contradiction:
                # Only a guess can be wrong: somebody took or shared cards that this seat did not see.
                assert any(
                    event["type"] in GUESSED and None in (event.get("card"), event.get("keep"))
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
    for position, histories in wander({"preset": "hispaniola", "players": 2}, 7, 60):
        if position.winner is not None:
            return
        seen = Counter[str]()
        for event in histories[0]:
            if event["type"] == "cards_drawn" and event["seat"] == 1:
                seen.update(event["cards"])
            elif event["type"] == "advanced" and event["seat"] == 1 and seen[event["card"]]:
                seen[event["card"]] -= 1
        imagined = PositionSampler(rules.view(position, 0), 0, histories[0]).sample(random.Random(2))
        assert seen <= Counter(imagined.hand_names(1))


def shuffled_unseen(position: rules.Position, seat: int, rng: random.Random) -> rules.Position:
    """Another position that the seat cannot tell from this one."""
    return PositionSampler(rules.view(position, seat), seat, ()).sample(rng)


@pytest.mark.parametrize("level", LEVELS)
def test_cards_that_a_seat_cannot_see_do_not_change_its_move(level: str):
    for table in TABLES[:4]:
        for count, (position, _) in enumerate(wander(table, 3, 60)):
            if count % 12 or position.winner is not None:
                continue
            seat = rules.seats_to_act(position)[0]
            other = shuffled_unseen(position, seat, random.Random(count))
            assert rules.position_to_json(other) != rules.position_to_json(position)
            moves = [
                choose_from_position(each, seat, level, Budget(nodes=200), random.Random(9))
                for each in (position, other)
            ]
            assert moves[0] == moves[1]


def test_a_view_tells_whose_choice_it_is():
    for table in TABLES:
        for position, _ in wander(table, 11, 200):
            for seat in rules.seats_to_act(position):
                view = rules.view(position, seat)
                actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
                if table.get("hands") != "open":
                    assert acting_seat(view, actions) == seat


@pytest.mark.parametrize(
    ("seat", "level", "code"),
    [(1, "captain", "not_your_turn"), (0, "admiral", "bad_action")],
)
def test_a_choice_that_cannot_be_made_is_refused(seat: int, level: str, code: str):
    position = rules.new_game(rules.parse_options({"preset": "tortuga", "players": 2, "first": 0}), "1" * 64)
    with pytest.raises(rules.RuleError) as refusal:
        choose_from_position(position, seat, level)
    assert refusal.value.code == code
