"""The complete escape: the sloop sails between passage and jungle, once a turn free for its captain."""

from __future__ import annotations

from app.rules.core.actions import Action, Sail
from app.rules.core.events import Sailed
from app.rules.core.position import CARTAGENA, TORTUGA, Position
from app.rules.core.ruleset import Events, Module

__all__ = ["COMPLETE", "is_captain"]

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


COMPLETE = Module(
    name="complete",
    is_on=lambda options: options.scenario == "complete",
    offers=lambda options: (_offer_sail,),
    resolvers={Sail: _sail},
)
