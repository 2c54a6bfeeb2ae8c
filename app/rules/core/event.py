"""Events: what an action did, as JSON for each audience and as a patch to a view.

This file has the base class and the events of every edition; modules define the others. A viewer is a seat, or −1
for spectators. The JSON for a viewer is built from nothing and has null for what the viewer may not know. `fold`
updates a view by that JSON and needs no rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import ClassVar

from app.rules.core import Json
from app.rules.core.action import collect_cards
from app.rules.core.route import Place
from app.rules.core.view_patch import gain_cards, move_pirates, play_cards
from app.rules.options import Options

EVENTS: dict[str, type[Event]] = {}
"""Event classes by JSON type. Modules register theirs."""


class Event(ABC):
    """Base class of events. Events are never modified; frozen dataclasses would take three times as long to create."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    type: ClassVar[str]
    json_fields: ClassVar[tuple[str, ...]] = ()
    """JSON field names in the order of the dataclass fields, for an event that is the same for all viewers."""
    is_final: ClassVar[bool] = False
    """Whether the event reveals something (by chance, a look or another seat's choice), so that undo stops here."""
    played_card_fields: ClassVar[tuple[str, ...]] = ()
    """JSON fields with the cards that the seat played."""

    is_secret: ClassVar[bool] = False
    """Whether some seats may see more of the event than spectators."""

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        """Return the seats that see more of the event than spectators."""
        return ()

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        """Return the JSON for one viewer. The most frequent events override this with a literal, five times faster."""
        encoded: Json = {"type": self.type}
        for name, attribute in zip(self.json_fields, self.__match_args__, strict=True):
            value = getattr(self, attribute)
            encoded[name] = list(value) if type(value) is tuple else value
        return encoded

    def to_full_json(self) -> Json:
        """Return the JSON with nothing hidden. Never send it to a client."""
        return self.to_json_for(-1, True)

    @staticmethod
    @abstractmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        """Update the view in place by the event's JSON. `viewer` is None for a spectator's view."""


def cards_played(event: Json) -> list[str]:
    """Return the cards that the seat played, from the JSON of an event."""
    kind = EVENTS.get(event["type"])
    return [] if kind is None else collect_cards(event, kind.played_card_fields)


def fold(view: Json, event: Json, seat: int | None) -> None:
    """Update the view in place by the JSON of an event. `seat` is the viewer, None for a spectator's view."""
    EVENTS[event["type"]].fold(view, event, seat)


def event_to_json(event: Event) -> Json:
    """Return the JSON of an event with nothing hidden. Never send it to a client."""
    return event.to_full_json()


def events_for(events: Iterable[Event], viewer: int | None, options: Options) -> list[Json]:
    """Return the JSON of the events for one viewer: a seat, or None for spectators."""
    viewer_number = -1 if viewer is None else viewer
    has_open_hands = options.hands == "open"
    return [event.to_json_for(viewer_number, has_open_hands) for event in events]


def events_without_reveal(events: Iterable[Event], viewer: int | None, options: Options) -> list[Json]:
    """Like `events_for`, but a win names only the winner and the reason: other people still play the same deal."""
    return [
        {"type": "game_won", "seat": event["seat"], "reason": event["reason"]}
        if event["type"] == "game_won"
        else event
        for event in events_for(events, viewer, options)
    ]


def privileged_seats(events: Iterable[Event], options: Options) -> tuple[int, ...]:
    """Return the seats that see more of the events than spectators. All other seats share the spectators' encoding."""
    seats: tuple[int, ...] = ()
    for event in events:
        if event.is_secret:
            seats += event.privileged_seats(options.hands == "open")
    return seats


def is_undoable(events: Iterable[Event]) -> bool:
    """Return whether the events can be undone, because none of them revealed anything."""
    for event in events:  # noqa: SIM110  # hot path: a generator would double the cost
        if event.is_final:
            return False
    return True


@dataclass(slots=True)
class Advanced(Event):
    type = "advanced"
    played_card_fields = ("card",)
    seat: int
    card: str
    origin: Place
    to: Place

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
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

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        return {"type": "retreated", "seat": self.seat, "from": self.origin, "to": self.to}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"])
        move_pirates(view, event["seat"], event["from"], event["to"])


@dataclass(slots=True)
class Rested(Event):
    type = "rested"
    json_fields = ("seat",)
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

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return () if has_open_hands or self.source == "row" else (self.seat,)

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        is_seen = has_open_hands or self.source == "row" or viewer == self.seat
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
    json_fields = ("cards",)
    is_final = True
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] -= len(event["cards"])
        view["row"] += event["cards"]


@dataclass(slots=True)
class DeckShuffled(Event):
    type = "deck_shuffled"
    json_fields = ("count",)
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

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
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
    json_fields = ("seat", "cards")
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
    json_fields = ("cards",)
    is_final = True
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["discard"] += event["cards"]
        view["pending"] = None


@dataclass(slots=True)
class GameWon(Event):
    """The end of the game, which reveals everything."""

    type = "game_won"
    is_final = True
    seat: int
    reason: str
    seed: str
    hands: tuple[tuple[str, ...], ...]
    deck: tuple[str, ...]
    revealed: Json
    """JSON fields of the position that modules kept hidden."""

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
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
        """Turn the view into the full position, unless the event comes from `events_without_reveal`."""
        view["winner"] = event["seat"]
        if "hands" not in event:
            return
        for name, value in event.items():
            if name not in ("type", "seat", "reason", "hands"):
                view[name] = copy(value)
        for player, hand in zip(view["players"], event["hands"], strict=True):
            player["hand"] = list(hand)
            player.pop("cards", None)
