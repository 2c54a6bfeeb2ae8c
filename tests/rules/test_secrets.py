"""No audience learns hidden cards: if everything hidden from it changes, its output stays the same.

Every output is compared for a position and its twin. Planted leaks prove that the comparison finds leaks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from app import rules
from tests.choices import choices_of
from tests.rules.random_games import Audience, Step, audiences, games
from tests.rules.test_properties import run_examples
from tests.rules.twins import find_pins, make_twin, twin_action


@dataclass(frozen=True)
class Outputs:
    """All functions that produce output for an audience."""

    view: Callable[[rules.Position, Audience], Any] = rules.view
    events: Callable[[Any, Audience, rules.Options], Any] = rules.events_for
    choices: Callable[[rules.Position, Audience], Any] = lambda position, audience: (
        [] if audience is None else choices_of(position, audience)
    )


SAFE_OUTPUTS = Outputs()


def leaks(outputs: Outputs, game: list[Step], chance: random.Random) -> Iterator[str]:
    """Yield the outputs by which an audience could distinguish a position from its twin."""
    for step in game:
        for audience in audiences(step.before):
            if step.before.winner is not None or step.after.winner is not None:
                continue
            twin = make_twin(step.before, audience, chance)
            if not is_indistinguishable(outputs.view(step.before, audience), outputs.view(twin, audience)):
                yield "view"
            if not is_indistinguishable(
                outputs.choices(step.before, audience), outputs.choices(twin, audience)
            ):
                yield "choices"
            twin = make_twin(step.before, audience, chance, find_pins(step, audience))
            action = twin_action(step, twin, audience, chance)
            after, events = rules.apply(twin, step.seat, action)
            options = twin.options
            if not is_indistinguishable(
                outputs.events(step.events, audience, options), outputs.events(events, audience, options)
            ):
                yield "events"
            if not is_indistinguishable(outputs.view(step.after, audience), outputs.view(after, audience)):
                yield "next view"
            if not is_indistinguishable(
                outputs.choices(step.after, audience), outputs.choices(after, audience)
            ):
                yield "next choices"


def is_indistinguishable(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


@run_examples(80)
@given(games(steps=25))
def test_no_audience_can_tell_a_position_from_its_twin(game: list[Step]):
    assert list(leaks(SAFE_OUTPUTS, game, random.Random(len(game)))) == []


@run_examples(30)
@given(games(steps=20))
def test_twins_are_valid_positions_with_the_same_cards(game: list[Step]):
    """The test would be worth nothing if twins were not positions, or always the same one."""
    chance = random.Random(7)
    differing = 0
    for step in game:
        for audience in audiences(step.before):
            twin = make_twin(step.before, audience, chance)
            assert rules.position_from_json(rules.position_to_json(twin)) == twin
            differing += twin.deck != step.before.deck or twin.hands != step.before.hands
    assert differing or not game or len(game[0].before.deck) < 2


def test_when_the_game_is_over_nothing_is_hidden():
    options = rules.parse_options({"preset": "jamaica", "players": 3})
    position = rules.new_game(options, "3" * 64)
    for seat in (1, 2):
        position, _ = rules.apply(position, seat, rules.Resign())
    for audience in audiences(position):
        assert rules.view(position, audience) == rules.position_to_json(position)


# --- planted leaks


class LeakFound(Exception):
    """Raised when an audience could distinguish a position from its twin."""


def with_hands(position: rules.Position, audience: Audience) -> Any:
    shown = rules.view(position, audience)
    shown["players"][0]["hand"] = list(position.hand_names(0))
    return shown


def with_next_card(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"next": list(position.deck[-1:])}


def with_deck_order_hashed(position: rules.Position, audience: Audience) -> Any:
    """Leak a number that depends on the order of the deck, without naming a card."""
    return rules.view(position, audience) | {"check": sum(i * kind for i, kind in enumerate(position.deck))}


def with_seed(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"seed": position.seed[:4]}


def with_a_token(position: rules.Position, audience: Audience) -> Any:
    shown = rules.view(position, audience)
    for place in sorted(position.tokens)[:1]:
        shown["chests"][str(position.ruleset.route.names[place])] = position.tokens[place]
    return shown


def with_tokens_aside(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"chests_aside": list(position.tokens_aside)}


def with_pending_cards(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"pending": rules.position_to_json(position)["pending"]}


def as_everyone(position: rules.Position, audience: Audience) -> Any:
    return [choices_of(position, seat) for seat in range(position.options.players)]


def with_chest_draws(position: rules.Position, audience: Audience) -> Any:
    """Leak how many cards a chest would give."""
    listed = SAFE_OUTPUTS.choices(position, audience)
    for choice in listed:
        if choice["action"]["type"] == "chest":
            choice["draws"] = position.tokens[position.ruleset.route.places[choice["action"]["from"]]]
    return listed


def with_full_events(*kinds: str) -> Callable[[Any, Audience, rules.Options], Any]:
    def events(events: Any, audience: Audience, options: rules.Options) -> Any:
        events_json = rules.events_for(events, audience, options)
        whole = [rules.event_to_json(event) for event in events]
        return [full if full["type"] in kinds else own for own, full in zip(events_json, whole, strict=True)]

    return events


PLANTED_LEAKS = {
    "another hand in the view": replace(SAFE_OUTPUTS, view=with_hands),
    "the next card in the view": replace(SAFE_OUTPUTS, view=with_next_card),
    "the deck's order as a number": replace(SAFE_OUTPUTS, view=with_deck_order_hashed),
    "a piece of the seed": replace(SAFE_OUTPUTS, view=with_seed),
    "a face-down token": replace(SAFE_OUTPUTS, view=with_a_token),
    "the tokens aside": replace(SAFE_OUTPUTS, view=with_tokens_aside),
    "the cards of a share or stack": replace(SAFE_OUTPUTS, view=with_pending_cards),
    "another seat's choices": replace(SAFE_OUTPUTS, choices=as_everyone),
    "what a chest would bring": replace(SAFE_OUTPUTS, choices=with_chest_draws),
    "drawn cards in the events": replace(SAFE_OUTPUTS, events=with_full_events("cards_drawn")),
    "a choice dealt in the events": replace(SAFE_OUTPUTS, events=with_full_events("choice_dealt")),
    "what was shared": replace(SAFE_OUTPUTS, events=with_full_events("cards_shared")),
    "what went back on the deck": replace(SAFE_OUTPUTS, events=with_full_events("cards_stacked")),
    "the stolen card": replace(SAFE_OUTPUTS, events=with_full_events("card_stolen")),
    "the hand a pistol looked at": replace(SAFE_OUTPUTS, events=with_full_events("pistol_aimed")),
}


@pytest.mark.parametrize("name", PLANTED_LEAKS)
def test_a_planted_leak_is_found(name: str):
    @settings(run_examples(60), phases=[Phase.generate])
    @given(games(black_magic=True, symbols="escape", supply="deck", board="random", hands="hidden"))
    def look(game: list[Step]) -> None:
        for output in leaks(PLANTED_LEAKS[name], game, random.Random(len(game))):
            raise LeakFound(output)

    with pytest.raises(LeakFound):
        look()
