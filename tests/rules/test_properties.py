"""What holds in every game: over all subsets of the modules, from the deal or from anywhere.

`make test` tries a fixed set of games; CARTAGENA_LONG=1 looks for new ones, twenty times as many.
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
from app.rules.modules.black_magic.parrot import Parrot
from app.rules.modules.black_magic.rum import Share
from app.rules.modules.scoundrels import Discard, OwedDiscard
from tests.rules.worlds import Step, audiences, choose, every_action, games, scattered, tables, walk
from tools.records import record_to_json

IS_LONG = bool(os.environ.get("CARTAGENA_LONG"))


def tried(examples: int) -> settings:
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


@tried(80)
@given(games())
def test_cards_and_pirates_are_conserved(game: list[Step]):
    for step in game:
        assert cards_of(step.before) == cards_of(step.after)
        assert [len(pirates) for pirates in step.after.pirates] == [step.after.options.pirates] * len(
            step.after.pirates
        )
        counted = Counter(place for pirates in step.after.pirates for place in pirates)
        assert list(step.after.crowd) == [counted[place] for place in range(len(step.after.crowd))]
        assert [sum(hand) for hand in step.after.hands] == step.after.held


@tried(80)
@given(games())
def test_never_more_than_three_stand_on_a_space_or_of_a_colour_aboard(game: list[Step]):
    for step in game:
        route = step.after.ruleset.route
        for place, count in enumerate(step.after.crowd):
            assert count <= 3 or route.symbol[place] < 0
        assert all(pirates.count(route.sloop) <= 3 for pirates in step.after.pirates if route.sloop > 0)


@tried(80)
@given(games())
def test_somebody_can_act_until_somebody_has_won(game: list[Step]):
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
        assert len(texts) == len(set(texts)), "Each different action stands there once."
        assert all(not isinstance(action, rules.Resign) for _, action in listed)
        for seat in acting:
            assert not position.resigned[seat]
            rules.apply(position, seat, rules.default_action(position, seat))


@tried(60)
@given(games())
def test_a_seat_wins_exactly_when_all_its_pirates_are_home_or_it_is_alone(game: list[Step]):
    for step in game:
        position = step.after
        goal = position.ruleset.route.goal
        home = [seat for seat in position.seats_in if set(position.pirates[seat]) == {goal}]
        alone = position.seats_in if len(position.seats_in) == 1 else []
        assert (position.winner is not None) == bool(home or alone)
        assert position.winner is None or position.winner in [*home, *alone]


@tried(60)
@given(tables(), st.integers(0, 2**32 - 1), st.booleans())
def test_apply_refuses_exactly_what_legal_does_not_list(options, number, is_scattered):
    chance = random.Random(number)
    position = scattered(options, chance) if is_scattered else rules.new_game(options, "0" * 64)
    for _ in range(chance.randrange(4)):
        seat = rules.seats_to_act(position)[0]
        position, _ = rules.apply(position, seat, choose(position, seat, "wizard", chance))
        if position.winner is not None:
            return
    before = json.dumps(rules.position_to_json(position))
    for seat in range(options.players):
        listed = rules.legal(position, seat)
        said = {*every_action(options, position), *listed, *mutated(listed, position, chance)}
        for action in said:
            is_taken = taken(position, seat, action)
            assert is_taken == is_allowed(position, seat, action, listed), (seat, action)
    after = json.dumps(rules.position_to_json(position))
    assert after == before, "Neither a refusal nor a move changes the position it was asked of."


def taken(position: rules.Position, seat: int, action: rules.Action) -> bool:
    try:
        rules.apply(position, seat, action)
    except (rules.Illegal, rules.NotYourTurn):
        return False
    return True


def is_allowed(position: rules.Position, seat: int, action: rules.Action, listed: list[rules.Action]) -> bool:
    if isinstance(action, OwedDiscard):
        return False
    if isinstance(action, Discard):
        owed = [entry.count for entry in listed if isinstance(entry, OwedDiscard)]
        return owed == [len(action.cards)] and not Counter(action.cards) - Counter(position.hand_names(seat))
    if isinstance(action, Parrot):
        action = Parrot(tuple(sorted(action.cards)), action.shown, action.origin)
    if isinstance(action, Share):
        action = Share(tuple(sorted(action.keep)), tuple(sorted(action.give)))
    return action in listed


def mutated(listed, position, chance) -> list[rules.Action]:
    """Listed actions a little changed: reordered, shortened, doubled, with another card, place or seat."""
    found: list[rules.Action] = []
    changes: list[Any]
    cards = list(position.ruleset.kinds.names)
    for action in chance.sample(listed, min(len(listed), 40)):
        form = rules.action_to_json(action)
        if form["type"] == "discard":
            hand = list(position.hand_names(position.seat))
            form = {"type": "discard", "cards": chance.sample(cards * 3, form["count"])}
            found.append(Discard(tuple(chance.sample(hand, min(len(hand), len(form["cards"]))))))
        for name, value in form.items():
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
                    found.append(rules.action_from_json({**form, name: change}))
                except rules.BadAction:
                    continue
    return found


@tried(80)
@given(games())
def test_the_old_position_is_untouched(game: list[Step]):
    for step in game:
        before = step.before.copy()
        whole = json.dumps(rules.position_to_json(before))
        rules.apply(before, step.seat, step.action)
        assert before == step.before
        assert json.dumps(rules.position_to_json(before)) == whole


@tried(80)
@given(games())
def test_a_view_and_its_events_give_the_next_view_for_every_audience(game: list[Step]):
    for step in game:
        for audience in audiences(step.before):
            view = rules.view(step.before, audience)
            told = rules.events_for(step.events, audience, step.before.options)
            kept = copy.deepcopy(told)
            for event in told:
                rules.fold(view, event, audience)
            assert view == rules.view(step.after, audience)
            assert told == kept, "A fold changes the view alone."


@tried(60)
@given(games())
def test_json_notation_and_drawing_round_trip_at_every_step(game: list[Step]):
    for step in game:
        text = json.dumps(rules.position_to_json(step.after))
        assert rules.position_from_json(json.loads(text)) == step.after
        assert rules.parse_drawing(rules.draw(step.after)) == step.after
        assert (
            rules.action_from_json(json.loads(json.dumps(rules.action_to_json(step.action)))) == step.action
        )
        for _, action in rules.legal_for_all(step.after):
            assert rules.text_to_action(rules.action_to_text(action)) == action
        assert rules.text_to_action(rules.action_to_text(step.action)) == step.action
        for event in step.events:
            assert json.loads(json.dumps(rules.event_to_json(event))) == rules.event_to_json(event)


@tried(60)
@given(tables(), st.integers(0, 2**32 - 1))
def test_replay_of_the_log_gives_the_same_positions(options: rules.Options, number: int):
    chance = random.Random(number)
    server_seed = f"{chance.getrandbits(256):064x}"
    nonces = tuple(f"{chance.getrandbits(128):032x}" for _ in range(options.players))
    start = rules.new_game(options, rules.seed_from(server_seed, nonces))
    game = walk(start, chance, 40, "anything")
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
        places=tuple(rules.places(position)) if position.winner is not None else None,
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


@tried(60)
@given(games(steps=20))
def test_choices_tell_the_truth(game: list[Step]):
    for step in game:
        for seat in audiences(step.before)[1:]:
            listed = rules.legal(step.before, seat or 0)
            choices = rules.choices(step.before, seat or 0)
            assert [choice["action"] for choice in choices] == [rules.action_to_json(a) for a in listed]
            for action, choice in zip(listed, choices, strict=True):
                check_choice(step.before, seat or 0, action, choice)


def check_choice(position, seat, action, choice) -> None:
    assert choice.keys() <= {"action", "to", "draws", "final"}
    if isinstance(action, OwedDiscard):
        assert choice["final"] is True
        return
    _, events = rules.apply(position, seat, action)
    told = [rules.event_to_json(event) for event in events]
    landed = next((event["to"] for event in told if event["type"] in MOVES), None)
    assert choice.get("to") == landed
    if landed is not None or isinstance(action, rules.Draw):
        drawn = sum(event["count"] for event in told if event["type"] == "cards_drawn")
        assert choice.get("draws", 0) == drawn, action
    else:
        assert "draws" not in choice, "What a chest or another hand holds is not told beforehand."
    assert choice["final"] == (not rules.is_undoable(events)), action


@tried(60)
@given(games())
def test_search_and_play_are_the_same_rules(game: list[Step]):
    """`play` moves in place and silently what `apply` does on a copy with events."""
    for step in game:
        twin = step.before.copy()
        whole = json.dumps(rules.position_to_json(step.before))
        rules.play(twin, step.seat, step.action.canonical())
        assert twin == step.after
        assert json.dumps(rules.position_to_json(step.before)) == whole, "A copy moves without its original."


@tried(60)
@given(games())
def test_whoever_is_told_more_than_a_spectator_is_named_as_an_insider(game: list[Step]):
    for step in game:
        options = step.before.options
        common = rules.events_for(step.events, None, options)
        insiders = rules.insiders(step.events, options)
        for one in audiences(step.before):
            assert one in insiders or rules.events_for(step.events, one, options) == common


@tried(60)
@given(games())
def test_forced_passes_stay_below_the_seats_still_in(game: list[Step]):
    for step in game:
        assert 0 <= step.after.forced_passes < max(1, len(step.after.seats_in))
        assert 0 <= step.after.taken <= step.after.options.actions


def test_these_games_reach_every_action_and_every_event():
    """The test of these tests: what the random games never do they prove nothing about."""
    reached: set[str] = set()

    @tried(300)
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
