"""The route: the boards of a game, and tables of what lies ahead of and behind each place.

Places are numbered along the route, so that a greater number is further ahead: the start is 0, then come the spaces,
with the sloop between passage and jungle if there is one, and the goal is last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.rules.core.cards import PRINTED_BOARDS, SYMBOL_SETS
from app.rules.core.chance import Stream, shuffle
from app.rules.options import Options

Place = int | str
"""Name of a place as in JSON: the number of a space, or START, SLOOP or GOAL."""

START = "start"
SLOOP = "sloop"
GOAL = "goal"

BOARD_LENGTH = 6
SYMBOL_COUNT = 6


def lay_boards(options: Options, seed: str) -> tuple[str, ...]:
    """Return the symbol of each space of the route, as the seed determines it."""
    spaces: list[str] = []
    if options.board == "printed":
        directions = Stream(seed, "turned")
        for letter in shuffle(seed, "board", PRINTED_BOARDS):
            board = PRINTED_BOARDS[letter]
            spaces += reversed(board) if directions.below(2) else board
    else:
        for number in range(1, options.boards + 1):
            spaces += shuffle(seed, f"board:{number}", SYMBOL_SETS[options.symbols])
    return tuple(spaces)


@dataclass(frozen=True, slots=True)
class Route:
    """Lookup tables of a route, most of them indexed by place."""

    symbols: tuple[str, ...]
    """Name of the symbol of each space."""
    goal: int
    sloop: int
    """Place of the sloop, or −1 if no sloop sails."""
    names: tuple[Place, ...]
    """Name of each place."""
    places: dict[Place, int]
    """Place of each name."""
    symbol: tuple[int, ...]
    """Symbol number of each place; −1 for start, sloop and goal."""
    symbol_bits: int
    """The symbol numbers as one big-endian integer with a byte for each place; 255 for start, sloop and goal."""
    spaces_ahead: tuple[tuple[bytes, ...], ...]
    """spaces_ahead[symbol][place]: the spaces with this symbol that a card can reach from the place, nearest first."""
    side_end: tuple[int, ...]
    """Where a pirate at each place leaves its side: the sloop or the goal."""
    range_behind: tuple[tuple[int, int], ...]
    """Half-open range of places that a retreat from each place searches for company; empty at the start."""
    range_ahead: tuple[tuple[int, int], ...]
    """Half-open range of places ahead of each place on its side; empty at the goal."""

    def symbol_at(self, place: int) -> str | None:
        """Return the name of the symbol at a place, or None at start, sloop and goal."""
        name = self.names[place]
        return self.symbols[name - 1] if isinstance(name, int) else None


@lru_cache(maxsize=512)
def make_route(symbols: tuple[str, ...], symbol_set: str, passage_spaces: int) -> Route:
    """Return the tables of a route. `passage_spaces` is the length of the passage if a sloop sails, else 0."""
    shape = _make_shape(len(symbols), passage_spaces)
    numbers = {name: number for number, name in enumerate(SYMBOL_SETS[symbol_set])}
    symbol = [numbers[symbols[name - 1]] if isinstance(name, int) else -1 for name in shape.names]
    return Route(
        symbols=symbols,
        goal=shape.goal,
        sloop=shape.sloop,
        names=shape.names,
        places=shape.places,
        symbol=tuple(symbol),
        symbol_bits=int.from_bytes(bytes(number & 255 for number in symbol), "big"),
        spaces_ahead=_find_spaces_ahead(symbol, shape.sides),
        side_end=shape.side_end,
        range_behind=shape.range_behind,
        range_ahead=shape.range_ahead,
    )


@dataclass(frozen=True, slots=True)
class _RouteShape:
    """The tables that do not depend on symbols, shared by all routes of one length: two thirds of a route's memory."""

    goal: int
    sloop: int
    names: tuple[Place, ...]
    places: dict[Place, int]
    sides: tuple[tuple[int, int], ...]
    """Range of places of the side on which a card moves a pirate from each place."""
    side_end: tuple[int, ...]
    range_behind: tuple[tuple[int, int], ...]
    range_ahead: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def _make_shape(spaces: int, passage_spaces: int) -> _RouteShape:
    names: list[Place] = [START, *range(1, spaces + 1), GOAL]
    if passage_spaces:
        names.insert(passage_spaces + 1, SLOOP)
    goal = len(names) - 1
    sloop = names.index(SLOOP) if passage_spaces else -1

    # A side is a half-open range of places.
    sides = [(1, sloop), (sloop + 1, goal)] if passage_spaces else [(1, goal)]

    def side_ahead(place: int) -> tuple[int, int]:
        """Return the side on which a card moves a pirate from the place."""
        return sides[-1] if passage_spaces and place >= sloop else sides[0]

    def side_behind(place: int) -> tuple[int, int]:
        """Return the side on which a pirate retreats from the place."""
        return sides[-1] if passage_spaces and place > sloop else sides[0]

    everywhere = range(goal + 1)
    return _RouteShape(
        goal=goal,
        sloop=sloop,
        names=tuple(names),
        places={name: place for place, name in enumerate(names)},
        sides=tuple(map(side_ahead, everywhere)),
        side_end=tuple(sloop if passage_spaces and place < sloop else goal for place in everywhere),
        range_behind=tuple(
            (side_behind(place)[0], max(place, side_behind(place)[0])) for place in everywhere
        ),
        range_ahead=tuple(
            (max(place + 1, side_ahead(place)[0]), max(side_ahead(place)[1], place + 1))
            for place in everywhere
        ),
    )


def _find_spaces_ahead(
    symbol: Sequence[int], sides: Sequence[tuple[int, int]]
) -> tuple[tuple[bytes, ...], ...]:
    """Return the spaces ahead on the same side, by symbol and place.

    Built from the end of the route, so that neighbouring places share their tuples and a route stays small.
    """
    tails = [b""] * SYMBOL_COUNT
    rows = [tuple(tails)]
    for place in range(len(sides) - 2, -1, -1):
        shown = symbol[place + 1]
        if sides[place] != sides[place + 1]:
            tails = [b""] * SYMBOL_COUNT
        elif shown >= 0:
            tails[shown] = bytes((place + 1,)) + tails[shown]
        rows.append(tuple(tails))
    return tuple(zip(*reversed(rows), strict=True))
