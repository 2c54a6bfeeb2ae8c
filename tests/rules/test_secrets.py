"""No audience is told what it may not see: change all of that, and it notices nothing at all.

Each door through which something reaches an audience is tried on twins of a position. Leaks planted on
purpose must be found: they are the tests of this test.
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
from tests.rules.test_properties import tried
from tests.rules.unseen import pins_of, twin_action, twin_of
from tests.rules.worlds import Audience, Step, audiences, games


@dataclass(frozen=True)
class Doors:
    """Everything that leads from a position to an audience."""

    view: Callable[[rules.Position, Audience], Any] = rules.view
    events: Callable[[Any, Audience, rules.Options], Any] = rules.events_for
    choices: Callable[[rules.Position, Audience], Any] = lambda position, audience: (
        [] if audience is None else rules.choices(position, audience)
    )


SEALED = Doors()


def leaks(doors: Doors, game: list[Step], chance: random.Random) -> Iterator[str]:
    """What an audience could tell a position from its twin by."""
    for step in game:
        for audience in audiences(step.before):
            if step.before.winner is not None or step.after.winner is not None:
                continue
            twin = twin_of(step.before, audience, chance)
            if not alike(doors.view(step.before, audience), doors.view(twin, audience)):
                yield "view"
            if not alike(doors.choices(step.before, audience), doors.choices(twin, audience)):
                yield "choices"
            twin = twin_of(step.before, audience, chance, pins_of(step, audience))
            action = twin_action(step, twin, audience, chance)
            after, events = rules.apply(twin, step.seat, action)
            options = twin.options
            if not alike(
                doors.events(step.events, audience, options), doors.events(events, audience, options)
            ):
                yield "events"
            if not alike(doors.view(step.after, audience), doors.view(after, audience)):
                yield "next view"
            if not alike(doors.choices(step.after, audience), doors.choices(after, audience)):
                yield "next choices"


def alike(one: Any, other: Any) -> bool:
    """Byte for byte."""
    return json.dumps(one) == json.dumps(other)


@tried(80)
@given(games(steps=25))
def test_no_audience_can_tell_a_position_from_its_twin(game: list[Step]):
    assert list(leaks(SEALED, game, random.Random(len(game)))) == []


@tried(30)
@given(games(steps=20))
def test_twins_are_valid_positions_with_the_same_cards(game: list[Step]):
    """The test would be worth nothing if twins were not positions, or always the same one."""
    chance = random.Random(7)
    differing = 0
    for step in game:
        for audience in audiences(step.before):
            twin = twin_of(step.before, audience, chance)
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


class Noticed(Exception):
    """An audience could tell."""


def with_hands(position: rules.Position, audience: Audience) -> Any:
    shown = rules.view(position, audience)
    shown["players"][0]["hand"] = list(position.hand_names(0))
    return shown


def with_next_card(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"next": list(position.deck[-1:])}


def with_deck_order_hashed(position: rules.Position, audience: Audience) -> Any:
    """No card is named, yet two decks can be told apart."""
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


def with_owed_cards(position: rules.Position, audience: Audience) -> Any:
    return rules.view(position, audience) | {"pending": rules.position_to_json(position)["pending"]}


def as_everyone(position: rules.Position, audience: Audience) -> Any:
    return [rules.choices(position, seat) for seat in range(position.options.players)]


def with_chest_draws(position: rules.Position, audience: Audience) -> Any:
    """The browser is told how many cards a chest would bring."""
    listed = SEALED.choices(position, audience)
    for choice in listed:
        if choice["action"]["type"] == "chest":
            choice["draws"] = position.tokens[position.ruleset.route.places[choice["action"]["from"]]]
    return listed


def in_full(*kinds: str) -> Callable[[Any, Audience, rules.Options], Any]:
    def events(events: Any, audience: Audience, options: rules.Options) -> Any:
        told = rules.events_for(events, audience, options)
        whole = [rules.event_to_json(event) for event in events]
        return [full if full["type"] in kinds else own for own, full in zip(told, whole, strict=True)]

    return events


PLANTED = {
    "another hand in the view": replace(SEALED, view=with_hands),
    "the next card in the view": replace(SEALED, view=with_next_card),
    "the deck's order as a number": replace(SEALED, view=with_deck_order_hashed),
    "a piece of the seed": replace(SEALED, view=with_seed),
    "a face-down token": replace(SEALED, view=with_a_token),
    "the tokens aside": replace(SEALED, view=with_tokens_aside),
    "the cards of a share or stack": replace(SEALED, view=with_owed_cards),
    "another seat's choices": replace(SEALED, choices=as_everyone),
    "what a chest would bring": replace(SEALED, choices=with_chest_draws),
    "drawn cards in the events": replace(SEALED, events=in_full("cards_drawn")),
    "a choice dealt in the events": replace(SEALED, events=in_full("choice_dealt")),
    "what was shared": replace(SEALED, events=in_full("cards_shared")),
    "what went back on the deck": replace(SEALED, events=in_full("cards_stacked")),
    "the stolen card": replace(SEALED, events=in_full("card_stolen")),
    "the hand a pistol looked at": replace(SEALED, events=in_full("pistol_aimed")),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_leak_is_found(name: str):
    @settings(tried(60), phases=[Phase.generate])
    @given(games(black_magic=True, symbols="escape", supply="deck", board="random", hands="hidden"))
    def look(game: list[Step]) -> None:
        for door in leaks(PLANTED[name], game, random.Random(len(game))):
            raise Noticed(door)

    with pytest.raises(Noticed):
        look()
