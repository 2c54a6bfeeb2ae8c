"""The chest: turn over the token under a pirate on a chest space. It gives cards, nothing, or the snake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD_FIELD, PLACE_FIELD
from app.rules.core.illegal_reasons import explain_missing_pirate
from app.rules.core.movement import move_pirate
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.supply import draw_cards
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.chest_tokens import lay_chests
from app.rules.modules.black_magic.power import Power, explain_wrong_card, held_kinds, play_power_cards


class IllegalChestReason(Reason):
    """Reasons why a chest cannot be opened."""

    no_chest_there = "There is no face-down chest under that pirate."


@dataclass(frozen=True, slots=True)
class OpenChest(Action):
    """Play a chest card to turn over the token under one of the seat's pirates."""

    type = "chest"
    json_fields = (("card", CARD_FIELD), ("from", PLACE_FIELD))
    notation = "{card}! {from}"
    symbol = "chest"
    played_card_fields = ("card",)
    card: str
    origin: Place


@dataclass(slots=True)
class ChestOpened(Event):
    type = "chest_opened"
    json_fields = ("seat", "card", "from", "token")
    played_card_fields = ("card",)
    is_final = True
    seat: int
    card: str
    origin: Place
    token: str

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"])
        del view["chests"][str(event["from"])]


@dataclass(slots=True)
class SnakeStruck(Event):
    type = "snake_struck"
    json_fields = ("seat", "from", "to")
    is_final = True
    seat: int
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        move_pirates(view, event["seat"], event["from"], event["to"])


@dataclass(slots=True)
class ChestsLaid(Event):
    type = "chests_laid"
    json_fields = ("spaces", "aside")
    is_final = True
    spaces: tuple[Place, ...]
    aside: int

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["chests"] = {str(space): None for space in event["spaces"]}
        view["chests_aside"] = event["aside"]
        view["chest_shuffles"] += 1


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    kinds = held_kinds(position, seat, "chest")
    if kinds:
        ruleset = position.ruleset
        for place in dict.fromkeys(position.pirates[seat]):
            if place in position.tokens:
                out += [OpenChest(ruleset.kinds.names[kind], ruleset.route.names[place]) for kind in kinds]


def _open(position: Position, seat: int, action: OpenChest, events: Events) -> bool:
    place = position.ruleset.route.places[action.origin]
    is_dark = play_power_cards(position, seat, action.card)
    opened = position.tokens[place]
    position.tokens = {other: token for other, token in position.tokens.items() if other != place}
    if events is not None:
        events.append(ChestOpened(seat, action.card, action.origin, opened))
    if opened == "snake":
        _strike_with_snake(position, seat, place, events)
    elif opened != "empty":
        draw_cards(position, seat, int(opened), events)
    return is_dark


def _strike_with_snake(position: Position, seat: int, place: int, events: Events) -> None:
    """Move the pirate back to the nearest empty rum space, else to the lowest empty space, and lay all tokens anew."""
    route = position.ruleset.route
    low, high = route.range_behind[place]
    empty = [space for space in range(low, high) if not position.occupancy[space]]
    rum = [space for space in empty if route.symbol_at(space) == "rum"]
    to = rum[-1] if rum else empty[0] if empty else place
    if to != place:
        move_pirate(position, seat, place, to)
    position.token_shuffles += 1
    lay_chests(position)
    if events is not None:
        events.append(SnakeStruck(seat, route.names[place], route.names[to]))
        spaces = tuple(route.names[space] for space in sorted(position.tokens))
        events.append(ChestsLaid(spaces, len(position.tokens_aside)))


def _explain_illegal(position: Position, seat: int, action: OpenChest) -> Illegal:
    wrong = explain_wrong_card(action.card, "chest") or explain_missing_pirate(position, seat, action.origin)
    return wrong or Illegal(IllegalChestReason.no_chest_there)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    for kind in ruleset.kinds.by_symbol_name["chest"]:
        yield from (OpenChest(ruleset.kinds.names[kind], place) for place in ruleset.route.names)


CHEST_POWER = Power(
    symbol="chest",
    offer=_offer,
    actions={OpenChest: Rule(_open, explain_illegal=_explain_illegal)},
    events=(ChestOpened, SnakeStruck, ChestsLaid),
    all_actions=_all_actions,
)
