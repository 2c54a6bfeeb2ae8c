"""Morgan: win cards by moving another seat's pirate ahead to company."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import PLACE_FIELD, SEAT_FIELD
from app.rules.core.illegal_reasons import explain_unknown_seat
from app.rules.core.movement import (
    NOWHERE,
    company_flags,
    has_room_aboard,
    move_pirate,
    preview_move,
    win_if_all_at_goal,
)
from app.rules.core.position import TORTUGA, Events, Offer, Position, Ruleset
from app.rules.core.route import GOAL, SLOOP, Place, Route
from app.rules.core.ruleset import Module, Rule
from app.rules.core.supply import draw_cards
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.options import Options

CARDS_WITHOUT_COMPANY = 2
"""Cards won if there is no company ahead."""


class IllegalMorganReason(Reason):
    """Reasons why Morgan cannot move a pirate."""

    no_morgan = "This table does not use Morgan."
    morgan_own_pirate = "Morgan moves other players' pirates, not your own."
    morgan_resigned = "The pirates of a player who has resigned stay where they are."
    morgan_no_pirate = "That player has no pirate there."
    morgan_from_goal = "Morgan cannot move a pirate that has reached the goal."
    morgan_jungle_only = "At this table you can use Morgan only in the jungle."
    morgan_from_sloop = "Morgan can move a pirate off the sloop only while the sloop is at Tortuga."
    morgan_sloop_full = "The sloop cannot take that pirate aboard now."


@dataclass(frozen=True, slots=True)
class MoveWithMorgan(Action):
    """Move another seat's pirate ahead and draw cards."""

    type = "morgan"
    json_fields = (("player", SEAT_FIELD), ("from", PLACE_FIELD))
    notation = "morgan {player} {from}"
    player: int
    origin: Place


@dataclass(slots=True)
class MorganMoved(Event):
    type = "morgan_moved"
    json_fields = ("seat", "player", "from", "to")
    seat: int
    player: int
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"])
        move_pirates(view, event["player"], event["from"], event["to"])


@lru_cache(maxsize=64)
def _all_morgans(places: tuple[Place, ...], players: int) -> tuple[tuple[MoveWithMorgan, ...], ...]:
    return tuple(tuple(MoveWithMorgan(player, place) for place in places) for player in range(players))


def _find_target(position: Position, owner: int, origin: int, company: bytes | bytearray) -> int:
    """Return the nearest company ahead on the pirate's side, else the end of the side, or NOWHERE if it has no room."""
    route = position.ruleset.route
    if origin == route.goal or (origin == route.sloop and position.sloop != TORTUGA):
        return NOWHERE
    low, high = route.range_ahead[origin]
    found = company.find(1, low, high)
    if found >= 0:
        return found
    end = route.side_end[origin]
    if end == route.sloop and not has_room_aboard(position, owner, 1):
        return NOWHERE
    return end


def _offers(options: Options, route: Route) -> tuple[Offer, ...]:
    all_morgans = _all_morgans(route.names, options.players)
    # With the card gain "split", Morgan moves pirates in the jungle and on the sloop at Tortuga only.
    first = route.sloop if options.card_gain == "split" else 0

    def offer(position: Position, seat: int, out: list[Action]) -> None:
        company = company_flags(position)
        for player, places in enumerate(position.pirates):
            if player == seat or position.resigned[player]:
                continue
            morgans = all_morgans[player]
            out += [
                morgans[place]
                for place in dict.fromkeys(places)
                if place >= first and _find_target(position, player, place, company) >= 0
            ]

    return (offer,)


def _cards_won(position: Position, origin: int, to: int) -> int:
    return CARDS_WITHOUT_COMPANY if to == position.ruleset.route.side_end[origin] else position.occupancy[to]


def _resolve(position: Position, seat: int, action: MoveWithMorgan, events: Events) -> bool:
    route = position.ruleset.route
    player = action.player
    origin = route.places[action.origin]
    to = _find_target(position, player, origin, company_flags(position))
    won = _cards_won(position, origin, to)
    move_pirate(position, player, origin, to)
    position.actions_taken += 1
    if events is not None:
        events.append(MorganMoved(seat, player, action.origin, route.names[to]))
    if not win_if_all_at_goal(position, player, to, events):
        draw_cards(position, seat, won, events)
    return False


def _preview(position: Position, seat: int, action: MoveWithMorgan, company: bytearray) -> Json:
    origin = position.ruleset.route.places[action.origin]
    to = _find_target(position, action.player, origin, company)
    return preview_move(position, action.player, to, draws=_cards_won(position, origin, to))


def _explain_illegal(position: Position, seat: int, action: MoveWithMorgan) -> Illegal:
    unknown = explain_unknown_seat(position, action.player)
    if unknown is not None:
        return unknown
    if action.player == seat:
        return Illegal(IllegalMorganReason.morgan_own_pirate)
    if position.resigned[action.player]:
        return Illegal(IllegalMorganReason.morgan_resigned)
    route = position.ruleset.route
    place = route.places.get(action.origin)
    if place is None or place not in position.pirates[action.player]:
        return Illegal(IllegalMorganReason.morgan_no_pirate, place=action.origin)
    if action.origin == GOAL:
        return Illegal(IllegalMorganReason.morgan_from_goal)
    if position.options.card_gain == "split" and place < route.sloop:
        return Illegal(IllegalMorganReason.morgan_jungle_only)
    return Illegal(
        IllegalMorganReason.morgan_from_sloop
        if action.origin == SLOOP
        else IllegalMorganReason.morgan_sloop_full
    )


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    for row in _all_morgans(ruleset.route.names, ruleset.options.players):
        yield from row


MORGAN_MODULE = Module(
    name="morgan",
    is_active=lambda options: options.card_gain != "retreat",
    absent_reason=IllegalMorganReason.no_morgan,
    offers=_offers,
    actions={MoveWithMorgan: Rule(_resolve, _preview, _explain_illegal)},
    events=(MorganMoved,),
    all_actions=_all_actions,
)
