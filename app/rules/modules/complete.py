"""The complete escape: the sloop sails between passage and jungle, once a turn free for its captain."""

from __future__ import annotations

from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.position import CARTAGENA, TORTUGA, Events, Position
from app.rules.core.ruleset import Module, Rule
from app.rules.core.view_patch import play_cards


class Why(Reason):
    """Why the sloop does not sail."""

    no_sailing = "This table plays without a sailing sloop."
    sail_needs_crew = "To sail to Tortuga you need a pirate aboard."
    sail_back_needs_pirate = "To sail back to Cartagena you need a pirate at the start or in the passage."


@dataclass(frozen=True, slots=True)
class Sail(Action):
    type = "sail"
    text = "sail"


@dataclass(slots=True)
class Sailed(Event):
    type = "sailed"
    form = ("seat", "to", "free")
    seat: int
    to: str
    is_free: bool

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], cost=0 if event["free"] else 1)
        if event["free"]:
            view["turn"]["captain_used"] = True
        view["sloop"] = event["to"]


_SAIL = Sail()


def is_captain(position: Position, seat: int) -> bool:
    """Whether the seat has a pirate aboard and no other seat still in has more."""
    sloop = position.ruleset.route.sloop
    aboard = position.pirates[seat].count(sloop)
    return aboard > 0 and all(
        places.count(sloop) <= aboard
        for other, places in enumerate(position.pirates)
        if not position.resigned[other]
    )


def _offer_sail(position: Position, seat: int, out: list[Action]) -> None:
    places = position.pirates[seat]
    sloop = position.ruleset.route.sloop
    # Places ascend: somebody at start or in the passage is the first of them.
    if (sloop in places) if position.sloop == CARTAGENA else places[0] < sloop:
        out.append(_SAIL)


def _sail(position: Position, seat: int, action: Sail, events: Events) -> bool:
    is_free = position.taken == 0 and not position.captain_used and is_captain(position, seat)
    if is_free:
        position.captain_used = True
    else:
        position.taken += 1
    position.sloop = TORTUGA if position.sloop == CARTAGENA else CARTAGENA
    if events is not None:
        events.append(Sailed(seat, position.sloop, is_free))
    return False


def _why_not(position: Position, seat: int, action: Sail) -> Illegal:
    return Illegal(Why.sail_needs_crew if position.sloop == CARTAGENA else Why.sail_back_needs_pirate)


COMPLETE = Module(
    name="complete",
    is_on=lambda options: options.scenario == "complete",
    absent=Why.no_sailing,
    offers=lambda options, route: (_offer_sail,),
    actions={Sail: Rule(_sail, lambda position, seat, action, company: {"final": False}, _why_not)},
    events=(Sailed,),
)
