"""The review of a finished game: chances turn by turn, what luck did, what choices did, what was better.

Everything lies open after a game, so the review looks at the true positions. The chance to win is the
evaluation's (calibrated on self-play). For every turn:

- luck: what the kinds of the cards drawn (and the chests opened) changed, against average cards;
- loss: how much better the best own turn would have been than the one played, luck left out of both.
"""

from __future__ import annotations

from collections.abc import Sequence

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import chances, weights_for
from app.bots.turn_search import Plan, plans
from app.rules import Json
from app.rules.core.action import Action
from app.rules.core.position import Position
from app.rules.formats.record import Record

__all__ = ["review"]

_WIDTH = 24
_CONSIDERED = 30
_WORTH_TELLING = 0.015
"""A better turn is named when it would have won this much more often."""
_SURE = 0.98
"""The chance of a seat that has only to play a winning turn it can see."""
_TURNING = 0.08
_MOST_POINTS = 5


def review(record: Record) -> Json:
    """Curve, luck, loss and better turns, ready for JSON; `step` counts actions as the replay does."""
    line = list(rules.replay(record))
    seats = range(record.options.players)
    turns: list[Json] = []
    first = 0
    for step in range(1, len(line)):
        position = line[step][0]
        begun = line[first][0]
        if position.winner is None and position.seat == begun.seat and position.taken >= begun.taken:
            continue
        if position.winner is None and position.pending is not None:
            continue
        best = _best_plan(begun, begun.seat)
        if best is not None and best[1] == 1.0 and turns:
            # Whoever begins this turn can win at once, whatever the evaluation thought of it.
            turns[-1]["chances"] = _all_but_won(begun)
        passed = [pair[0] for pair in line[first : step + 1]]
        turns.append(_turn(passed, record, first, len(turns) + 1, best))
        first = step
    return {
        "scenario": record.options.scenario,
        "start": _rounded(_open_chances(line[0][0])),
        "turns": turns,
        "turning_points": _turning_points(turns, line[0][0]),
        "luck": [round(sum(t["luck"] for t in turns if t["seat"] == seat), 4) for seat in seats],
        "loss": [round(sum(t["loss"] for t in turns if t["seat"] == seat), 4) for seat in seats],
        "hints": [sum("hint" in move.marks for move in record.moves if move.seat == seat) for seat in seats],
    }


def _open_chances(position: Position) -> list[float]:
    return chances(position, weights_for(position))


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 4) for value in values]


def _all_but_won(position: Position) -> list[float]:
    others = len(position.pirates) - 1
    return [_SURE if seat == position.seat else round((1 - _SURE) / others, 4) for seat in range(others + 1)]


def _turn(
    line: Sequence[Position], record: Record, first: int, number: int, best: tuple[Plan, float] | None
) -> Json:
    """One turn: the positions from its start to the start of the next, and the actions between."""
    ended = line[-1]
    seat = line[0].seat
    moves = record.moves[first : first + len(line) - 1]
    after = _open_chances(ended)
    luck = sum(_luck_of_draw(line[n], line[n + 1], seat) for n, move in enumerate(moves) if move.seat == seat)
    played = after[seat] - luck
    is_better = best is not None and best[1] - played > _WORTH_TELLING
    loss = max(0.0, best[1] - played) if best is not None and ended.winner != seat else 0.0
    return {
        "turn": number,
        "seat": seat,
        "first_step": first,
        "step": first + len(line) - 1,
        "chances": _rounded(after),
        "luck": round(luck, 4),
        "loss": round(loss, 4),
        "better": _events_of(line[0], best[0].actions) if best is not None and is_better and loss else None,
        "better_chance": round(best[1], 4) if best is not None and is_better and loss else None,
    }


def _events_of(begun: Position, actions: Sequence[Action]) -> list[Json]:
    """A turn that was not played, as a spectator would have seen it: up to the first choice it would owe."""
    position, seat = begun, begun.seat
    shown: list[Json] = []
    for action in actions:
        if action not in rules.legal(position, seat):
            break
        position, events = rules.apply(position, seat, action)
        shown += rules.events_for(events, None, position.options)
        if position.winner is not None:
            return [event for event in shown if event["type"] != "game_won"]
        if position.pending is not None:
            break
    return [event for event in shown if event["type"] not in ("turn_passed", "choice_dealt")]


def _luck_of_draw(before: Position, after: Position, seat: int) -> float:
    """What the kinds of the cards just gained are worth beyond those of average cards."""
    if after.winner is not None or after.ruleset.has_row:
        return 0.0
    gained = [now - was for now, was in zip(after.hands[seat], before.hands[seat], strict=True)]
    if max(gained) <= 0:
        return 0.0
    blind = after.copy()
    blind.hands[seat] = hand = after.hands[seat][:]
    for kind, count in enumerate(gained):
        if count > 0:
            hand[kind] -= count
    return _open_chances(after)[seat] - _open_chances(blind)[seat]


def _best_plan(begun: Position, seat: int) -> tuple[Plan, float] | None:
    """The own turn with the best chance, and that chance as the next seat begins its turn."""
    weights = weights_for(begun)
    found = plans(begun, seat, weights, _WIDTH, Meter(Budget()))
    if not found:
        return None
    found.sort(key=lambda plan: -plan.value)
    rated = [(plan, _chance_after(plan, seat, weights)) for plan in found[:_CONSIDERED]]
    return max(rated, key=lambda pair: pair[1])


def _chance_after(plan: Plan, seat: int, weights: Sequence[float]) -> float:
    if plan.after.winner is not None:
        return float(plan.after.winner == seat)
    after = plan.after
    if after.seat == seat:
        after = after.copy()
        rules.play(after, seat, rules.End())
    return chances(after, weights)[seat]


def _turning_points(turns: Sequence[Json], start: Position) -> list[int]:
    """The turns after which the mover's chance, or that of another, had changed most."""
    before = _open_chances(start)
    swings: list[tuple[float, int]] = []
    for turn in turns:
        swing = max(abs(now - was) for now, was in zip(turn["chances"], before, strict=True))
        before = turn["chances"]
        if swing >= _TURNING:
            swings.append((swing, turn["turn"]))
    swings.sort(reverse=True)
    return sorted(number for _, number in swings[:_MOST_POINTS])
