"""The cards: symbols, dark ones, and the kinds that a game plays with, numbered in text order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

SYMBOLS: dict[str, tuple[str, ...]] = {}
"""The symbols of each set, in text order; the modules add them."""
PRINTED_BOARDS: dict[str, tuple[str, ...]] = {}
"""The boards that come printed in a box, by their letters."""
SYMBOL_NAMES: set[str] = set()
CARD_NAMES: set[str] = set()


def add_symbols(name: str, symbols: tuple[str, ...]) -> None:
    """A set of symbols that a table can be set up with."""
    SYMBOLS[name] = tuple(sorted(symbols))
    SYMBOL_NAMES.update(symbols)
    CARD_NAMES.update(symbol + mark for symbol in symbols for mark in ("", "*"))


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
    of_name: dict[str, tuple[int, ...]]
    """The same by the symbol's name."""


@lru_cache(maxsize=256)
def card_kinds(symbols: str, copies: int, dark_copies: int) -> CardKinds:
    """The cards of a set of symbols, so many of each, among them so many dark ones."""
    names: list[str] = []
    symbol: list[int] = []
    amount: list[int] = []
    for index, name in enumerate(SYMBOLS[symbols]):
        names.append(name)
        symbol.append(index)
        amount.append(copies - dark_copies)
        if dark_copies:
            names.append(name + "*")
            symbol.append(index)
            amount.append(dark_copies)
    of_symbol = tuple(tuple(kind for kind, of in enumerate(symbol) if of == index) for index in range(6))
    return CardKinds(
        names=tuple(names),
        numbers={name: number for number, name in enumerate(names)},
        symbol=tuple(symbol),
        dark=tuple(is_dark(name) for name in names),
        copies=tuple(amount),
        of_symbol=of_symbol,
        of_name=dict(zip(SYMBOLS[symbols], of_symbol, strict=True)),
    )
