"""Reasons why an action is illegal: first those that any action can have, then those of the action's module."""

from __future__ import annotations

from collections.abc import Sequence

from app.rules.core.action import Action, End
from app.rules.core.errors import Illegal, Reason
from app.rules.core.position import Position
from app.rules.core.route import GOAL, SLOOP, Place
from app.rules.core.ruleset import MODULES


class IllegalReason(Reason):
    """Reasons that do not depend on a module."""

    nothing_owed = "There is no choice to make now."
    action_first = "Take at least one action before you end your turn."
    too_few_actions = "Take at least {n} actions before you end your turn."
    turn_used_up = "You have used all your actions: end your turn."
    not_a_choice = "That is not one of your choices: use each of these cards exactly once."
    choice_owed = "You have a choice to make first."
    card_not_held = "You do not have this card: {card}."
    card_not_held_twice = "You do not have two of this card: {card}."
    no_such_place = "There is no such space on this route: {where}."
    no_pirate_at = "You have no pirate there."
    no_pirate_on = "You have no pirate on space {n}."
    no_such_seat = "The seats at this table are numbered from 0 to {n}."
    advance_from_goal = "A pirate at the goal cannot advance."
    advance_from_sloop = "A card moves a pirate off the sloop only while the sloop is at Tortuga."
    nothing_ahead = (
        "There is no empty space with that symbol ahead, and the sloop cannot take the pirate aboard."
    )
    not_now = "You cannot do that now."
    resigned_already = "This player has already resigned."


def explain_illegal(position: Position, seat: int, action: Action, listed: list[Action]) -> Illegal:
    """Return the error that says why the action is not in the legal list."""
    if position.pending is not None:
        is_answer = any(type(action) is type(answer) for answer in listed)
        return Illegal(IllegalReason.not_a_choice if is_answer else IllegalReason.choice_owed)
    ruleset = position.ruleset
    if action.is_answer:
        return Illegal(IllegalReason.nothing_owed)
    if isinstance(action, End):
        least = ruleset.min_actions
        return (
            Illegal(IllegalReason.action_first)
            if least == 1
            else Illegal(IllegalReason.too_few_actions, n=least)
        )
    if type(action) not in ruleset.resolvers:
        absent_reason = next(
            (module.absent_reason for module in MODULES if type(action) in module.actions), None
        )
        return Illegal(absent_reason or IllegalReason.not_now)
    if position.actions_taken >= ruleset.actions:
        return Illegal(IllegalReason.turn_used_up)
    missing = _explain_missing_card(position, seat, action.cards_played())
    if missing is not None:
        return missing
    explain = ruleset.illegal_explainers.get(type(action))
    return Illegal(IllegalReason.not_now) if explain is None else explain(position, seat, action)


def _explain_missing_card(position: Position, seat: int, cards: Sequence[str]) -> Illegal | None:
    """Return the error for the first card that the hand lacks, or None."""
    hand = list(position.hand_names(seat))
    for card in cards:
        if card not in hand:
            return Illegal(
                IllegalReason.card_not_held_twice if cards.count(card) > 1 else IllegalReason.card_not_held,
                card=card,
            )
        hand.remove(card)
    return None


def explain_missing_pirate(position: Position, seat: int, origin: Place) -> Illegal | None:
    """Return the error if the seat has no pirate at the place, else None."""
    place = position.ruleset.route.places.get(origin)
    if place is None:
        return Illegal(IllegalReason.no_such_place, where=origin)
    if place not in position.pirates[seat]:
        if isinstance(origin, int):
            return Illegal(IllegalReason.no_pirate_on, n=origin)
        return Illegal(IllegalReason.no_pirate_at, place=origin)
    return None


def explain_unknown_seat(position: Position, player: int) -> Illegal | None:
    """Return the error if the table has no such seat, else None."""
    seats = len(position.pirates)
    return Illegal(IllegalReason.no_such_seat, n=seats - 1) if player >= seats else None


def explain_blocked_advance(origin: Place) -> Illegal:
    """Return the error for a pirate that a card cannot move from this place."""
    if origin == GOAL:
        return Illegal(IllegalReason.advance_from_goal)
    if origin == SLOOP:
        return Illegal(IllegalReason.advance_from_sloop)
    return Illegal(IllegalReason.nothing_ahead)
