"""Morgan: win cards by sending another seat's pirate ahead to company."""

from __future__ import annotations

from app.rules.core.actions import Action, Morgan
from app.rules.core.events import MorganMoved
from app.rules.core.movement import company_of, has_won, morgan_target, move, win
from app.rules.core.position import Position
from app.rules.core.ruleset import Events, Module
from app.rules.core.supply import take

__all__ = ["MORGAN"]

CARDS_AT_THE_END = 2
"""What Morgan brings where no company stands ahead."""


def _offer_morgans(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    company = company_of(position)
    # In the split game Morgan rules in the jungle only, the sloop at tortuga included.
    first = ruleset.route.sloop if ruleset.options.card_gain == "split" else 0
    for player, places in enumerate(position.pirates):
        if player == seat or position.resigned[player]:
            continue
        morgans = ruleset.stock.morgans[player]
        out += [
            morgans[place]
            for place in dict.fromkeys(places)
            if place >= first and morgan_target(position, player, place, company) >= 0
        ]


def _morgan(position: Position, seat: int, action: Morgan, events: Events) -> bool:
    route = position.ruleset.route
    player = action.player
    origin = route.places[action.origin]
    to = morgan_target(position, player, origin, company_of(position))
    met = CARDS_AT_THE_END if to == route.end[origin] else position.crowd[to]
    move(position, player, origin, to)
    position.taken += 1
    if events is not None:
        events.append(MorganMoved(seat, player, action.origin, route.names[to]))
    if to == route.goal and has_won(position, player):
        win(position, player, "goal", events)
    else:
        take(position, seat, met, events)
    return False


MORGAN = Module(
    name="morgan",
    is_on=lambda options: options.card_gain != "retreat",
    offers=lambda options: (_offer_morgans,),
    resolvers={Morgan: _morgan},
)
