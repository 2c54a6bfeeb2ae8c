"""Position evaluation: the chance of each seat to win, learned from self-play.

A seat's score is the sum of the weights of its table entries (app/bots/tables.py); the chances are the softmax of the
scores. Each kind of game has several banks of weights: for two seats and for more, and for the seat that moves next,
the seat that has just moved and those between. `python -m app.research.train` trains them.

All arithmetic is on integers, so that every platform and Python version computes the same values.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from app.bots.tables import SIZE, TABLES, TableIndex
from app.rules.core.position import Position, Ruleset
from app.rules.options import Options

__all__ = [
    "BANKS",
    "CERTAINTY",
    "KINDS",
    "SCORE_UNIT",
    "Evaluator",
    "Weights",
    "kind_of",
    "load_weights",
    "next_seat",
]

FORMAT = "cartagena-weights/1"
SCORE_UNIT = 256
"""Score units per natural logarithm of odds."""
CERTAINTY = 1 << 30
"""The value of a chance of 100 %."""
BANKS: tuple[str, ...] = ("two_next", "two_last", "many_next", "many_between", "many_last")
KINDS: tuple[str, ...] = ("row", "deck", "complete", "magic", "morgan")

Weights = dict[str, dict[str, list[int]]]
"""kind → bank → weight of each table entry."""

_WEIGHTS_FILE = Path(__file__).with_name("weights.json")
_HASTE_PER_SPACE = SCORE_UNIT // 8
"""Score added for each space of progress if the seat is fully impatient."""


def _make_powers() -> list[int]:
    """Return e^(−n/SCORE_UNIT) in units of 2⁻⁴⁰ for each n, computed on integers only."""
    ratio = 18374827034086858297  # e^(−1/256) · 2⁶⁴, rounded
    powers = [1 << 104]
    while len(powers) < 24 * SCORE_UNIT:
        powers.append(powers[-1] * ratio >> 64)
    return [power >> 64 for power in powers]


_POWERS = _make_powers()


def kind_of(options: Options) -> str:
    """Return the kind of game, which selects the banks of weights."""
    if options.scenario == "complete":
        return "complete"
    if options.black_magic:
        return "magic"
    if options.card_gain != "retreat":
        return "morgan"
    return "row" if options.supply == "row" else "deck"


@lru_cache(maxsize=1)
def load_weights() -> Weights:
    """Read the shipped weights; raise ValueError if the file is of another version."""
    stored = json.loads(_WEIGHTS_FILE.read_text())
    if stored["format"] != FORMAT or stored["size"] != SIZE:
        raise ValueError(f"{_WEIGHTS_FILE.name} does not hold weights of the format {FORMAT}")
    weights: Weights = stored["weights"]
    return weights


def next_seat(position: Position, seat: int) -> int:
    """Return the next seat that has not resigned."""
    count = len(position.pirates)
    after = (seat + 1) % count
    while position.resigned[after]:
        after = (after + 1) % count
    return after


class Evaluator:
    """Evaluates positions of one table from what one seat knows, or with all hands open if there is no viewer."""

    def __init__(
        self,
        ruleset: Ruleset,
        viewer: int | None = None,
        impatience: float = 0.0,
        weights: Weights | None = None,
    ) -> None:
        banks = (load_weights() if weights is None else weights)[kind_of(ruleset.options)]
        self.viewer = viewer
        self._index = TableIndex(ruleset)
        self._two = [banks["two_next"].__getitem__, banks["two_last"].__getitem__]
        self._many = [banks[name].__getitem__ for name in BANKS[2:]]
        self._rough_scores: dict[tuple[object, ...], int] = {}
        self._haste = int(_HASTE_PER_SPACE * impatience)

    def scores(self, position: Position, to_move: int) -> list[int | None]:
        """Return each seat's score if `to_move` plays next; None for a seat that has resigned."""
        entries = self._index.entries(position, self.viewer)
        if len(entries) == 2:
            two = self._two
            values: list[int | None] = [sum(map(two[seat != to_move], entries[seat])) for seat in (0, 1)]
        else:
            values = self._scores_of_many(position, to_move, entries)
        if self._haste and self.viewer is not None:
            own = values[self.viewer]
            if own is not None:
                values[self.viewer] = own + self._hurry(position, self.viewer)
        return values

    def _scores_of_many(
        self, position: Position, to_move: int, entries: Sequence[Sequence[int]]
    ) -> list[int | None]:
        count = len(entries)
        order = [
            seat
            for seat in ((to_move + offset) % count for offset in range(count))
            if not position.resigned[seat]
        ]
        values: list[int | None] = [None] * count
        banks = self._two if len(order) == 2 else self._many
        for rank, seat in enumerate(order):
            bank = banks[0] if not rank else banks[-1] if rank == len(order) - 1 else banks[1]
            values[seat] = sum(map(bank, entries[seat]))
        return values

    def _hurry(self, position: Position, seat: int) -> int:
        return self._haste * (sum(position.pirates[seat]) - 4 * position.hand_sizes[seat])

    def chances(self, position: Position, to_move: int | None = None) -> list[int]:
        """Return the chance of each seat to win, in units of 1/CERTAINTY."""
        if position.winner is not None:
            return [CERTAINTY * (seat == position.winner) for seat in range(len(position.pirates))]
        values = self.scores(position, position.turn_seat if to_move is None else to_move)
        most = max(value for value in values if value is not None)
        powers = [0 if value is None else _power(most - value) for value in values]
        total = sum(powers)
        return [CERTAINTY * power // total for power in powers]

    def value(self, position: Position, seat: int) -> int:
        """Return the chance of a seat at the end of its turn, in units of 1/CERTAINTY."""
        to_move = position.turn_seat if position.turn_seat != seat else next_seat(position, seat)
        return self.chances(position, to_move)[seat]

    def own_score(self, position: Position, seat: int) -> int:
        """Return the seat's score at the end of its turn, regardless of the other seats' scores."""
        to_move = position.turn_seat if position.turn_seat != seat else next_seat(position, seat)
        score = self.scores(position, to_move)[seat]
        return 0 if score is None else score

    def rough_score(self, position: Position, seat: int) -> int:
        """Return the part of the seat's score that is cheap to compute, for sorting positions in a search."""
        held = position.hand_sizes[seat]
        key = (held, position.sloop, *position.pirates[seat])
        score = self._rough_scores.get(key)
        if score is None:
            bank = (self._two if len(position.pirates) == 2 else self._many)[-1]
            score = sum(map(bank, self._index.rough_entries(position, seat)))
            if self._haste:
                score += self._hurry(position, seat)
            if held:  # without cards the score also depends on other seats' pirates
                self._rough_scores[key] = score
        return score

    def scores_by_table(self, position: Position, seat: int) -> dict[str, int]:
        """Return the contribution of each table to the seat's score at the end of its turn."""
        bank = (self._two if len(position.pirates) == 2 else self._many)[-1]
        entries = self._index.entries(position, self.viewer)[seat]
        return {
            name: sum(bank(entry) for entry in entries if entry in table) for name, table in TABLES.items()
        }


def _power(distance: int) -> int:
    return _POWERS[distance] if distance < len(_POWERS) else 1
