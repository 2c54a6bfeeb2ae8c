"""Morgan: win cards by sending another seat's pirate ahead to company."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.explain import no_such_seat
from app.rules.core.fields import PLACE, SEAT
from app.rules.core.movement import NOWHERE, arrival, company_of, has_room_aboard, move, win_at_goal
from app.rules.core.position import TORTUGA, Events, Offer, Position, Ruleset
from app.rules.core.route import GOAL, SLOOP, Place, Route
from app.rules.core.ruleset import Module, Rule
from app.rules.core.supply import take
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.options import Options

CARDS_AT_THE_END = 2
"""What Morgan brings where no company stands ahead."""


class Why(Reason):
    """Why Morgan cannot move a pirate."""

    no_morgan = "This table plays without Morgan."
    morgan_own_pirate = "Morgan moves other players' pirates, not your own."
    morgan_resigned = "The pirates of a player who has resigned stay where they are."
    morgan_no_pirate = "No pirate of that player stands there."
    morgan_from_goal = "Morgan cannot move a pirate that has reached the goal."
    morgan_jungle_only = "At this table Morgan rules in the jungle only."
    morgan_from_sloop = "Morgan fetches pirates from the sloop only while it lies at Tortuga."
    morgan_sloop_full = "The sloop cannot take that pirate aboard now."


@dataclass(frozen=True, slots=True)
class Morgan(Action):
    type = "morgan"
    form = (("player", SEAT), ("from", PLACE))
    text = "morgan {player} {from}"
    player: int
    origin: Place


@dataclass(slots=True)
class MorganMoved(Event):
    type = "morgan_moved"
    form = ("seat", "player", "from", "to")
    seat: int
    player: int
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"])
        move_pirates(view, event["player"], event["from"], event["to"])


@lru_cache(maxsize=64)
def _all_morgans(places: tuple[Place, ...], players: int) -> tuple[tuple[Morgan, ...], ...]:
    return tuple(tuple(Morgan(player, place) for place in places) for player in range(players))


def _target(position: Position, owner: int, origin: int, company: bytes | bytearray) -> int:
    """The nearest company ahead on its own side, else the end of that side: −1 if that has no room."""
    route = position.ruleset.route
    if origin == route.goal or (origin == route.sloop and position.sloop != TORTUGA):
        return NOWHERE
    low, high = route.before[origin]
    found = company.find(1, low, high)
    if found >= 0:
        return found
    end = route.end[origin]
    if end == route.sloop and not has_room_aboard(position, owner, 1):
        return NOWHERE
    return end


def _offers(options: Options, route: Route) -> tuple[Offer, ...]:
    all_morgans = _all_morgans(route.names, options.players)
    # In the split game Morgan rules in the jungle only, the sloop at tortuga included.
    first = route.sloop if options.card_gain == "split" else 0

    def offer(position: Position, seat: int, out: list[Action]) -> None:
        company = company_of(position)
        for player, places in enumerate(position.pirates):
            if player == seat or position.resigned[player]:
                continue
            morgans = all_morgans[player]
            out += [
                morgans[place]
                for place in dict.fromkeys(places)
                if place >= first and _target(position, player, place, company) >= 0
            ]

    return (offer,)


def _cards_won(position: Position, origin: int, to: int) -> int:
    return CARDS_AT_THE_END if to == position.ruleset.route.end[origin] else position.crowd[to]


def _resolve(position: Position, seat: int, action: Morgan, events: Events) -> bool:
    route = position.ruleset.route
    player = action.player
    origin = route.places[action.origin]
    to = _target(position, player, origin, company_of(position))
    won = _cards_won(position, origin, to)
    move(position, player, origin, to)
    position.taken += 1
    if events is not None:
        events.append(MorganMoved(seat, player, action.origin, route.names[to]))
    if not win_at_goal(position, player, to, events):
        take(position, seat, won, events)
    return False


def _choice(position: Position, seat: int, action: Morgan, company: bytearray) -> Json:
    origin = position.ruleset.route.places[action.origin]
    to = _target(position, action.player, origin, company)
    return arrival(position, action.player, to, draws=_cards_won(position, origin, to))


def _why_not(position: Position, seat: int, action: Morgan) -> Illegal:
    unknown = no_such_seat(position, action.player)
    if unknown is not None:
        return unknown
    if action.player == seat:
        return Illegal(Why.morgan_own_pirate)
    if position.resigned[action.player]:
        return Illegal(Why.morgan_resigned)
    route = position.ruleset.route
    place = route.places.get(action.origin)
    if place is None or place not in position.pirates[action.player]:
        return Illegal(Why.morgan_no_pirate, place=action.origin)
    if action.origin == GOAL:
        return Illegal(Why.morgan_from_goal)
    if position.options.card_gain == "split" and place < route.sloop:
        return Illegal(Why.morgan_jungle_only)
    return Illegal(Why.morgan_from_sloop if action.origin == SLOOP else Why.morgan_sloop_full)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    for row in _all_morgans(ruleset.route.names, ruleset.options.players):
        yield from row


MORGAN = Module(
    name="morgan",
    is_on=lambda options: options.card_gain != "retreat",
    absent=Why.no_morgan,
    offers=_offers,
    actions={Morgan: Rule(_resolve, _choice, _why_not)},
    events=(MorganMoved,),
    every_action=_every_action,
)
