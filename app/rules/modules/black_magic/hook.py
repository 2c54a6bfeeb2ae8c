"""The hook: with a second card it advances two pirates together, for two actions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD_FIELD, PLACE_FIELD
from app.rules.core.movement import find_landing, move_pirate, preview_move, win_if_all_at_goal
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.power import (
    Power,
    explain_wrong_card,
    held_kinds,
    held_pairs,
    play_power_cards,
)

ACTION_COST = 2


class IllegalHookReason(Reason):
    """Reasons why a hook cannot be played."""

    hook_costs_two = "A hook costs two actions, and you have fewer left."
    hook_needs_two_pirates = "A hook needs two of your pirates on the same space."
    hook_no_room = "There is no room for both pirates where that card would take them."


@dataclass(frozen=True, slots=True)
class AdvanceWithHook(Action):
    """Play a hook and a second card to advance two pirates from the same space by the second card."""

    type = "hook"
    json_fields = (("card", CARD_FIELD), ("with", CARD_FIELD), ("from", PLACE_FIELD))
    notation = "{card}+{with}! {from}"
    symbol = "hook"
    power_card_count = 2
    played_card_fields = ("card", "with")
    card: str
    second: str
    origin: Place


@dataclass(slots=True)
class HookAdvanced(Event):
    type = "hook_advanced"
    json_fields = ("seat", "card", "with", "from", "to")
    played_card_fields = ("card", "with")
    seat: int
    card: str
    second: str
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"], event["with"], cost=ACTION_COST)
        move_pirates(view, event["seat"], event["from"], event["to"], count=2)


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    if position.actions_taken + ACTION_COST > ruleset.actions:
        return
    hooks = held_kinds(position, seat, "hook")
    places = position.pirates[seat]
    spaces = [p for p in dict.fromkeys(places) if ruleset.route.symbol[p] >= 0 and places.count(p) >= 2]
    if not hooks or not spaces:
        return
    names = ruleset.kinds.names
    held = [kind for kind, count in enumerate(position.hands[seat]) if count]
    out += [
        AdvanceWithHook(names[hook], names[second], ruleset.route.names[place])
        for hook, second in held_pairs(position, seat, hooks, held)
        for place in spaces
        if find_landing(position, seat, ruleset.kinds.symbol[second], place, 2) >= 0
    ]


def _find_landing(position: Position, seat: int, action: AdvanceWithHook) -> int:
    kinds = position.ruleset.kinds
    symbol = kinds.symbol[kinds.by_name[action.second]]
    return find_landing(position, seat, symbol, position.ruleset.route.places[action.origin], 2)


def _advance(position: Position, seat: int, action: AdvanceWithHook, events: Events) -> bool:
    route = position.ruleset.route
    origin = route.places[action.origin]
    to = _find_landing(position, seat, action)
    is_dark = play_power_cards(position, seat, action.card, action.second, cost=ACTION_COST)
    move_pirate(position, seat, origin, to)
    move_pirate(position, seat, origin, to)
    if events is not None:
        events.append(HookAdvanced(seat, action.card, action.second, action.origin, route.names[to]))
    win_if_all_at_goal(position, seat, to, events)
    return is_dark


def _preview(position: Position, seat: int, action: AdvanceWithHook, company: bytearray) -> Json:
    return preview_move(position, seat, _find_landing(position, seat, action), count=2)


def _explain_illegal(position: Position, seat: int, action: AdvanceWithHook) -> Illegal:
    wrong = explain_wrong_card(action.card, "hook")
    if wrong is not None:
        return wrong
    if position.actions_taken + ACTION_COST > position.ruleset.actions:
        return Illegal(IllegalHookReason.hook_costs_two)
    place = position.ruleset.route.places.get(action.origin)
    if not isinstance(action.origin, int) or place is None or position.pirates[seat].count(place) < 2:
        return Illegal(IllegalHookReason.hook_needs_two_pirates)
    return Illegal(IllegalHookReason.hook_no_room)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    names = ruleset.kinds.names
    for hook in ruleset.kinds.by_symbol_name["hook"]:
        for card in names:
            yield from (AdvanceWithHook(names[hook], card, place) for place in ruleset.route.names)


HOOK_POWER = Power(
    symbol="hook",
    offer=_offer,
    actions={AdvanceWithHook: Rule(_advance, _preview, _explain_illegal)},
    events=(HookAdvanced,),
    all_actions=_all_actions,
)
