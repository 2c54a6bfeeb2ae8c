"""An entry in the making, and what a decision may know besides the table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import msgspec

from app.play.log.table import Step
from app.play.ports import Actor
from app.play.refusals import Refusal

__all__ = ["Draft", "Scene", "seated"]


class Draft(msgspec.Struct, gc=False):
    """An entry in the making: the room gives it its number and its time."""

    kind: str
    seat: int
    body: dict[str, Any]
    by: str = "person"
    step: Step | None = None


class Scene(msgspec.Struct, gc=False):
    """What a decision may know besides the table: who asks, when it was received, who is present."""

    actor: Actor
    seat: int | None
    received: int
    present: Callable[[], Collection[int]]
    """Seats whose person is here; asked for only where it matters."""


def seated(scene: Scene) -> int:
    """The asker's seat."""
    if scene.seat is None:
        raise Refusal("not_seated")
    return scene.seat
