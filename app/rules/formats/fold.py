"""The fold: a view and the events its audience was sent give the next view. It needs no rules."""

from __future__ import annotations

from typing import Any

from app.rules.core.event import EVENTS

__all__ = ["fold"]

Json = dict[str, Any]


def fold(view: Json, event: Json, seat: int | None) -> None:
    """Move the view on in place. `seat` says whose view it is; None is a spectator's."""
    EVENTS[event["type"]].fold(view, event, seat)
