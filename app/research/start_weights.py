"""The weights that training starts from: a simple race in spaces and cards."""

from __future__ import annotations

from app.bots.evaluation import BANKS, KINDS, SCORE_UNIT, Weights
from app.bots.tables import SIZE, TABLES

__all__ = ["start_weights"]

_SPACE_SCORE = 0.06
_HOME_SCORE = 0.25
_CARD_SCORE = 0.3
_STRANDED_SCORE = -3.0
_TABLE_COLUMNS = {"rank_place": 39, "held_left": 12, "home_rear": 13}


def start_weights() -> Weights:
    """Return weights that value a space, a pirate at the goal and a card the same in every game and bank."""
    bank = [0] * SIZE
    for table, columns in _TABLE_COLUMNS.items():
        for number, entry in enumerate(TABLES[table]):
            row, column = divmod(number, columns)
            bank[entry] = round(SCORE_UNIT * _start_score(table, row, column))
    return {kind: {name: list(bank) for name in BANKS} for kind in KINDS}


def _start_score(table: str, row: int, column: int) -> float:
    if table == "rank_place":
        return _SPACE_SCORE * column
    if table == "home_rear":
        return _HOME_SCORE * row + 0.02 * column
    if row >= 20:
        return _STRANDED_SCORE if row == 20 else -0.3
    few = min(row, 4) * 0.1
    # Cards beyond those needed for the remaining way are worth little.
    needed = 3 + 2 * column
    return few + _CARD_SCORE * min(row, needed) + 0.05 * max(0, row - needed)
