"""Why a click does nothing: one reason for every click without effect, from what the seat sees alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from app import rules
from app.rules import Click
from tests.choices import choices_of
from tests.rules.layout import lay_out
from tests.rules.random_games import Step, games
from tests.rules.test_properties import run_examples
from tests.rules.twins import make_twin


def clicks(position: rules.Position, seat: int) -> Iterator[Click]:
    """Yield everything that the player of a seat can click, with every selection."""
    hand = sorted(set(position.hand_names(seat)))
    places = position.ruleset.route.names
    own = {places[place] for place in position.pirates[seat]}
    yield Click(is_supply=True)
    for card in [*hand, "hat*", "nonsense"]:
        yield from (Click(card=card), Click(card=card, is_power=True))
        yield from (Click(card=card, player=player) for player in range(7))
    for selection in [Click(), *(Click(card=card) for card in hand), *(Click(origin=place) for place in own)]:
        for space in (*places, 99, "nowhere"):
            yield Click(selection.card, selection.origin, space)
    for card in hand[:2]:
        for origin in (*sorted(own, key=str)[:2], "nowhere"):
            yield from (Click(card, origin, space) for space in places)


def answers(position: rules.Position, seat: int) -> list[Any]:
    """Return the answer to every click."""
    found = [rules.explain_click(position, seat, click) for click in clicks(position, seat)]
    return [None if problem is None else (problem.code, problem.why, problem.params) for problem in found]


def is_inert(listed: list[dict[str, Any]], click: Click) -> bool:
    """Whether the page does nothing at this click (static/js/table/selection.js)."""
    if click.is_supply or click.player is not None:
        kind = "draw" if click.is_supply else "pistol"
        return all((each["type"], each.get("player")) != (kind, click.player) for each in listed)

    def plays(each: dict[str, Any], card: str | None) -> bool:
        return card is None or card in (each.get("card"), each.get("with"), *each.get("cards", ()))

    if click.is_power:
        powers = [each for each in listed if click.card and each["type"] == click.card.removesuffix("*")]
        return not any(plays(each, click.card) for each in powers)
    if click.space is None:
        return not any(plays(each, click.card) for each in listed)
    if any(each.get("from") == click.space for each in listed):
        return False  # the page selects the pirate
    fitting = [
        each for each in listed if plays(each, click.card) and click.origin in (None, each.get("from"))
    ]
    return click.card is click.origin is None or all(each["to"] != click.space for each in fitting)


@run_examples(25)
@given(games(steps=6))
def test_every_click_without_effect_has_a_reason(game: list[Step]):
    for step in game:
        for seat in {step.seat, 0}:
            choices = choices_of(step.before, seat)
            listed = [{**choice["action"], "to": choice.get("to")} for choice in choices]
            for click in clicks(step.before, seat):
                if is_inert(listed, click):
                    assert rules.explain_click(step.before, seat, click) is not None, click


@run_examples(25)
@given(games(steps=6))
def test_reasons_depend_only_on_what_the_seat_sees(game: list[Step]):
    chance = random.Random(len(game))
    for step in game:
        for seat in {step.seat, 0}:
            twin = make_twin(step.before, seat, chance)
            assert answers(step.before, seat) == answers(twin, seat)


def why(position: rules.Position, click: Click, seat: int = 0) -> str | None:
    problem = rules.explain_click(position, seat, click)
    return None if problem is None else str(problem)


TOO_EARLY = "A pirate gets there only if no empty space with the symbol of the card lies ahead of it."
NEAREST = "A pirate retreats to the nearest space behind it with one or two pirates, and to no other."
PASSAGE = "start:r hat:b key:r hat skull:rb goal"


@pytest.mark.parametrize(
    ("click", "sentence"),
    [
        (Click("key", None, 1), "This card does not lead to space 1, which shows another symbol: hat."),
        (Click("hat", None, 1), "Space 1 is not empty: a card takes a pirate to an empty space."),
        (Click(None, 4, 3), NEAREST),
        (Click(None, 2, "start"), "Pirates never go back to where they set out."),
        (Click(None, 2, 4), "You have no card with the symbol of space 4: skull."),
        (Click(None, None, 1), "Those are not your pirates."),
        (Click(None, None, 3), "You have no pirate on space 3."),
        (Click("skull"), "You do not have this card: skull."),
        (Click(is_supply=True), "There is no relief card at this table."),
        (Click("hat", player=1), "This table does not use black magic."),
        (Click("hat", None, 3), None),
        (Click("hat"), None),
    ],
)  # fmt: skip
def test_the_nearest_action_is_explained(click: Click, sentence: str | None):
    assert why(lay_out(PASSAGE, red="hat key"), click) == sentence


def test_a_used_up_turn_and_other_seats_come_first():
    spent = lay_out(PASSAGE, red="hat", taken=3)
    assert why(spent, Click("hat")) == "You have used all your actions: end your turn."
    assert why(spent, Click(None, None, 3), seat=1) == "It is the turn of seat 0."


def test_the_first_empty_space_is_nearer():
    before = lay_out("start:rb hat key hat goal", red="hat")
    assert "comes before space 3" in str(why(before, Click("hat", None, 3)))
    assert why(before, Click("hat", None, "goal")) == TOO_EARLY
    assert why(before, Click(None, None, "goal")) == "You have no pirate there."


def test_an_empty_space_says_why_no_card_leads_there():
    before = lay_out("start:b hat key hat:r bottle skull hat goal", red="skull hat")
    assert why(before, Click(None, None, 4)) == "You have no card with the symbol of space 4: bottle."
    assert why(before, Click(None, None, 2)) == "You have no card with the symbol of space 2: key."
    assert "lies behind your pirates" in str(why(before, Click(None, None, 1)))
    assert why(before, Click(None, None, 5)) == "You have no pirate on space 5.", "a card leads there"


def test_a_pirate_without_cards_and_company_says_so():
    before = lay_out("start:rb hat key:r goal:b", red="")
    assert why(before, Click(None, None, "start")) == "You have no cards to move this pirate with."
    assert "nowhere to retreat to" in str(why(before, Click(None, None, 2)))


def test_morgan_explains_other_players_pirates():
    before = lay_out("start:rb hat key:r goal:b", red="hat", options={"card_gain": "morgan"})
    assert why(before, Click(None, None, "goal")) == "Morgan cannot move a pirate that has reached the goal."


def test_the_sloop_explains_itself():
    line = "start:rb hat sloop@{}:{} key goal"
    waiting = lay_out(line.format("cartagena", "rrr"), red="key hat")
    aboard = "A card moves a pirate off the sloop only while the sloop is at Tortuga."
    assert why(lay_out("start:b hat sloop@cartagena:r key goal", red="key"), Click("key")) == aboard
    assert why(waiting, Click("key", None, "sloop")) == aboard
    assert (
        why(waiting, Click(None, "start", "sloop"))
        == "The sloop cannot take another of your pirates aboard now."
    )
    assert (
        why(waiting, Click(None, "start", 2))
        == "A card does not take a pirate across the water: the sloop does."
    )
    gone = lay_out(line.format("tortuga", "b"), red="hat")
    assert (
        why(gone, Click("hat", None, "goal"))
        == "A card does not take a pirate across the water: the sloop does."
    )


@pytest.mark.parametrize(
    ("line", "hand", "card", "sentence"),
    [
        ("start:rb goal:b", "rum", "rum", "There are too few cards in the deck and the discards for a round of rum."),
        ("start:rb goal:b", "pistol", "pistol", "That player has no cards."),
        ("start:rb goal:b", "hook", "hook", "A hook is played together with a second card."),
        ("start:rb goal:b", "hook rum", "hook", "A hook needs two of your pirates on the same space."),
        ("start:rb goal:b", "parrot", "parrot", "That power needs exactly two parrot cards."),
        ("start:rb goal:b", "chest", "chest", "None of your pirates stands on a face-down chest."),
        ("start:rb goal:b", "lantern", "lantern", None),
    ],
)  # fmt: skip
def test_powers_explain_themselves(line: str, hand: str, card: str, sentence: str | None):
    spaces = "chest hook lantern parrot pistol rum"
    before = lay_out(line.replace(" goal", f" {spaces} goal"), red=hand, options={"black_magic": True})
    assert why(before, Click(card, is_power=True)) == sentence
