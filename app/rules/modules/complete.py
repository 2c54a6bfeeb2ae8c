"""The complete escape: the sloop sails between passage and jungle, free once a turn for its captain."""

from __future__ import annotations

from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.position import CARTAGENA, TORTUGA, Events, Position
from app.rules.core.ruleset import Module, Rule
from app.rules.core.view_patch import play_cards


class IllegalSailReason(Reason):
    """Reasons why the sloop cannot sail."""

    no_sailing = "The sloop does not sail at this table."
    sail_needs_crew = "To sail to Tortuga you need a pirate aboard."
    sail_back_needs_pirate = "To sail back to Cartagena you need a pirate in the prison or in the passage."


@dataclass(frozen=True, slots=True)
class Sail(Action):
    """Sail the sloop to the other end with all pirates aboard."""

    type = "sail"
    notation = "sail"


@dataclass(slots=True)
class Sailed(Event):
    type = "sailed"
    json_fields = ("seat", "to", "free")
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
    """Return whether the seat has a pirate aboard and no other seat still in has more."""
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
    # Places are in ascending order, so a pirate at the start or in the passage comes first.
    if (sloop in places) if position.sloop == CARTAGENA else places[0] < sloop:
        out.append(_SAIL)


def _sail(position: Position, seat: int, action: Sail, events: Events) -> bool:
    is_free = position.actions_taken == 0 and not position.captain_used and is_captain(position, seat)
    if is_free:
        position.captain_used = True
    else:
        position.actions_taken += 1
    position.sloop = TORTUGA if position.sloop == CARTAGENA else CARTAGENA
    if events is not None:
        events.append(Sailed(seat, position.sloop, is_free))
    return False


def _explain_illegal(position: Position, seat: int, action: Sail) -> Illegal:
    return Illegal(
        IllegalSailReason.sail_needs_crew
        if position.sloop == CARTAGENA
        else IllegalSailReason.sail_back_needs_pirate
    )


COMPLETE_MODULE = Module(
    name="complete",
    is_active=lambda options: options.scenario == "complete",
    absent_reason=IllegalSailReason.no_sailing,
    offers=lambda options, route: (_offer_sail,),
    actions={Sail: Rule(_sail, lambda position, seat, action, company: {"final": False}, _explain_illegal)},
    events=(Sailed,),
)
