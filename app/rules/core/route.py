"""The route: boards in a row, and for every place what lies ahead of it and behind it.

Places are numbered along the way, so that comparing two numbers says who is further on:
start 0, then the spaces, the sloop between passage and jungle where it sails, the goal last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.rules.core.cards import PRINTED_BOARDS, SYMBOLS
from app.rules.core.chance import Stream, shuffle
from app.rules.options import Options

Place = int | str

START = "start"
SLOOP = "sloop"
GOAL = "goal"

BOARD_LENGTH = 6
SYMBOL_COUNT = 6


def lay_boards(options: Options, seed: str) -> tuple[str, ...]:
    """The symbols of the route, one a space, as the seed lays them."""
    spaces: list[str] = []
    if options.board == "printed":
        turned = Stream(seed, "turned")
        for letter in shuffle(seed, "board", PRINTED_BOARDS):
            board = PRINTED_BOARDS[letter]
            spaces += reversed(board) if turned.below(2) else board
    else:
        for number in range(1, options.boards + 1):
            spaces += shuffle(seed, f"board:{number}", SYMBOLS[options.symbols])
    return tuple(spaces)


@dataclass(frozen=True, slots=True)
class Route:
    """Tables over all places; `sloop` is −1 where no sloop sails."""

    symbols: tuple[str, ...]
    """The symbol of each space, in order, as it was laid."""
    goal: int
    sloop: int
    names: tuple[Place, ...]
    places: dict[Place, int]
    symbol: tuple[int, ...]
    """Of each place; −1 for start, sloop and goal."""
    symbol_bits: int
    """The same as bytes, the first place first and 255 for start, sloop and goal, read as one number."""
    ahead: tuple[tuple[bytes, ...], ...]
    """ahead[symbol][place]: the spaces of that symbol further on, on the side a card works on."""
    end: tuple[int, ...]
    """Where a pirate leaves its side to: the sloop or the goal."""
    behind: tuple[tuple[int, int], ...]
    """Of each place the stretch (from, up to) that a retreat looks through; empty at the start."""
    before: tuple[tuple[int, int], ...]
    """Of each place the stretch ahead in which company is looked for; empty at the goal."""

    def symbol_at(self, place: int) -> str | None:
        """The symbol's name on a space; None at start, sloop and goal."""
        name = self.names[place]
        return self.symbols[name - 1] if isinstance(name, int) else None


@lru_cache(maxsize=512)
def make_route(symbols: tuple[str, ...], symbol_set: str, passage_spaces: int) -> Route:
    """The tables of a route; `passage_spaces` is the length of its passage if a sloop sails, else 0."""
    way = _make_way(len(symbols), passage_spaces)
    numbers = {name: number for number, name in enumerate(SYMBOLS[symbol_set])}
    symbol = [numbers[symbols[name - 1]] if isinstance(name, int) else -1 for name in way.names]
    return Route(
        symbols=symbols,
        goal=way.goal,
        sloop=way.sloop,
        names=way.names,
        places=way.places,
        symbol=tuple(symbol),
        symbol_bits=int.from_bytes(bytes(each & 255 for each in symbol), "big"),
        ahead=_tails(symbol, way.sides),
        end=way.end,
        behind=way.behind,
        before=way.before,
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """What two routes of one length share, whatever symbols lie on them: two thirds of a route's memory."""

    goal: int
    sloop: int
    names: tuple[Place, ...]
    places: dict[Place, int]
    sides: tuple[tuple[int, int], ...]
    """Of each place the side on which a pirate is taken on."""
    end: tuple[int, ...]
    behind: tuple[tuple[int, int], ...]
    before: tuple[tuple[int, int], ...]


@lru_cache(maxsize=64)
def _make_way(spaces: int, passage_spaces: int) -> _Way:
    names: list[Place] = [START, *range(1, spaces + 1), GOAL]
    if passage_spaces:
        names.insert(passage_spaces + 1, SLOOP)
    goal = len(names) - 1
    sloop = names.index(SLOOP) if passage_spaces else -1

    # A side is the stretch of places from `low` up to (not including) `high`.
    sides = [(1, sloop), (sloop + 1, goal)] if passage_spaces else [(1, goal)]

    def side_left_by(place: int) -> tuple[int, int]:
        return sides[-1] if passage_spaces and place >= sloop else sides[0]

    def side_entered_by(place: int) -> tuple[int, int]:
        """The side into which a retreat falls back."""
        return sides[-1] if passage_spaces and place > sloop else sides[0]

    everywhere = range(goal + 1)
    return _Way(
        goal=goal,
        sloop=sloop,
        names=tuple(names),
        places={name: place for place, name in enumerate(names)},
        sides=tuple(map(side_left_by, everywhere)),
        end=tuple(sloop if passage_spaces and place < sloop else goal for place in everywhere),
        behind=tuple(
            (side_entered_by(place)[0], max(place, side_entered_by(place)[0])) for place in everywhere
        ),
        before=tuple(
            (max(place + 1, side_left_by(place)[0]), max(side_left_by(place)[1], place + 1))
            for place in everywhere
        ),
    )


def _tails(symbol: Sequence[int], sides: Sequence[tuple[int, int]]) -> tuple[tuple[bytes, ...], ...]:
    """Of each symbol and place the spaces of that symbol ahead on the place's side. Found from the end on, so that
    places share what lies ahead of them: a route stays small.
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
