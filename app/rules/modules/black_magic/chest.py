"""The chest: open the token under a pirate on a chest space. It brings cards, nothing, or the snake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.explain import missing_pirate
from app.rules.core.fields import CARD, PLACE
from app.rules.core.movement import move
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.supply import take
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.chest_tokens import lay_chests
from app.rules.modules.black_magic.power import Power, held_kinds, pay, wrong_card


class Why(Reason):
    """Why no chest can be opened."""

    no_chest_there = "No face-down chest lies under that pirate."


@dataclass(frozen=True, slots=True)
class Chest(Action):
    type = "chest"
    form = (("card", CARD), ("from", PLACE))
    text = "{card}! {from}"
    symbol = "chest"
    played = ("card",)
    card: str
    origin: Place


@dataclass(slots=True)
class ChestOpened(Event):
    type = "chest_opened"
    form = ("seat", "card", "from", "token")
    played = ("card",)
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
    form = ("seat", "from", "to")
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
    form = ("spaces", "aside")
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
                out += [Chest(ruleset.kinds.names[kind], ruleset.route.names[place]) for kind in kinds]


def _open(position: Position, seat: int, action: Chest, events: Events) -> bool:
    place = position.ruleset.route.places[action.origin]
    dark = pay(position, seat, action.card)
    found = position.tokens[place]
    position.tokens = {other: left for other, left in position.tokens.items() if other != place}
    if events is not None:
        events.append(ChestOpened(seat, action.card, action.origin, found))
    if found == "snake":
        _strike_with_snake(position, seat, place, events)
    elif found != "empty":
        take(position, seat, int(found), events)
    return dark


def _strike_with_snake(position: Position, seat: int, place: int, events: Events) -> None:
    """Back to the nearest empty rum space, else to the lowest empty space, else nowhere; then new tokens."""
    route = position.ruleset.route
    low, high = route.behind[place]
    empty = [space for space in range(low, high) if not position.crowd[space]]
    rum = [space for space in empty if route.symbol_at(space) == "rum"]
    to = rum[-1] if rum else empty[0] if empty else place
    if to != place:
        move(position, seat, place, to)
    position.token_shuffles += 1
    lay_chests(position)
    if events is not None:
        events.append(SnakeStruck(seat, route.names[place], route.names[to]))
        spaces = tuple(route.names[space] for space in sorted(position.tokens))
        events.append(ChestsLaid(spaces, len(position.tokens_aside)))


def _why_not(position: Position, seat: int, action: Chest) -> Illegal:
    wrong = wrong_card(action.card, "chest") or missing_pirate(position, seat, action.origin)
    return wrong or Illegal(Why.no_chest_there)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    for kind in ruleset.kinds.of_name["chest"]:
        yield from (Chest(ruleset.kinds.names[kind], place) for place in ruleset.route.names)


CHEST = Power(
    symbol="chest",
    offer=_offer,
    actions={Chest: Rule(_open, why_not=_why_not)},
    events=(ChestOpened, SnakeStruck, ChestsLaid),
    every_action=_every_action,
)
