"""The cards: symbols, dark ones, and the kinds that a game plays with, numbered in text order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

__all__ = ["CARD_NAMES", "SYMBOLS", "CardKinds", "card_kinds", "is_dark"]

SYMBOLS: dict[str, tuple[str, ...]] = {
    "classic": ("bottle", "dagger", "hat", "key", "pistol", "skull"),
    "escape": ("chest", "hook", "lantern", "parrot", "pistol", "rum"),
}

DARK_COPIES = 2

CARD_NAMES = frozenset(name + mark for symbols in SYMBOLS.values() for name in symbols for mark in ("", "*"))


def is_dark(card: str) -> bool:
    return card.endswith("*")


@dataclass(frozen=True, slots=True)
class CardKinds:
    """The different cards of one game. A card is a number here; the order of numbers is that of the texts."""

    names: tuple[str, ...]
    numbers: dict[str, int]
    symbol: tuple[int, ...]
    dark: tuple[bool, ...]
    copies: tuple[int, ...]
    of_symbol: tuple[tuple[int, ...], ...]

    def sorted_names(self, cards: bytes | bytearray | tuple[int, ...]) -> list[str]:
        return [self.names[card] for card in sorted(cards)]


@lru_cache(maxsize=256)
def card_kinds(symbols: str, copies: int, scoundrels: bool) -> CardKinds:
    names: list[str] = []
    symbol: list[int] = []
    amount: list[int] = []
    for index, name in enumerate(SYMBOLS[symbols]):
        names.append(name)
        symbol.append(index)
        amount.append(copies - DARK_COPIES if scoundrels else copies)
        if scoundrels:
            names.append(name + "*")
            symbol.append(index)
            amount.append(DARK_COPIES)
    return CardKinds(
        names=tuple(names),
        numbers={name: number for number, name in enumerate(names)},
        symbol=tuple(symbol),
        dark=tuple(is_dark(name) for name in names),
        copies=tuple(amount),
        of_symbol=tuple(tuple(kind for kind, of in enumerate(symbol) if of == index) for index in range(6)),
    )
