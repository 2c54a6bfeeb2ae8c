"""An event: something that happened, its JSON for each audience, and what it does to a view.

`seen_by(viewer, is_open)` is the JSON that one audience gets: built up for it, with null for what it
may not know. The viewer is a seat, or −1 for spectators; `is_open` says that all hands lie open.
`fold(view, event, viewer)` makes the next view out of a view and that JSON; it needs no rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

from app.rules.options import Options

__all__ = [
    "EVENTS",
    "Event",
    "Json",
    "cards_played",
    "event_to_json",
    "events_for",
    "is_public",
    "is_undoable",
]

Json = dict[str, Any]

EVENTS: dict[str, type[Event]] = {}
"""Every event by its type; the modules add theirs."""


class Event(ABC):
    """The common ground of all events."""

    __slots__ = ()
    type: ClassVar[str]
    is_final: ClassVar[bool] = False
    """Something became known by chance, by looking or by somebody else's choice: no undo past it."""
    played: ClassVar[tuple[str, ...]] = ()
    """Which of its JSON fields hold cards that its seat played."""

    def is_public(self, is_open: bool) -> bool:
        """Whether every audience gets the same."""
        return True

    @abstractmethod
    def seen_by(self, viewer: int, is_open: bool) -> Json:
        """What one audience gets."""

    def in_full(self) -> Json:
        """For the log alone."""
        return self.seen_by(-1, True)

    @staticmethod
    @abstractmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        """Move the view on in place by the event's JSON; None is a spectator's view."""


def cards_played(event: Json) -> list[str]:
    """The cards that its seat played, out of an event's JSON."""
    kind = EVENTS.get(event["type"])
    cards: list[str] = []
    for name in () if kind is None else kind.played:
        cards += event[name] if isinstance(event[name], list) else [event[name]]
    return cards


def event_to_json(event: Event) -> Json:
    """Everything, for the log's own use; never for an audience."""
    return event.in_full()


def events_for(events: Iterable[Event], viewer: int | None, options: Options) -> list[Json]:
    """The events as one audience may know them: a seat, or None for spectators."""
    eyes = -1 if viewer is None else viewer
    is_open = options.hands == "open"
    return [event.seen_by(eyes, is_open) for event in events]


def is_public(events: Iterable[Event], options: Options) -> bool:
    """Whether every audience gets the very same events, so that one encoding serves all."""
    is_open = options.hands == "open"
    for event in events:  # noqa: SIM110  # asked with every action, where a generator costs as much as the answer
        if not event.is_public(is_open):
            return False
    return True


def is_undoable(events: Iterable[Event]) -> bool:
    """Whether nothing became known by chance, by looking or by somebody else's choice."""
    for event in events:  # noqa: SIM110  # as above
        if event.is_final:
            return False
    return True
