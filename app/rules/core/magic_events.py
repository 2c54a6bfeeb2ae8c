"""The events of black magic."""

from __future__ import annotations

from dataclasses import dataclass

from app.rules.core.event import Event, Json
from app.rules.core.route import Place

__all__ = [
    "CardStolen",
    "CardsShared",
    "CardsStacked",
    "ChestOpened",
    "ChestsLaid",
    "ChoiceDealt",
    "HookAdvanced",
    "LanternLit",
    "ParrotAdvanced",
    "PistolAimed",
    "RumPoured",
    "SnakeStruck",
    "StealLapsed",
]


@dataclass(frozen=True, slots=True)
class PistolAimed(Event):
    type = "pistol_aimed"
    is_final = True
    seat: int
    card: str
    player: int
    hand: tuple[str, ...]

    def is_public(self, is_open: bool) -> bool:
        return is_open

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_seen = is_open or viewer == self.seat
        return {
            "type": "pistol_aimed",
            "seat": self.seat,
            "card": self.card,
            "player": self.player,
            "hand": list(self.hand) if is_seen else None,
        }


@dataclass(frozen=True, slots=True)
class CardStolen(Event):
    type = "card_stolen"
    is_final = True
    seat: int
    victim: int
    card: str

    def is_public(self, is_open: bool) -> bool:
        return is_open

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_seen = is_open or viewer in (self.seat, self.victim)
        return {
            "type": "card_stolen",
            "seat": self.seat,
            "from": self.victim,
            "card": self.card if is_seen else None,
        }


@dataclass(frozen=True, slots=True)
class StealLapsed(Event):
    type = "steal_lapsed"
    is_final = True
    seat: int
    victim: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "steal_lapsed", "seat": self.seat, "from": self.victim}


@dataclass(frozen=True, slots=True)
class RumPoured(Event):
    type = "rum_poured"
    is_final = True
    seat: int
    card: str

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "rum_poured", "seat": self.seat, "card": self.card}


@dataclass(frozen=True, slots=True)
class LanternLit(Event):
    type = "lantern_lit"
    is_final = True
    seat: int
    card: str

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "lantern_lit", "seat": self.seat, "card": self.card}


@dataclass(frozen=True, slots=True)
class ChoiceDealt(Event):
    """Cards from the deck that lie before the chooser of a share or a stack: hidden even with open hands."""

    type = "choice_dealt"
    is_final = True
    seat: int
    cards: tuple[str, ...]

    def is_public(self, is_open: bool) -> bool:
        return False

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "choice_dealt",
            "seat": self.seat,
            "cards": list(self.cards) if viewer == self.seat else None,
            "count": len(self.cards),
        }

    def in_full(self) -> Json:
        return self.seen_by(self.seat, True)


@dataclass(frozen=True, slots=True)
class CardsShared(Event):
    type = "cards_shared"
    is_final = True
    seat: int
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]

    def is_public(self, is_open: bool) -> bool:
        return is_open

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_chooser = is_open or viewer == self.seat
        return {
            "type": "cards_shared",
            "seat": self.seat,
            "keep": list(self.keep) if is_chooser else None,
            "kept": len(self.keep),
            "give": {str(seat): card if is_chooser or viewer == seat else None for seat, card in self.give},
        }


@dataclass(frozen=True, slots=True)
class CardsStacked(Event):
    """The kept card lies open with open hands; what went back on the deck only the chooser knows."""

    type = "cards_stacked"
    is_final = True
    seat: int
    keep: str
    back: tuple[str, ...]

    def is_public(self, is_open: bool) -> bool:
        return False

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "cards_stacked",
            "seat": self.seat,
            "keep": self.keep if is_open or viewer == self.seat else None,
            "back": list(self.back) if viewer == self.seat else None,
            "count": len(self.back),
        }

    def in_full(self) -> Json:
        return self.seen_by(self.seat, True)


@dataclass(frozen=True, slots=True)
class ParrotAdvanced(Event):
    type = "parrot_advanced"
    seat: int
    cards: tuple[str, ...]
    symbol: str
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "parrot_advanced",
            "seat": self.seat,
            "cards": list(self.cards),
            "as": self.symbol,
            "from": self.origin,
            "to": self.to,
        }


@dataclass(frozen=True, slots=True)
class HookAdvanced(Event):
    type = "hook_advanced"
    seat: int
    card: str
    second: str
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "hook_advanced",
            "seat": self.seat,
            "card": self.card,
            "with": self.second,
            "from": self.origin,
            "to": self.to,
        }


@dataclass(frozen=True, slots=True)
class ChestOpened(Event):
    type = "chest_opened"
    is_final = True
    seat: int
    card: str
    origin: Place
    token: str

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "chest_opened",
            "seat": self.seat,
            "card": self.card,
            "from": self.origin,
            "token": self.token,
        }


@dataclass(frozen=True, slots=True)
class SnakeStruck(Event):
    type = "snake_struck"
    is_final = True
    seat: int
    origin: Place
    to: Place

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "snake_struck", "seat": self.seat, "from": self.origin, "to": self.to}


@dataclass(frozen=True, slots=True)
class ChestsLaid(Event):
    type = "chests_laid"
    is_final = True
    spaces: tuple[Place, ...]
    aside: int

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "chests_laid", "spaces": list(self.spaces), "aside": self.aside}
