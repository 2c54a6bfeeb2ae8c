"""What is owed before anything else may happen."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["OwedDiscards", "OwedShare", "OwedStack", "OwedSteal", "Pending"]


@dataclass(frozen=True, slots=True)
class OwedSteal:
    """A pistol was played: one card of the victim's hand is to be chosen."""

    seat: int
    victim: int
    dark: bool


@dataclass(frozen=True, slots=True)
class OwedShare:
    """Rum was played: the drawn cards are to be kept or given away."""

    seat: int
    cards: tuple[int, ...]
    dark: bool


@dataclass(frozen=True, slots=True)
class OwedStack:
    """A lantern was played: one of the drawn cards is to be kept, the others go back on top."""

    seat: int
    cards: tuple[int, ...]
    dark: bool


@dataclass(frozen=True, slots=True)
class OwedDiscards:
    """A dark card was played: these seats must discard so many cards, in any order of seats."""

    owed: tuple[tuple[int, int], ...]


Pending = OwedSteal | OwedShare | OwedStack | OwedDiscards
