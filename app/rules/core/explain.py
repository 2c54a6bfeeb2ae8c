"""Why an action is not legal here: what is the same for all, then what the action's own module says."""

from __future__ import annotations

from collections.abc import Sequence

from app.rules.core.action import Action, End
from app.rules.core.errors import Illegal, Reason
from app.rules.core.position import Position
from app.rules.core.route import GOAL, SLOOP, Place
from app.rules.core.ruleset import MODULES


class Why(Reason):
    """Why an action is not legal, whatever the module."""

    nothing_owed = "Nothing is owed now, so there is nothing to answer."
    action_first = "Take at least one action before you end your turn."
    too_few_actions = "Take at least {n} actions before you end your turn."
    turn_used_up = "All actions of this turn are taken: only ending the turn is left."
    not_a_choice = "That is not one of the choices you have: use each card before you exactly once."
    choice_owed = "A choice is owed first: answer it before you do anything else."
    card_not_held = "You do not hold the card {card}."
    card_not_held_twice = "You do not hold the card {card} twice."
    no_such_place = "This route has no place {where}."
    no_pirate_at = "No pirate of yours stands there."
    no_pirate_on = "No pirate of yours stands on space {n}."
    no_such_seat = "This table has the seats 0 to {n}."
    advance_from_goal = "A pirate at the goal cannot advance."
    advance_from_sloop = "Aboard the sloop a card works only while it lies at Tortuga."
    nothing_ahead = "No empty space of that symbol lies ahead, and the sloop cannot take the pirate aboard."
    not_now = "That cannot be done now."
    resigned_already = "This seat has resigned already."


def why_not(position: Position, seat: int, action: Action, listed: list[Action]) -> Illegal:
    """What is wrong and, where it helps, what would be right."""
    if position.pending is not None:
        is_kind = any(type(action) is type(answer) for answer in listed)
        return Illegal(Why.not_a_choice if is_kind else Why.choice_owed)
    ruleset = position.ruleset
    if action.is_answer:
        return Illegal(Why.nothing_owed)
    if isinstance(action, End):
        least = ruleset.min_actions
        return Illegal(Why.action_first) if least == 1 else Illegal(Why.too_few_actions, n=least)
    if type(action) not in ruleset.resolvers:
        absent = next((each.absent for each in MODULES if type(action) in each.actions), None)
        return Illegal(absent or Why.not_now)
    if position.taken >= ruleset.actions:
        return Illegal(Why.turn_used_up)
    missing = _missing_card(position, seat, action.cards_played())
    if missing is not None:
        return missing
    own = ruleset.why_nots.get(type(action))
    return Illegal(Why.not_now) if own is None else own(position, seat, action)


def _missing_card(position: Position, seat: int, cards: Sequence[str]) -> Illegal | None:
    """The first card of the action that the hand does not hold."""
    hand = list(position.hand_names(seat))
    for card in cards:
        if card not in hand:
            return Illegal(Why.card_not_held_twice if cards.count(card) > 1 else Why.card_not_held, card=card)
        hand.remove(card)
    return None


def missing_pirate(position: Position, seat: int, origin: Place) -> Illegal | None:
    place = position.ruleset.route.places.get(origin)
    if place is None:
        return Illegal(Why.no_such_place, where=origin)
    if place not in position.pirates[seat]:
        if isinstance(origin, int):
            return Illegal(Why.no_pirate_on, n=origin)
        return Illegal(Why.no_pirate_at, place=origin)
    return None


def no_such_seat(position: Position, player: int) -> Illegal | None:
    seats = len(position.pirates)
    return Illegal(Why.no_such_seat, n=seats - 1) if player >= seats else None


def no_advance(origin: Place) -> Illegal:
    """Why a pirate of the seat does not move on from there."""
    if origin == GOAL:
        return Illegal(Why.advance_from_goal)
    if origin == SLOOP:
        return Illegal(Why.advance_from_sloop)
    return Illegal(Why.nothing_ahead)
