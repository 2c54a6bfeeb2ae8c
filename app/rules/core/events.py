"""The events of every edition."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from app.rules.core.event import Event, Json
from app.rules.core.route import Place
from app.rules.core.view_patch import gain_cards, move_pirates, play_cards

__all__ = [
    "Advanced",
    "CardsDrawn",
    "DeckShuffled",
    "GameWon",
    "PendingDiscarded",
    "Resigned",
    "Rested",
    "Retreated",
    "RowLaid",
    "StalemateBroken",
    "TurnPassed",
]


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Rested(Event):
    type = "rested"
    seat: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "rested", "seat": self.seat}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["forced_passes"] = 0


@dataclass(frozen=True, slots=True)
class CardsDrawn(Event):
    type = "cards_drawn"
    is_final = True
    seat: int
    source: str
    cards: tuple[str, ...]

    def is_public(self, is_open: bool) -> bool:
        return is_open or self.source == "row"

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


@dataclass(frozen=True, slots=True)
class RowLaid(Event):
    type = "row_laid"
    is_final = True
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "row_laid", "cards": list(self.cards)}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] -= len(event["cards"])
        view["row"] += event["cards"]


@dataclass(frozen=True, slots=True)
class DeckShuffled(Event):
    type = "deck_shuffled"
    is_final = True
    count: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "deck_shuffled", "count": self.count}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] = event["count"]
        view["discard"] = []
        view["shuffles"] += 1


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class StalemateBroken(Event):
    type = "stalemate_broken"
    is_final = True

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "stalemate_broken"}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["forced_passes"] = 0


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    type = "resigned"
    is_final = True
    seat: int
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "resigned", "seat": self.seat, "cards": list(self.cards)}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        player = view["players"][event["seat"]]
        player["cards"] = 0
        if player["hand"] is not None:
            player["hand"] = []
        player["resigned"] = True
        view["discard"] += event["cards"]
        view["forced_passes"] = 0


@dataclass(frozen=True, slots=True)
class PendingDiscarded(Event):
    type = "pending_discarded"
    is_final = True
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "pending_discarded", "cards": list(self.cards)}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["discard"] += event["cards"]
        view["pending"] = None


@dataclass(frozen=True, slots=True)
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
        """The view becomes the position."""
        view["winner"] = event["seat"]
        for name, value in event.items():
            if name not in ("type", "seat", "reason", "hands"):
                view[name] = copy(value)
        for player, hand in zip(view["players"], event["hands"], strict=True):
            player["hand"] = list(hand)
            player.pop("cards", None)
