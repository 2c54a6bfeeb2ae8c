"""Clients of the lobby: what each wants to see, and the changes held back while its lists are read."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.frames import Frame
from app.play.ports import Actor, Listener

NO_PEOPLE: frozenset[str] = frozenset()  # shared: an empty set takes 216 bytes


class LobbyFilter(msgspec.Struct, frozen=True):
    """The tables that a client wants to see; None matches all."""

    preset: str | None = None
    seats: int | None = None
    clock: str | None = None
    bots: bool | None = None

    def matches(self, row: dict[str, Any]) -> bool:
        return (
            self.preset in (None, row["preset"])
            and self.seats in (None, row["seats"])
            and self.clock in (None, row["clock"])
            and (self.bots is None or self.bots == (row["bots"] > 0))
        )


class LobbySubscriber:
    """One client in the lobby. With `is_own_only` it receives only the list of its person's own games."""

    __slots__ = ("_held", "actor", "blocked", "filter", "is_own_only", "listener")

    def __init__(self, actor: Actor, listener: Listener) -> None:
        self.actor = actor
        self.is_own_only = False
        self.listener = listener
        self.filter = LobbyFilter()
        self.blocked = NO_PEOPLE  # people whose tables are not listed, under all of their ids
        self._held: list[Frame] | None = None

    def send(self, frame: Frame) -> None:
        if self._held is not None:
            self._held.append(frame)
        else:
            self.listener.send(frame)

    def hold_changes(self) -> None:
        """Hold back changes while the lists are read; the lists would overwrite them."""
        self._held = []

    def send_held_changes(self) -> None:
        held, self._held = self._held or [], None
        for frame in held:
            self.listener.send(frame)
