"""Reasons for a turn or an action: what it gives that the runner-up does not.

A measure is a number that a turn reaches (app/bots/measures.py). A reason holds for a turn if the turn reaches its
number, and is only given if the runner-up does not. Where several hold, the one whose difference is worth most in
spaces is given; where none holds, the chances to win say how close the choice is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

from app import rules
from app.bots.measures import MEASURES, MOVES, POWERS, Measure, Turn, follow, jump_of
from app.rules import Json

__all__ = ["GENERAL_REASONS", "REASONS", "Reason", "explain_by_measures", "explain_turn"]


@dataclass(frozen=True, slots=True)
class Reason:
    """A code and its numbers; `n` counts cards, spaces, pirates or symbols, `other` the same of the runner-up."""

    why: str
    params: Json = field(default_factory=dict)
    worth: float = field(default=0.0, compare=False)
    """What the difference is worth, in spaces."""

    def to_json(self) -> Json:
        return {"why": self.why, "params": self.params}


GENERAL_REASONS = ("best_chance", "little_between", "moves_on", "keeps_best", "unexplained")
"""Codes that say nothing about the action itself."""

_OTHER_REASONS = ("wins", "wins_turn", "nothing_better", "dark_left")

REASONS: tuple[str, ...] = (
    *(measure.why for measure in MEASURES),
    *(measure.why_turn for measure in MEASURES if measure.why_turn),
    *_OTHER_REASONS,
    *GENERAL_REASONS,
)
"""All codes of hints (docs/protocol.md) and reviews."""

_LATER_SHARE = 0.2
"""Share of its worth that a reason keeps if not the action but a later one of the turn adds to its number."""


def explain_turn(turn: Turn, rival: Turn, *, is_whole: bool = False) -> Reason | None:
    """Return the most important reason that holds for the turn and not for the rival, or None.

    The reason is for the first action of the turn; with `is_whole` for all of it.
    """
    if turn.end.winner == turn.seat:
        is_at_once = len(turn.actions) == 1 or is_whole
        return Reason("wins" if is_at_once else "wins_turn", worth=inf)
    return explain_by_measures(turn, rival, MEASURES, is_whole=is_whole)


def explain_by_measures(
    turn: Turn, rival: Turn, measures: Sequence[Measure], *, is_whole: bool = False
) -> Reason | None:
    """Return the reason whose difference is worth most, or None if the turn is ahead of the rival in no measure."""
    best: Reason | None = None
    most = 0.0
    for measure in measures:
        if measure.is_of_action and is_whole:
            continue
        reached, reached_by_rival = measure.value(turn), measure.value(rival)
        if reached is None or reached_by_rival is None or reached < measure.at_least:
            continue
        worth = (reached - reached_by_rival) * measure.worth
        if measure.is_gain and not is_whole and (measure.value(turn.first_step()) or 0) <= 0:
            worth *= _LATER_SHARE
        if worth > most:
            why = _code_of(measure, turn, reached, is_whole)
            if why is not None:
                best, most = Reason(why, measure.to_params(reached, reached_by_rival), worth), worth
    return best


def _code_of(measure: Measure, turn: Turn, reached: int, is_whole: bool) -> str | None:
    """Return the code of a measure's reason, or None if what it says about the action would mislead."""
    if is_whole:
        return measure.why
    if measure.why == "jump":
        furthest = _furthest_jump_now(turn)
        if jump_of(turn.first_step()) == reached >= furthest:
            return "jump"
        return "jump_turn" if reached > furthest else None
    if measure.why in POWERS.values():
        return measure.why if turn.actions and POWERS.get(turn.actions[0].type) == measure.why else None
    if not measure.why_turn or measure.value(turn.first_step()) == reached:
        return measure.why
    return measure.why_turn


def _furthest_jump_now(turn: Turn) -> int:
    """Return the longest jump that any legal action makes at once."""
    before, seat = turn.before, turn.seat
    return max(
        (
            jump_of(follow(before, seat, (action,)))
            for action in rules.legal(before, seat)
            if isinstance(action, MOVES)
        ),
        default=0,
    )
