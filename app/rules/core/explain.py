"""Why an action is not legal here: the sentence a player reads."""

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
from app.rules.core.position import CARTAGENA, Position
from app.rules.core.route import Place

__all__ = ["why_not"]


def why_not(position: Position, seat: int, action: Action, listed: list[Action]) -> str:
    """One sentence on what is wrong and, where it helps, what would be right."""
    if position.pending is not None:
        return _while_owed(action, listed)
    ruleset = position.ruleset
    if isinstance(action, Steal | Share | Stack | Discard | OwedDiscard):
        return "Nothing is owed now, so there is nothing to answer."
    if isinstance(action, End):
        return f"Take at least {ruleset.min_actions} action(s) before you end your turn."
    if type(action) not in ruleset.resolvers:
        return f"This table plays without {_module_of(action)}."
    if position.taken >= ruleset.actions:
        return "All actions of this turn are taken: only ending the turn is left."
    missing = _missing_card(position, seat, action)
    return missing or _in_particular(position, seat, action)


def _while_owed(action: Action, listed: list[Action]) -> str:
    if any(type(action) is type(answer) for answer in listed):
        return "That is not one of the choices you have: use each card before you exactly once."
    return "A choice is owed first: answer it before you do anything else."


def _module_of(action: Action) -> str:
    match action:
        case Morgan():
            return "Morgan"
        case Sail():
            return "a sailing sloop"
        case _:
            return "black magic"


def _missing_card(position: Position, seat: int, action: Action) -> str:
    """The first card of the action that the hand does not hold."""
    match action:
        case Hook(card, second):
            cards = [card, second]
        case Parrot(several):
            cards = list(several)
        case Advance(card) | Pistol(card) | Rum(card) | Lantern(card) | Chest(card):
            cards = [card]
        case _:
            return ""
    hand = list(position.hand_names(seat))
    for card in cards:
        if card not in hand:
            return f"You do not hold the card {card}" + (" twice." if cards.count(card) > 1 else ".")
        hand.remove(card)
    return ""


def _missing_pirate(position: Position, seat: int, origin: Place) -> str:
    place = position.ruleset.route.places.get(origin)
    if place is None:
        return f"This route has no place {origin}."
    if place not in position.pirates[seat]:
        return (
            f"No pirate of yours stands at {origin}."
            if origin in ("start", "sloop", "goal")
            else (f"No pirate of yours stands on space {origin}.")
        )
    return ""


def _in_particular(position: Position, seat: int, action: Action) -> str:
    match action:
        case Advance(_, origin) | Parrot(_, _, origin):
            return _missing_pirate(position, seat, origin) or _no_advance(position, action, origin)
        case Retreat(origin):
            return _missing_pirate(position, seat, origin) or _no_retreat(position, origin)
        case Morgan(player, origin):
            return _no_morgan(position, seat, player, origin)
        case Sail():
            if position.sloop == CARTAGENA:
                return "To sail to tortuga you need a pirate aboard."
            return "To sail back to cartagena you need a pirate at the start or in the passage."
        case Draw():
            return _no_draw(position, seat)
        case Pistol(card, player):
            return _not_power_of(card, "pistol") or _no_victim(position, seat, player)
        case Rum(card):
            return _not_power_of(card, "rum") or "Deck and discards hold too few cards for a round of rum."
        case Lantern(card):
            return _not_power_of(card, "lantern")
        case Hook(card, _, origin):
            return _not_power_of(card, "hook") or _no_hook(position, seat, origin)
        case Chest(card, origin):
            return (
                _not_power_of(card, "chest")
                or _missing_pirate(position, seat, origin)
                or "No face-down chest lies under that pirate."
            )
        case Resign() | End() | Steal() | Share() | Stack() | Discard() | OwedDiscard():
            return "That cannot be done now."


def _not_power_of(card: str, symbol: str) -> str:
    return "" if card.removesuffix("*") == symbol else f"That power needs a {symbol} card."


def _no_advance(position: Position, action: Action, origin: Place) -> str:
    if isinstance(action, Parrot):
        if len(action.cards) != 2 or any(card.removesuffix("*") != "parrot" for card in action.cards):
            return "That power needs exactly two parrot cards."
        if action.symbol not in SYMBOLS[position.options.symbols]:
            return f"The symbol {action.symbol} is not in this game."
    if origin == "goal":
        return "A pirate at the goal cannot advance."
    if origin == "sloop":
        return "Aboard the sloop a card works only while it lies at tortuga."
    return "No empty space of that symbol lies ahead, and the sloop cannot take the pirate aboard."


def _no_retreat(position: Position, origin: Place) -> str:
    options = position.options
    if options.card_gain == "morgan":
        return "At this table cards are won by Morgan: there is no retreat."
    if origin == "start":
        return "A pirate at the start has nowhere to fall back to."
    if origin == "sloop" and position.sloop != CARTAGENA:
        return "From the sloop a pirate falls back only while it lies at cartagena."
    sloop = position.ruleset.route.sloop
    if options.card_gain == "split" and position.ruleset.route.places[origin] > sloop:
        return "In the jungle of this table there is no retreat, only Morgan."
    return "No company stands behind that pirate: a retreat needs a space with one or two pirates."


def _no_morgan(position: Position, seat: int, player: int, origin: Place) -> str:
    if player >= len(position.pirates):
        return f"This table has the seats 0 to {len(position.pirates) - 1}."
    if player == seat:
        return "Morgan moves other players' pirates, not your own."
    if position.resigned[player]:
        return "The pirates of a player who has resigned stay where they are."
    place = position.ruleset.route.places.get(origin)
    if place is None or place not in position.pirates[player]:
        return f"No pirate of that player stands at {origin}."
    if origin == "goal":
        return "Morgan cannot move a pirate that has reached the goal."
    if position.options.card_gain == "split" and place < position.ruleset.route.sloop:
        return "At this table Morgan rules in the jungle only."
    if origin == "sloop":
        return "Morgan fetches pirates from the sloop only while it lies at tortuga."
    return "The sloop cannot take that pirate aboard now."


def _no_draw(position: Position, seat: int) -> str:
    match position.options.relief:
        case "none":
            return "At this table there is no relief for an empty hand."
        case "start" if position.taken and not position.held[seat]:
            return "The relief card can be drawn only before the first action of a turn."
        case _:
            return "The relief card is only for a player with an empty hand."


def _no_victim(position: Position, seat: int, player: int) -> str:
    if player >= len(position.pirates):
        return f"This table has the seats 0 to {len(position.pirates) - 1}."
    if player == seat:
        return "Aim the pistol at another player."
    if position.resigned[player]:
        return "That player has resigned."
    return "That player holds no card."


def _no_hook(position: Position, seat: int, origin: Place) -> str:
    if position.taken + 2 > position.ruleset.actions:
        return "A hook costs two actions, and fewer are left."
    place = position.ruleset.route.places.get(origin)
    if not isinstance(origin, int) or place is None or position.pirates[seat].count(place) < 2:
        return "A hook needs two of your pirates on the same space."
    return "There is no room for both pirates where that card leads."
