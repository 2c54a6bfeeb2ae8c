"""Properties of every game, over all subsets of the modules, from new games and random positions.

`make test` runs a fixed set of games; CARTAGENA_LONG=1 runs twenty times as many new ones.
"""

from __future__ import annotations

import copy
import json
import os
import random
from collections import Counter
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from app import rules
from app.rules.modules.black_magic.parrot import AdvanceWithParrots
from app.rules.modules.black_magic.rum import Share
from app.rules.modules.scoundrels import Discard, DiscardPlaceholder
from tests.choices import choices_of
from tests.rules.random_games import (
    Step,
    all_actions,
    audiences,
    choose,
    games,
    play_randomly,
    random_position,
    tables,
)
from tools.records import record_to_json

IS_LONG = bool(os.environ.get("CARTAGENA_LONG"))


def run_examples(examples: int) -> settings:
    return settings(
        max_examples=examples * (20 if IS_LONG else 1),
        derandomize=not IS_LONG,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )


def cards_of(position: rules.Position) -> Counter[str]:
    whole = rules.position_to_json(position)
    cards = Counter(card for player in whole["players"] for card in player["hand"])
    cards.update([*whole["deck"], *whole["row"], *whole["discard"]])
    if whole["pending"]:
        cards.update(whole["pending"].get("cards", []))
    return cards


@run_examples(80)
@given(games())
def test_cards_and_pirates_are_conserved(game: list[Step]):
    for step in game:
        assert cards_of(step.before) == cards_of(step.after)
        assert [len(pirates) for pirates in step.after.pirates] == [step.after.options.pirates] * len(
            step.after.pirates
        )
        counted = Counter(place for pirates in step.after.pirates for place in pirates)
        assert list(step.after.occupancy) == [counted[place] for place in range(len(step.after.occupancy))]
        assert [sum(hand) for hand in step.after.hands] == step.after.hand_sizes


@run_examples(80)
@given(games())
def test_at_most_three_pirates_share_a_space_or_a_colour_aboard(game: list[Step]):
    for step in game:
        route = step.after.ruleset.route
        for place, count in enumerate(step.after.occupancy):
            assert count <= 3 or route.symbol[place] < 0
        assert all(pirates.count(route.sloop) <= 3 for pirates in step.after.pirates if route.sloop > 0)


@run_examples(80)
@given(games())
def test_a_seat_can_act_until_the_game_is_won(game: list[Step]):
    for step in game:
        position = step.after
        acting = rules.seats_to_act(position)
        if position.winner is not None:
            assert (acting, rules.legal_for_all(position)) == ((), [])
            continue
        assert acting
        listed = rules.legal_for_all(position)
        assert {seat for seat, _ in listed} == set(acting)
        texts = [(seat, json.dumps(rules.action_to_json(action))) for seat, action in listed]
        assert len(texts) == len(set(texts)), "Each action is listed once."
        assert all(not isinstance(action, rules.Resign) for _, action in listed)
        for seat in acting:
            assert not position.resigned[seat]
            rules.apply(position, seat, rules.default_action(position, seat))


@run_examples(60)
@given(games())
def test_a_seat_wins_exactly_if_all_its_pirates_are_at_the_goal_or_it_is_the_last(game: list[Step]):
    for step in game:
        position = step.after
        goal = position.ruleset.route.goal
        home = [seat for seat in position.active_seats if set(position.pirates[seat]) == {goal}]
        alone = position.active_seats if len(position.active_seats) == 1 else []
        assert (position.winner is not None) == bool(home or alone)
        assert position.winner is None or position.winner in [*home, *alone]


@run_examples(60)
@given(tables(), st.integers(0, 2**32 - 1), st.booleans())
def test_apply_refuses_exactly_what_legal_does_not_list(options, number, is_random_position):
    chance = random.Random(number)
    position = random_position(options, chance) if is_random_position else rules.new_game(options, "0" * 64)
    for _ in range(chance.randrange(4)):
        seat = rules.seats_to_act(position)[0]
        position, _ = rules.apply(position, seat, choose(position, seat, "wizard", chance))
        if position.winner is not None:
            return
    before = json.dumps(rules.position_to_json(position))
    for seat in range(options.players):
        listed = rules.legal(position, seat)
        actions = {*all_actions(options, position), *listed, *mutate(listed, position, chance)}
        for action in actions:
            is_taken = is_accepted(position, seat, action)
            assert is_taken == is_allowed(position, seat, action, listed), (seat, action)
    after = json.dumps(rules.position_to_json(position))
    assert after == before, "Neither a refusal nor an accepted action changes the old position."


def is_accepted(position: rules.Position, seat: int, action: rules.Action) -> bool:
    try:
        rules.apply(position, seat, action)
    except (rules.Illegal, rules.NotYourTurn):
        return False
    return True


def is_allowed(position: rules.Position, seat: int, action: rules.Action, listed: list[rules.Action]) -> bool:
    if isinstance(action, DiscardPlaceholder):
        return False
    if isinstance(action, Discard):
        owed = [entry.count for entry in listed if isinstance(entry, DiscardPlaceholder)]
        return owed == [len(action.cards)] and not Counter(action.cards) - Counter(position.hand_names(seat))
    if isinstance(action, AdvanceWithParrots):
        action = AdvanceWithParrots(tuple(sorted(action.cards)), action.as_symbol, action.origin)
    if isinstance(action, Share):
        action = Share(tuple(sorted(action.keep)), tuple(sorted(action.give)))
    return action in listed


def mutate(listed, position, chance) -> list[rules.Action]:
    """Return slightly changed listed actions: reordered, shortened, doubled, with another card, place or seat."""
    found: list[rules.Action] = []
    changes: list[Any]
    cards = list(position.ruleset.kinds.names)
    for action in chance.sample(listed, min(len(listed), 40)):
        fields = rules.action_to_json(action)
        if fields["type"] == "discard":
            hand = list(position.hand_names(position.turn_seat))
            fields = {"type": "discard", "cards": chance.sample(cards * 3, fields["count"])}
            found.append(Discard(tuple(chance.sample(hand, min(len(hand), len(fields["cards"]))))))
        for name, value in fields.items():
            match value:
                case list():
                    changes = [
                        value[::-1],
                        value[1:],
                        [*value, *value[:1]],
                        [*value[1:], chance.choice(cards)],
                    ]
                case dict():
                    changes = [
                        dict(reversed(value.items())),
                        dict(list(value.items())[1:]),
                        {**value, "4": chance.choice(cards)},
                    ]
                case int():
                    changes = [value + 1, max(0, value - 1)]
                case str() if name != "type" and value.rstrip("*") in cards:
                    changes = [chance.choice(cards), value.rstrip("*") + "*" * (not value.endswith("*"))]
                case _:
                    changes = []
            for change in changes:
                try:
                    found.append(rules.action_from_json({**fields, name: change}))
                except rules.BadAction:
                    continue
    return found


@run_examples(80)
@given(games())
def test_apply_leaves_the_old_position_unchanged(game: list[Step]):
    for step in game:
        before = step.before.copy()
        whole = json.dumps(rules.position_to_json(before))
        rules.apply(before, step.seat, step.action)
        assert before == step.before
        assert json.dumps(rules.position_to_json(before)) == whole


@run_examples(80)
@given(games())
def test_folding_events_into_a_view_gives_the_next_view(game: list[Step]):
    for step in game:
        for audience in audiences(step.before):
            view = rules.view(step.before, audience)
            events_json = rules.events_for(step.events, audience, step.before.options)
            kept = copy.deepcopy(events_json)
            for event in events_json:
                rules.fold(view, event, audience)
            assert view == rules.view(step.after, audience)
            assert events_json == kept, "A fold changes only the view."


@run_examples(60)
@given(games())
def test_json_notation_and_diagram_round_trip_at_every_step(game: list[Step]):
    for step in game:
        text = json.dumps(rules.position_to_json(step.after))
        assert rules.position_from_json(json.loads(text)) == step.after
        assert rules.position_from_diagram(rules.position_to_diagram(step.after)) == step.after
        assert (
            rules.action_from_json(json.loads(json.dumps(rules.action_to_json(step.action)))) == step.action
        )
        for _, action in rules.legal_for_all(step.after):
            assert rules.action_from_text(rules.action_to_text(action)) == action
        assert rules.action_from_text(rules.action_to_text(step.action)) == step.action
        for event in step.events:
            assert json.loads(json.dumps(rules.event_to_json(event))) == rules.event_to_json(event)


@run_examples(60)
@given(tables(), st.integers(0, 2**32 - 1))
def test_replay_of_the_log_gives_the_same_positions(options: rules.Options, number: int):
    chance = random.Random(number)
    server_seed = f"{chance.getrandbits(256):064x}"
    nonces = tuple(f"{chance.getrandbits(128):032x}" for _ in range(options.players))
    start = rules.new_game(options, rules.seed_from(server_seed, nonces))
    game = play_randomly(start, chance, 40, "anything")
    position = game[-1].after
    moves = [rules.Move(step.seat, step.action, float(at)) for at, step in enumerate(game)]
    record = rules.Record(
        options=options,
        commitment=rules.commitment_of(server_seed),
        server_seed=server_seed,
        nonces=nonces,
        players=tuple((f"player {seat}", None) for seat in range(options.players)),
        moves=tuple(moves),
        winner=position.winner,
        places=tuple(rules.finishing_places(position)) if position.winner is not None else None,
        reason=reason_of(position),
    )
    read = rules.record_from_json(json.loads(json.dumps(record_to_json(record))))
    assert [replayed for replayed, _ in rules.replay(read)] == [start, *(step.after for step in game)]
    assert rules.verify(read, scheme=1) == position


def reason_of(position: rules.Position) -> str:
    if position.winner is None:
        return "aborted"
    return "goal" if position.pirates[position.winner][0] == position.ruleset.route.goal else "resigned"


MOVES = ("advanced", "retreated", "morgan_moved", "parrot_advanced", "hook_advanced")


@run_examples(60)
@given(games(steps=20))
def test_choices_predict_the_result_of_every_action(game: list[Step]):
    for step in game:
        for seat in audiences(step.before)[1:]:
            listed = rules.legal(step.before, seat or 0)
            choices = choices_of(step.before, seat or 0)
            assert [choice["action"] for choice in choices] == [rules.action_to_json(a) for a in listed]
            for action, choice in zip(listed, choices, strict=True):
                check_choice(step.before, seat or 0, action, choice)


def check_choice(position, seat, action, choice) -> None:
    assert choice.keys() <= {"action", "to", "draws", "final"}
    if isinstance(action, DiscardPlaceholder):
        assert choice["final"] is True
        return
    _, events = rules.apply(position, seat, action)
    events_json = [rules.event_to_json(event) for event in events]
    landed = next((event["to"] for event in events_json if event["type"] in MOVES), None)
    assert choice.get("to") == landed
    if landed is not None or isinstance(action, rules.Draw):
        layout_of = sum(event["count"] for event in events_json if event["type"] == "cards_drawn")
        assert choice.get("draws", 0) == layout_of, action
    else:
        assert "draws" not in choice, "A choice must not reveal what a chest or another hand contains."
    assert choice["final"] == (not rules.is_undoable(events)), action


@run_examples(60)
@given(games())
def test_apply_in_place_gives_the_same_position_as_apply(game: list[Step]):
    for step in game:
        twin = step.before.copy()
        whole = json.dumps(rules.position_to_json(step.before))
        rules.apply_in_place(twin, step.seat, step.action.canonical())
        assert twin == step.after
        assert json.dumps(rules.position_to_json(step.before)) == whole, (
            "Changing a copy leaves the original unchanged."
        )


@run_examples(60)
@given(games())
def test_every_seat_that_sees_more_than_spectators_is_privileged(game: list[Step]):
    for step in game:
        options = step.before.options
        common = rules.events_for(step.events, None, options)
        privileged_seats = rules.privileged_seats(step.events, options)
        for one in audiences(step.before):
            assert one in privileged_seats or rules.events_for(step.events, one, options) == common


@run_examples(60)
@given(games())
def test_forced_passes_stay_below_the_seats_still_in(game: list[Step]):
    for step in game:
        assert 0 <= step.after.forced_passes < max(1, len(step.after.active_seats))
        assert 0 <= step.after.actions_taken <= step.after.options.actions


def test_these_games_reach_every_action_and_every_event():
    """Check the generator: properties of actions that never occur would be untested."""
    reached: set[str] = set()

    @run_examples(600)
    @given(games())
    def look(game: list[Step]) -> None:
        for step in game:
            reached.add(rules.action_to_json(step.action)["type"])
            reached.update(rules.event_to_json(event)["type"] for event in step.events)

    look()
    assert set(ACTIONS.split()) - reached == set()
    assert set(EVENTS.split()) - reached == set()


ACTIONS = """advance retreat morgan sail draw end resign pistol steal rum share lantern stack parrot hook
    chest discard"""
EVENTS = """advanced retreated morgan_moved sailed rested cards_drawn row_laid deck_shuffled turn_passed
    stalemate_broken resigned pistol_aimed card_stolen steal_lapsed rum_poured lantern_lit choice_dealt
    cards_shared cards_stacked parrot_advanced hook_advanced chest_opened snake_struck chests_laid
    discard_owed cards_discarded pending_discarded game_won"""
