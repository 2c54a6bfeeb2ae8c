"""Cards: sets of symbols, printed boards, and the kinds of cards in a game, numbered in text order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

SYMBOL_SETS: dict[str, tuple[str, ...]] = {}
"""Symbols in text order, by the name of the set. Modules register theirs."""
PRINTED_BOARDS: dict[str, tuple[str, ...]] = {}
"""Symbols of the boards of the first edition, by letter."""
SYMBOL_NAMES: set[str] = set()
"""Symbols of all sets."""
CARD_NAMES: set[str] = set()
"""Cards of all sets; the name of a dark card ends with `*`."""


def register_symbol_set(name: str, symbols: tuple[str, ...]) -> None:
    """Register a set of symbols that the option `symbols` can name."""
    SYMBOL_SETS[name] = tuple(sorted(symbols))
    SYMBOL_NAMES.update(symbols)
    CARD_NAMES.update(symbol + mark for symbol in symbols for mark in ("", "*"))


def is_dark(card: str) -> bool:
    """Return whether the card has a dark background."""
    return card.endswith("*")


@dataclass(frozen=True, slots=True)
class CardKinds:
    """The kinds of cards in one game. A kind is a number; kinds are numbered in the text order of their names."""

    names: tuple[str, ...]
    """Name of each kind."""
    by_name: dict[str, int]
    symbol: tuple[int, ...]
    """Symbol number of each kind."""
    dark: tuple[bool, ...]
    """Whether each kind is dark."""
    copies: tuple[int, ...]
    """Number of cards of each kind in the full set."""
    by_symbol: tuple[tuple[int, ...], ...]
    """Kinds of each symbol number."""
    by_symbol_name: dict[str, tuple[int, ...]]
    """Kinds of each symbol, by name."""


@lru_cache(maxsize=256)
def make_card_kinds(symbols: str, copies: int, dark_copies: int) -> CardKinds:
    """Return the kinds for a set of symbols with `copies` cards of each symbol, `dark_copies` of them dark."""
    names: list[str] = []
    symbol: list[int] = []
    counts: list[int] = []
    for index, name in enumerate(SYMBOL_SETS[symbols]):
        names.append(name)
        symbol.append(index)
        counts.append(copies - dark_copies)
        if dark_copies:
            names.append(name + "*")
            symbol.append(index)
            counts.append(dark_copies)
    by_symbol = tuple(
        tuple(kind for kind, shown in enumerate(symbol) if shown == index) for index in range(6)
    )
    return CardKinds(
        names=tuple(names),
        by_name={name: number for number, name in enumerate(names)},
        symbol=tuple(symbol),
        dark=tuple(is_dark(name) for name in names),
        copies=tuple(counts),
        by_symbol=by_symbol,
        by_symbol_name=dict(zip(SYMBOL_SETS[symbols], by_symbol, strict=True)),
    )
