"""An event: something that happened, its JSON for each audience, and what it does to a view; and those of every
edition.

`seen_by(viewer, is_open)` is the JSON that one audience gets: built up for it, with null for what it
may not know. The viewer is a seat, or −1 for spectators; `is_open` says that all hands lie open.
`fold(view, event, viewer)` makes the next view out of a view and that JSON; it needs no rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

from app.rules.core import Json
from app.rules.core.action import cards_in
from app.rules.core.route import Place
from app.rules.core.view_patch import gain_cards, move_pirates, play_cards
from app.rules.options import Options

EVENTS: dict[str, type[Event]] = {}
"""Every event by its type; the modules add theirs."""


class Event(ABC):
    """The common ground of all events. Nobody changes one; but to make a frozen one takes three times as long."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    type: ClassVar[str]
    form: ClassVar[tuple[str, ...]] = ()
    """Its JSON fields, in the order of its own, where every audience gets them all."""
    is_final: ClassVar[bool] = False
    """Something became known by chance, by looking or by somebody else's choice: no undo past it."""
    played: ClassVar[tuple[str, ...]] = ()
    """Which of its JSON fields hold cards that its seat played."""

    is_secret: ClassVar[bool] = False
    """Whether some seats may be told more of it than everybody else."""

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        """Those seats."""
        return ()

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        """What one audience gets. The commonest events write it out, which takes a fifth of the time."""
        said: Json = {"type": self.type}
        for name, attribute in zip(self.form, self.__match_args__, strict=True):
            value = getattr(self, attribute)
            said[name] = list(value) if type(value) is tuple else value
        return said

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
    return [] if kind is None else cards_in(event, kind.played)


def fold(view: Json, event: Json, seat: int | None) -> None:
    """Move the view on in place. `seat` says whose view it is; None is a spectator's."""
    EVENTS[event["type"]].fold(view, event, seat)


def event_to_json(event: Event) -> Json:
    """Everything, for the log's own use; never for an audience."""
    return event.in_full()


def events_for(events: Iterable[Event], viewer: int | None, options: Options) -> list[Json]:
    """The events as one audience may know them: a seat, or None for spectators."""
    eyes = -1 if viewer is None else viewer
    is_open = options.hands == "open"
    return [event.seen_by(eyes, is_open) for event in events]


def sealed_events_for(events: Iterable[Event], viewer: int | None, options: Options) -> list[Json]:
    """The same of a game that hides its cards after its end too: a win tells who won, and nothing else."""
    return [
        {"type": "game_won", "seat": said["seat"], "reason": said["reason"]}
        if said["type"] == "game_won"
        else said
        for said in events_for(events, viewer, options)
    ]


def insiders(events: Iterable[Event], options: Options) -> tuple[int, ...]:
    """The seats that are told more than everybody else, who get the very same: one encoding serves them all."""
    seats: tuple[int, ...] = ()
    for event in events:
        if event.is_secret:
            seats += event.insiders(options.hands == "open")
    return seats


def is_undoable(events: Iterable[Event]) -> bool:
    """Whether nothing became known by chance, by looking or by somebody else's choice."""
    for event in events:  # noqa: SIM110  # asked with every action, where a generator costs as much as the answer
        if event.is_final:
            return False
    return True


@dataclass(slots=True)
class Advanced(Event):
    type = "advanced"
    played = ("card",)
    seat: int
    card: str
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "advanced", "seat": self.seat, "card": self.card, "from": self.origin, "to": self.to}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"])
        move_pirates(view, event["seat"], event["from"], event["to"])


@dataclass(slots=True)
class Retreated(Event):
    type = "retreated"
    seat: int
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "retreated", "seat": self.seat, "from": self.origin, "to": self.to}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"])
        move_pirates(view, event["seat"], event["from"], event["to"])


@dataclass(slots=True)
class Rested(Event):
    type = "rested"
    form = ("seat",)
    seat: int

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["forced_passes"] = 0


@dataclass(slots=True)
class CardsDrawn(Event):
    type = "cards_drawn"
    is_final = True
    is_secret = True
    seat: int
    source: str
    cards: tuple[str, ...]

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return () if is_open or self.source == "row" else (self.seat,)

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_seen = is_open or self.source == "row" or viewer == self.seat
        return {
            "type": "cards_drawn",
            "seat": self.seat,
            "source": self.source,
            "cards": list(self.cards) if is_seen else None,
            "count": len(self.cards),
        }

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        if event["source"] == "row":
            del view["row"][: event["count"]]
        else:
            view["deck"] -= event["count"]
        gain_cards(view, event["seat"], event["count"], event["cards"])


@dataclass(slots=True)
class RowLaid(Event):
    type = "row_laid"
    form = ("cards",)
    is_final = True
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] -= len(event["cards"])
        view["row"] += event["cards"]


@dataclass(slots=True)
class DeckShuffled(Event):
    type = "deck_shuffled"
    form = ("count",)
    is_final = True
    count: int

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] = event["count"]
        view["discard"] = []
        view["shuffles"] += 1


@dataclass(slots=True)
class TurnPassed(Event):
    type = "turn_passed"
    is_final = True
    seat: int
    next: int
    is_forced: bool

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "turn_passed", "seat": self.seat, "next": self.next, "forced": self.is_forced}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["turn"] = {"seat": event["next"], "taken": 0, "captain_used": False}
        view["forced_passes"] = view["forced_passes"] + 1 if event["forced"] else 0


@dataclass(slots=True)
class StalemateBroken(Event):
    type = "stalemate_broken"
    is_final = True

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["forced_passes"] = 0


@dataclass(slots=True)
class Resigned(Event):
    type = "resigned"
    form = ("seat", "cards")
    is_final = True
    seat: int
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        player = view["players"][event["seat"]]
        player["cards"] = 0
        if player["hand"] is not None:
            player["hand"] = []
        player["resigned"] = True
        view["discard"] += event["cards"]
        view["forced_passes"] = 0


@dataclass(slots=True)
class PendingDiscarded(Event):
    type = "pending_discarded"
    form = ("cards",)
    is_final = True
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["discard"] += event["cards"]
        view["pending"] = None


@dataclass(slots=True)
class GameWon(Event):
    """The end: nothing is hidden any more."""

    type = "game_won"
    is_final = True
    seat: int
    reason: str
    seed: str
    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]
    revealed: Json
    """What the modules had hidden, as JSON has it."""

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "game_won",
            "seat": self.seat,
            "reason": self.reason,
            "seed": self.seed,
            "hands": [list(hand) for hand in self.hands],
            "deck": list(self.deck),
            **self.revealed,
        }

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        """The view becomes the position; where others play the same deal it stays what it is."""
        view["winner"] = event["seat"]
        if "hands" not in event:
            return
        for name, value in event.items():
            if name not in ("type", "seat", "reason", "hands"):
                view[name] = copy(value)
        for player, hand in zip(view["players"], event["hands"], strict=True):
            player["hand"] = list(hand)
            player.pop("cards", None)
