"""An entry in the making, and what a decision may know besides the table."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from app.play.ports import Anyone
from app.play.refusals import Refusal
from app.play.table import Step

__all__ = ["Draft", "Scene", "seated"]


class Draft:
    """An entry in the making: the room gives it its number and its time."""

    __slots__ = ("body", "by", "kind", "seat", "step")

    def __init__(
        self, kind: str, seat: int, body: dict[str, Any], by: str = "person", step: Step | None = None
    ) -> None:
        self.kind = kind
        self.seat = seat
        self.body = body
        self.by = by
        self.step = step


class Scene:
    """What a decision may know besides the table: who asks, when it was received, who is present."""

    __slots__ = ("anyone", "present", "received", "seat")

    def __init__(
        self, anyone: Anyone, seat: int | None, received: int, present: Callable[[], Collection[int]]
    ) -> None:
        self.anyone = anyone
        self.seat = seat
        self.received = received
        self.present = present  # seats whose person is here; asked for only where it matters


def seated(scene: Scene) -> int:
    """The asker's seat."""
    if scene.seat is None:
        raise Refusal("not_seated")
    return scene.seat
