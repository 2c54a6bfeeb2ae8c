"""Why an action is not legal here: the reasons, and which one it is."""

from __future__ import annotations

from app.rules.core.actions import (
    Action,
    Advance,
    Chest,
    Discard,
    Draw,
    End,
    Hook,
    Lantern,
    Morgan,
    OwedDiscard,
    Parrot,
    Pistol,
    Resign,
    Retreat,
    Rum,
    Sail,
    Share,
    Stack,
    Steal,
)
from app.rules.core.cards import SYMBOLS
from app.rules.core.errors import Illegal, Reason
from app.rules.core.position import CARTAGENA, Position
from app.rules.core.route import Place

__all__ = ["Why", "why_not"]


class Why(Reason):
    """Why an action is not legal."""

    nothing_owed = "Nothing is owed now, so there is nothing to answer."
    too_few_actions = "Take at least {n} action(s) before you end your turn."
    no_morgan = "This table plays without Morgan."
    no_sailing = "This table plays without a sailing sloop."
    no_black_magic = "This table plays without black magic."
    turn_used_up = "All actions of this turn are taken: only ending the turn is left."
    not_a_choice = "That is not one of the choices you have: use each card before you exactly once."
    choice_owed = "A choice is owed first: answer it before you do anything else."
    card_not_held = "You do not hold the card {card}."
    card_not_held_twice = "You do not hold the card {card} twice."
    no_such_place = "This route has no place {where}."
    no_pirate_at = "No pirate of yours stands at {place}."
    no_pirate_on = "No pirate of yours stands on space {n}."
    sail_needs_crew = "To sail to tortuga you need a pirate aboard."
    sail_back_needs_pirate = "To sail back to cartagena you need a pirate at the start or in the passage."
    too_few_for_rum = "Deck and discards hold too few cards for a round of rum."
    no_chest_there = "No face-down chest lies under that pirate."
    two_parrots_needed = "That power needs exactly two parrot cards."
    wrong_power_card = "That power needs a {symbol} card."
    symbol_not_in_game = "The symbol {symbol} is not in this game."
    advance_from_goal = "A pirate at the goal cannot advance."
    advance_from_sloop = "Aboard the sloop a card works only while it lies at tortuga."
    nothing_ahead = "No empty space of that symbol lies ahead, and the sloop cannot take the pirate aboard."
    no_retreat = "At this table cards are won by Morgan: there is no retreat."
    retreat_from_start = "A pirate at the start has nowhere to fall back to."
    retreat_from_sloop = "From the sloop a pirate falls back only while it lies at cartagena."
    no_retreat_in_jungle = "In the jungle of this table there is no retreat, only Morgan."
    no_company_behind = (
        "No company stands behind that pirate: a retreat needs a space with one or two pirates."
    )
    no_such_seat = "This table has the seats 0 to {n}."
    morgan_own_pirate = "Morgan moves other players' pirates, not your own."
    morgan_resigned = "The pirates of a player who has resigned stay where they are."
    morgan_no_pirate = "No pirate of that player stands at {place}."
    morgan_from_goal = "Morgan cannot move a pirate that has reached the goal."
    morgan_jungle_only = "At this table Morgan rules in the jungle only."
    morgan_from_sloop = "Morgan fetches pirates from the sloop only while it lies at tortuga."
    morgan_sloop_full = "The sloop cannot take that pirate aboard now."
    no_relief = "At this table there is no relief for an empty hand."
    relief_too_late = "The relief card can be drawn only before the first action of a turn."
    relief_empty_hand_only = "The relief card is only for a player with an empty hand."
    pistol_at_self = "Aim the pistol at another player."
    player_resigned = "That player has resigned."
    player_without_cards = "That player holds no card."
    hook_costs_two = "A hook costs two actions, and fewer are left."
    hook_needs_two_pirates = "A hook needs two of your pirates on the same space."
    hook_no_room = "There is no room for both pirates where that card leads."
    not_now = "That cannot be done now."
    resigned_already = "This seat has resigned already."
    discard_count = "Exactly {n} of your cards must be discarded."
    discard_not_held = "You do not hold {card} that often."


def why_not(position: Position, seat: int, action: Action, listed: list[Action]) -> Illegal:
    """What is wrong and, where it helps, what would be right."""
    if position.pending is not None:
        return _while_owed(action, listed)
    ruleset = position.ruleset
    if isinstance(action, Steal | Share | Stack | Discard | OwedDiscard):
        return Illegal(Why.nothing_owed)
    if isinstance(action, End):
        return Illegal(Why.too_few_actions, n=ruleset.min_actions)
    if type(action) not in ruleset.resolvers:
        return Illegal(_module_of(action))
    if position.taken >= ruleset.actions:
        return Illegal(Why.turn_used_up)
    missing = _missing_card(position, seat, action)
    return missing or _in_particular(position, seat, action)


def _while_owed(action: Action, listed: list[Action]) -> Illegal:
    if any(type(action) is type(answer) for answer in listed):
        return Illegal(Why.not_a_choice)
    return Illegal(Why.choice_owed)


def _module_of(action: Action) -> Why:
    match action:
        case Morgan():
            return Why.no_morgan
        case Sail():
            return Why.no_sailing
        case _:
            return Why.no_black_magic


def _missing_card(position: Position, seat: int, action: Action) -> Illegal | None:
    """The first card of the action that the hand does not hold."""
    match action:
        case Hook(card, second):
            cards = [card, second]
        case Parrot(several):
            cards = list(several)
        case Advance(card) | Pistol(card) | Rum(card) | Lantern(card) | Chest(card):
            cards = [card]
        case _:
            return None
    hand = list(position.hand_names(seat))
    for card in cards:
        if card not in hand:
            return Illegal(Why.card_not_held_twice if cards.count(card) > 1 else Why.card_not_held, card=card)
        hand.remove(card)
    return None


def _missing_pirate(position: Position, seat: int, origin: Place) -> Illegal | None:
    place = position.ruleset.route.places.get(origin)
    if place is None:
        return Illegal(Why.no_such_place, where=origin)
    if place not in position.pirates[seat]:
        if isinstance(origin, int):
            return Illegal(Why.no_pirate_on, n=origin)
        return Illegal(Why.no_pirate_at, place=origin)
    return None


def _in_particular(position: Position, seat: int, action: Action) -> Illegal:
    match action:
        case Advance(_, origin) | Parrot(_, _, origin):
            return _missing_pirate(position, seat, origin) or _no_advance(position, action, origin)
        case Retreat(origin):
            return _missing_pirate(position, seat, origin) or _no_retreat(position, origin)
        case Morgan(player, origin):
            return _no_morgan(position, seat, player, origin)
        case Sail():
            if position.sloop == CARTAGENA:
                return Illegal(Why.sail_needs_crew)
            return Illegal(Why.sail_back_needs_pirate)
        case Draw():
            return _no_draw(position, seat)
        case Pistol(card, player):
            return _not_power_of(card, "pistol") or _no_victim(position, seat, player)
        case Rum(card):
            return _not_power_of(card, "rum") or Illegal(Why.too_few_for_rum)
        case Lantern(card):
            return _not_power_of(card, "lantern") or Illegal(Why.not_now)
        case Hook(card, _, origin):
            return _not_power_of(card, "hook") or _no_hook(position, seat, origin)
        case Chest(card, origin):
            return (
                _not_power_of(card, "chest")
                or _missing_pirate(position, seat, origin)
                or Illegal(Why.no_chest_there)
            )
        case Resign() | End() | Steal() | Share() | Stack() | Discard() | OwedDiscard():
            return Illegal(Why.not_now)


def _not_power_of(card: str, symbol: str) -> Illegal | None:
    return None if card.removesuffix("*") == symbol else Illegal(Why.wrong_power_card, symbol=symbol)


def _no_advance(position: Position, action: Action, origin: Place) -> Illegal:
    if isinstance(action, Parrot):
        if len(action.cards) != 2 or any(card.removesuffix("*") != "parrot" for card in action.cards):
            return Illegal(Why.two_parrots_needed)
        if action.symbol not in SYMBOLS[position.options.symbols]:
            return Illegal(Why.symbol_not_in_game, symbol=action.symbol)
    if origin == "goal":
        return Illegal(Why.advance_from_goal)
    if origin == "sloop":
        return Illegal(Why.advance_from_sloop)
    return Illegal(Why.nothing_ahead)


def _no_retreat(position: Position, origin: Place) -> Illegal:
    options = position.options
    if options.card_gain == "morgan":
        return Illegal(Why.no_retreat)
    if origin == "start":
        return Illegal(Why.retreat_from_start)
    if origin == "sloop" and position.sloop != CARTAGENA:
        return Illegal(Why.retreat_from_sloop)
    sloop = position.ruleset.route.sloop
    if options.card_gain == "split" and position.ruleset.route.places[origin] > sloop:
        return Illegal(Why.no_retreat_in_jungle)
    return Illegal(Why.no_company_behind)


def _no_morgan(position: Position, seat: int, player: int, origin: Place) -> Illegal:
    if player >= len(position.pirates):
        return Illegal(Why.no_such_seat, n=len(position.pirates) - 1)
    if player == seat:
        return Illegal(Why.morgan_own_pirate)
    if position.resigned[player]:
        return Illegal(Why.morgan_resigned)
    place = position.ruleset.route.places.get(origin)
    if place is None or place not in position.pirates[player]:
        return Illegal(Why.morgan_no_pirate, place=origin)
    if origin == "goal":
        return Illegal(Why.morgan_from_goal)
    if position.options.card_gain == "split" and place < position.ruleset.route.sloop:
        return Illegal(Why.morgan_jungle_only)
    if origin == "sloop":
        return Illegal(Why.morgan_from_sloop)
    return Illegal(Why.morgan_sloop_full)


def _no_draw(position: Position, seat: int) -> Illegal:
    match position.options.relief:
        case "none":
            return Illegal(Why.no_relief)
        case "start" if position.taken and not position.held[seat]:
            return Illegal(Why.relief_too_late)
        case _:
            return Illegal(Why.relief_empty_hand_only)


def _no_victim(position: Position, seat: int, player: int) -> Illegal:
    if player >= len(position.pirates):
        return Illegal(Why.no_such_seat, n=len(position.pirates) - 1)
    if player == seat:
        return Illegal(Why.pistol_at_self)
    if position.resigned[player]:
        return Illegal(Why.player_resigned)
    return Illegal(Why.player_without_cards)


def _no_hook(position: Position, seat: int, origin: Place) -> Illegal:
    if position.taken + 2 > position.ruleset.actions:
        return Illegal(Why.hook_costs_two)
    place = position.ruleset.route.places.get(origin)
    if not isinstance(origin, int) or place is None or position.pirates[seat].count(place) < 2:
        return Illegal(Why.hook_needs_two_pirates)
    return Illegal(Why.hook_no_room)
