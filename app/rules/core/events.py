"""The events of the basic game, of Morgan, the sloop and the scoundrels."""

from __future__ import annotations

from dataclasses import dataclass

from app.rules.core.event import Event, Json
from app.rules.core.route import Place

__all__ = [
    "Advanced",
    "CardsDiscarded",
    "CardsDrawn",
    "DeckShuffled",
    "DiscardOwed",
    "GameWon",
    "MorganMoved",
    "PendingDiscarded",
    "Resigned",
    "Rested",
    "Retreated",
    "RowLaid",
    "Sailed",
    "StalemateBroken",
    "TurnPassed",
]


@dataclass(frozen=True, slots=True)
class Advanced(Event):
    type = "advanced"
    seat: int
    card: str
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "advanced", "seat": self.seat, "card": self.card, "from": self.origin, "to": self.to}


@dataclass(frozen=True, slots=True)
class Retreated(Event):
    type = "retreated"
    seat: int
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "retreated", "seat": self.seat, "from": self.origin, "to": self.to}


@dataclass(frozen=True, slots=True)
class MorganMoved(Event):
    type = "morgan_moved"
    seat: int
    player: int
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "morgan_moved",
            "seat": self.seat,
            "player": self.player,
            "from": self.origin,
            "to": self.to,
        }


@dataclass(frozen=True, slots=True)
class Sailed(Event):
    type = "sailed"
    seat: int
    to: str
    is_free: bool

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "sailed", "seat": self.seat, "to": self.to, "free": self.is_free}


@dataclass(frozen=True, slots=True)
class Rested(Event):
    type = "rested"
    seat: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "rested", "seat": self.seat}


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


@dataclass(frozen=True, slots=True)
class RowLaid(Event):
    type = "row_laid"
    is_final = True
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "row_laid", "cards": list(self.cards)}


@dataclass(frozen=True, slots=True)
class DeckShuffled(Event):
    type = "deck_shuffled"
    is_final = True
    count: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "deck_shuffled", "count": self.count}


@dataclass(frozen=True, slots=True)
class TurnPassed(Event):
    type = "turn_passed"
    is_final = True
    seat: int
    next: int
    is_forced: bool

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "turn_passed", "seat": self.seat, "next": self.next, "forced": self.is_forced}


@dataclass(frozen=True, slots=True)
class StalemateBroken(Event):
    type = "stalemate_broken"
    is_final = True

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "stalemate_broken"}


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    type = "resigned"
    is_final = True
    seat: int
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "resigned", "seat": self.seat, "cards": list(self.cards)}


@dataclass(frozen=True, slots=True)
class DiscardOwed(Event):
    type = "discard_owed"
    owed: tuple[tuple[int, int], ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "discard_owed", "owed": {str(seat): count for seat, count in self.owed}}


@dataclass(frozen=True, slots=True)
class CardsDiscarded(Event):
    type = "cards_discarded"
    is_final = True
    seat: int
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "cards_discarded", "seat": self.seat, "cards": list(self.cards)}


@dataclass(frozen=True, slots=True)
class PendingDiscarded(Event):
    type = "pending_discarded"
    is_final = True
    cards: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "pending_discarded", "cards": list(self.cards)}


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
    chests: tuple[tuple[Place, str], ...]
    chests_aside: tuple[str, ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "game_won",
            "seat": self.seat,
            "reason": self.reason,
            "seed": self.seed,
            "hands": [list(hand) for hand in self.hands],
            "deck": list(self.deck),
            "chests": {str(space): token for space, token in self.chests},
            "chests_aside": list(self.chests_aside),
        }
