"""Black magic: a card may be played for its power instead of an advance."""

from __future__ import annotations

from app.rules.core.actions import Action, Chest, Hook, Lantern, Parrot, Pistol, Rum
from app.rules.core.cards import SYMBOLS
from app.rules.core.magic_events import (
    ChestOpened,
    ChestsLaid,
    HookAdvanced,
    LanternLit,
    ParrotAdvanced,
    PistolAimed,
    RumPoured,
    SnakeStruck,
)
from app.rules.core.movement import discard_card, has_won, landing, move, win
from app.rules.core.pending import OwedShare, OwedStack, OwedSteal
from app.rules.core.position import Position
from app.rules.core.ruleset import Events, Module
from app.rules.core.supply import deal_choice, take
from app.rules.core.tokens import lay_chests
from app.rules.modules.owed_choices import ANSWERS, RESOLVERS, SETTLERS

__all__ = ["BLACK_MAGIC"]

CHEST, HOOK, LANTERN, PARROT, PISTOL, RUM = range(6)
assert SYMBOLS["escape"] == ("chest", "hook", "lantern", "parrot", "pistol", "rum")

HOOK_COST = 2
LANTERN_CARDS = 4


def _held_kinds(position: Position, seat: int, symbol: int) -> list[int]:
    hand = position.hands[seat]
    return [kind for kind in position.ruleset.kinds.of_symbol[symbol] if hand[kind]]


def _offer_pistols(position: Position, seat: int, out: list[Action]) -> None:
    names = position.ruleset.kinds.names
    for kind in _held_kinds(position, seat, PISTOL):
        for player, held in enumerate(position.held):
            if player != seat and held and not position.resigned[player]:
                out.append(Pistol(names[kind], player))


def _aim_pistol(position: Position, seat: int, action: Pistol, events: Events) -> bool:
    kinds = position.ruleset.kinds
    kind = kinds.numbers[action.card]
    discard_card(position, seat, kind)
    position.taken += 1
    position.pending = OwedSteal(seat, action.player, kinds.dark[kind])
    if events is not None:
        events.append(PistolAimed(seat, action.card, action.player, position.hand_names(action.player)))
    return False


def _offer_rum(position: Position, seat: int, out: list[Action]) -> None:
    kinds = _held_kinds(position, seat, RUM)
    # The rum just played lies on the discards and so may be drawn again.
    if kinds and len(position.deck) + len(position.discard) + 1 >= len(position.seats_in) + 1:
        names = position.ruleset.kinds.names
        out += [Rum(names[kind]) for kind in kinds]


def _pour_rum(position: Position, seat: int, action: Rum, events: Events) -> bool:
    kinds = position.ruleset.kinds
    kind = kinds.numbers[action.card]
    discard_card(position, seat, kind)
    position.taken += 1
    if events is not None:
        events.append(RumPoured(seat, action.card))
    cards = deal_choice(position, seat, len(position.seats_in) + 1, events)
    position.pending = OwedShare(seat, cards, kinds.dark[kind])
    return False


def _offer_lantern(position: Position, seat: int, out: list[Action]) -> None:
    names = position.ruleset.kinds.names
    out += [Lantern(names[kind]) for kind in _held_kinds(position, seat, LANTERN)]


def _light_lantern(position: Position, seat: int, action: Lantern, events: Events) -> bool:
    kinds = position.ruleset.kinds
    kind = kinds.numbers[action.card]
    discard_card(position, seat, kind)
    position.taken += 1
    if events is not None:
        events.append(LanternLit(seat, action.card))
    cards = deal_choice(position, seat, LANTERN_CARDS, events)
    position.pending = OwedStack(seat, cards, kinds.dark[kind])
    return False


def _pairs(position: Position, seat: int, first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """Two cards of one hand, one from each list; the same kind twice only if it is held twice."""
    hand = position.hands[seat]
    return [(one, two) for one in first for two in second if one != two or hand[one] > 1]


def _offer_parrots(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    parrots = _held_kinds(position, seat, PARROT)
    names = ruleset.kinds.names
    pairs = [(names[one], names[two]) for one, two in _pairs(position, seat, parrots, parrots) if one <= two]
    if not pairs:
        return
    symbols = SYMBOLS[ruleset.options.symbols]
    for place in dict.fromkeys(position.pirates[seat]):
        if place == ruleset.route.goal:
            continue
        for number, symbol in enumerate(symbols):
            if landing(position, seat, number, place) >= 0:
                out += [Parrot(pair, symbol, ruleset.route.names[place]) for pair in pairs]


def _advance_with_parrots(position: Position, seat: int, action: Parrot, events: Events) -> bool:
    ruleset = position.ruleset
    route = ruleset.route
    kinds = [ruleset.kinds.numbers[card] for card in action.cards]
    origin = route.places[action.origin]
    symbol = SYMBOLS[ruleset.options.symbols].index(action.symbol)
    to = landing(position, seat, symbol, origin)
    for kind in kinds:
        discard_card(position, seat, kind)
    move(position, seat, origin, to)
    position.taken += 1
    if events is not None:
        events.append(ParrotAdvanced(seat, action.cards, action.symbol, action.origin, route.names[to]))
    if to == route.goal and has_won(position, seat):
        win(position, seat, "goal", events)
    return any(ruleset.kinds.dark[kind] for kind in kinds)


def _offer_hooks(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    if position.taken + HOOK_COST > ruleset.actions:
        return
    hooks = _held_kinds(position, seat, HOOK)
    places = position.pirates[seat]
    spaces = [p for p in dict.fromkeys(places) if ruleset.route.symbol[p] >= 0 and places.count(p) >= 2]
    if not hooks or not spaces:
        return
    names = ruleset.kinds.names
    held = [kind for kind, count in enumerate(position.hands[seat]) if count]
    out += [
        Hook(names[one], names[two], ruleset.route.names[place])
        for one, two in _pairs(position, seat, hooks, held)
        for place in spaces
        if landing(position, seat, ruleset.kinds.symbol[two], place, 2) >= 0
    ]


def _advance_with_hook(position: Position, seat: int, action: Hook, events: Events) -> bool:
    ruleset = position.ruleset
    route = ruleset.route
    hook, second = ruleset.kinds.numbers[action.card], ruleset.kinds.numbers[action.second]
    origin = route.places[action.origin]
    to = landing(position, seat, ruleset.kinds.symbol[second], origin, 2)
    discard_card(position, seat, hook)
    discard_card(position, seat, second)
    move(position, seat, origin, to)
    move(position, seat, origin, to)
    position.taken += HOOK_COST
    if events is not None:
        events.append(HookAdvanced(seat, action.card, action.second, action.origin, route.names[to]))
    if to == route.goal and has_won(position, seat):
        win(position, seat, "goal", events)
    return ruleset.kinds.dark[hook] or ruleset.kinds.dark[second]


def _offer_chests(position: Position, seat: int, out: list[Action]) -> None:
    kinds = _held_kinds(position, seat, CHEST)
    if kinds:
        ruleset = position.ruleset
        for place in dict.fromkeys(position.pirates[seat]):
            if place in position.chests:
                out += [Chest(ruleset.kinds.names[kind], ruleset.route.names[place]) for kind in kinds]


def _open_chest(position: Position, seat: int, action: Chest, events: Events) -> bool:
    ruleset = position.ruleset
    place = ruleset.route.places[action.origin]
    kind = ruleset.kinds.numbers[action.card]
    discard_card(position, seat, kind)
    position.taken += 1
    found = position.chests[place]
    position.chests = {other: left for other, left in position.chests.items() if other != place}
    if events is not None:
        events.append(ChestOpened(seat, action.card, action.origin, found))
    if found == "snake":
        _strike_with_snake(position, seat, place, events)
    elif found != "empty":
        take(position, seat, int(found), events)
    return ruleset.kinds.dark[kind]


def _strike_with_snake(position: Position, seat: int, place: int, events: Events) -> None:
    """Back to the nearest empty rum space, else to the lowest empty space, else nowhere; then new tokens."""
    route = position.ruleset.route
    low, high = route.behind[place]
    empty = [space for space in range(low, high) if not position.crowd[space]]
    rum = [space for space in empty if route.symbol[space] == RUM]
    to = rum[-1] if rum else empty[0] if empty else place
    if to != place:
        move(position, seat, place, to)
    position.chest_shuffles += 1
    lay_chests(position)
    if events is not None:
        events.append(SnakeStruck(seat, route.names[place], route.names[to]))
        spaces = tuple(route.names[space] for space in sorted(position.chests))
        events.append(ChestsLaid(spaces, len(position.chests_aside)))


BLACK_MAGIC = Module(
    name="black_magic",
    is_on=lambda options: options.black_magic,
    offers=lambda options: (
        _offer_pistols,
        _offer_rum,
        _offer_lantern,
        _offer_parrots,
        _offer_hooks,
        _offer_chests,
    ),
    resolvers={
        Pistol: _aim_pistol,
        Rum: _pour_rum,
        Lantern: _light_lantern,
        Parrot: _advance_with_parrots,
        Hook: _advance_with_hook,
        Chest: _open_chest,
        **RESOLVERS,
    },
    answers=ANSWERS,
    settlers=SETTLERS,
)
