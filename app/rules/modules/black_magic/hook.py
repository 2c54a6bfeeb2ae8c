"""The hook: with a second card it takes two pirates of one space along, for two actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD, PLACE
from app.rules.core.movement import arrival, landing, move, win_at_goal
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.power import Power, held_kinds, pairs_held, pay, wrong_card

COST = 2


class Why(Reason):
    """Why a hook cannot be played."""

    hook_costs_two = "A hook costs two actions, and fewer are left."
    hook_needs_two_pirates = "A hook needs two of your pirates on the same space."
    hook_no_room = "There is no room for both pirates where that card leads."


@dataclass(frozen=True, slots=True)
class Hook(Action):
    type = "hook"
    form = (("card", CARD), ("with", CARD), ("from", PLACE))
    text = "{card}+{with}! {from}"
    symbol = "hook"
    power_cards = 2
    played = ("card", "with")
    card: str
    second: str
    origin: Place


@dataclass(slots=True)
class HookAdvanced(Event):
    type = "hook_advanced"
    form = ("seat", "card", "with", "from", "to")
    played = ("card", "with")
    seat: int
    card: str
    second: str
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"], event["with"], cost=2)
        move_pirates(view, event["seat"], event["from"], event["to"], count=2)


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    if position.taken + COST > ruleset.actions:
        return
    hooks = held_kinds(position, seat, "hook")
    places = position.pirates[seat]
    spaces = [p for p in dict.fromkeys(places) if ruleset.route.symbol[p] >= 0 and places.count(p) >= 2]
    if not hooks or not spaces:
        return
    names = ruleset.kinds.names
    held = [kind for kind, count in enumerate(position.hands[seat]) if count]
    out += [
        Hook(names[one], names[two], ruleset.route.names[place])
        for one, two in pairs_held(position, seat, hooks, held)
        for place in spaces
        if landing(position, seat, ruleset.kinds.symbol[two], place, 2) >= 0
    ]


def _landing(position: Position, seat: int, action: Hook) -> int:
    kinds = position.ruleset.kinds
    symbol = kinds.symbol[kinds.numbers[action.second]]
    return landing(position, seat, symbol, position.ruleset.route.places[action.origin], 2)


def _advance(position: Position, seat: int, action: Hook, events: Events) -> bool:
    route = position.ruleset.route
    origin = route.places[action.origin]
    to = _landing(position, seat, action)
    dark = pay(position, seat, action.card, action.second, cost=COST)
    move(position, seat, origin, to)
    move(position, seat, origin, to)
    if events is not None:
        events.append(HookAdvanced(seat, action.card, action.second, action.origin, route.names[to]))
    win_at_goal(position, seat, to, events)
    return dark


def _choice(position: Position, seat: int, action: Hook, company: bytearray) -> Json:
    return arrival(position, seat, _landing(position, seat, action), count=2)


def _why_not(position: Position, seat: int, action: Hook) -> Illegal:
    wrong = wrong_card(action.card, "hook")
    if wrong is not None:
        return wrong
    if position.taken + COST > position.ruleset.actions:
        return Illegal(Why.hook_costs_two)
    place = position.ruleset.route.places.get(action.origin)
    if not isinstance(action.origin, int) or place is None or position.pirates[seat].count(place) < 2:
        return Illegal(Why.hook_needs_two_pirates)
    return Illegal(Why.hook_no_room)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    names = ruleset.kinds.names
    for hook in ruleset.kinds.of_name["hook"]:
        for card in names:
            yield from (Hook(names[hook], card, place) for place in ruleset.route.names)


HOOK = Power(
    symbol="hook",
    offer=_offer,
    actions={Hook: Rule(_advance, _choice, _why_not)},
    events=(HookAdvanced,),
    every_action=_every_action,
)
