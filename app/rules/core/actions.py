"""The actions of every edition: advance, retreat, draw, end and resign."""

from __future__ import annotations

from dataclasses import dataclass

from app.rules.core.action import ACTIONS, Action
from app.rules.core.fields import CARD, PLACE
from app.rules.core.route import Place

__all__ = ["Advance", "Draw", "End", "Resign", "Retreat"]


@dataclass(frozen=True, slots=True)
class Advance(Action):
    type = "advance"
    form = (("card", CARD), ("from", PLACE))
    text = "{card} {from}"
    card: str
    origin: Place

    def cards_played(self) -> tuple[str, ...]:
        return (self.card,)


@dataclass(frozen=True, slots=True)
class Retreat(Action):
    type = "retreat"
    form = (("from", PLACE),)
    text = "retreat {from}"
    origin: Place


@dataclass(frozen=True, slots=True)
class Draw(Action):
    """The relief card for an empty hand."""

    type = "draw"
    text = "draw"


@dataclass(frozen=True, slots=True)
class End(Action):
    type = "end"
    text = "end"


@dataclass(frozen=True, slots=True)
class Resign(Action):
    type = "resign"
    text = "resign"


ACTIONS.update({End.type: End, Resign.type: Resign})  # the engine plays these itself
