"""Review of a finished game: winning chances turn by turn, luck, losses by choice, and better turns.

Nothing is hidden after a game, so the review uses the true positions. Winning chances come from the evaluation, which
is calibrated on self-play. For each turn it reports:

- luck: how much the cards that the seat drew from the deck changed its chance, compared with the mean over all cards
  that the deck held (app/bots/luck.py);
- loss: how much better the best turn would have been than the turn played, both with unknown cards instead of those
  drawn. A turn in which the seat resigned has none: resigning is not a choice of move.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.luck import RESIDUAL_SD, luck_of_draws
from app.bots.measures import Turn, follow
from app.bots.reasons import Reason, explain_turn
from app.bots.turn_search import Plan, plans
from app.rules import Json
from app.rules.core.action import Action, End, Resign
from app.rules.core.event import Event
from app.rules.core.position import Position
from app.rules.formats.record import Move, Record

__all__ = ["events_of_turn", "review"]

_WIDTH = 24
_MIN_BETTER_CHANCE = 0.015
"""Difference in the chance to win from which a better turn is reported."""
_WINNING_CHANCE = 0.98
"""Chance of a seat that has a winning turn."""
_MIN_SWING = 0.08
"""Change of a chance from which a turn is a turning point."""
_MAX_TURNING_POINTS = 5


def review(record: Record) -> Json:
    """Return the review as JSON; `step` counts actions as in the replay."""
    line = list(rules.replay(record))
    seats = range(record.options.players)
    luck = _luck_of_actions(line)
    result_luck = None if record.options.black_magic else _result_luck(luck)
    turns: list[Json] = []
    first = 0
    for step in range(1, len(line)):
        position = line[step][0]
        begun = line[first][0]
        if (
            position.winner is None
            and position.turn_seat == begun.turn_seat
            and position.actions_taken >= begun.actions_taken
        ):
            continue
        if position.winner is None and position.pending is not None:
            continue
        best = _best_plan(begun, begun.turn_seat)
        if best is not None and best[1] == 1.0 and turns:
            # The seat can win in this turn, so the evaluation before it is replaced.
            turns[-1] |= _before_win(turns[-1], begun)
        passed = [pair[0] for pair in line[first : step + 1]]
        drawn = luck[first:step]
        turns.append(_turn(passed, record, first, len(turns) + 1, best, drawn))
        first = step
    return {
        "scenario": record.options.scenario,
        "start": _rounded(_open_chances(line[0][0])),
        "turns": turns,
        "turning_points": _turning_points(turns, line[0][0]),
        "luck": [round(sum(t["luck"] for t in turns if t["seat"] == seat), 4) for seat in seats],
        "loss": [round(sum(t["loss"] for t in turns if t["seat"] == seat), 4) for seat in seats],
        "result_luck": result_luck,
        "result_error": None if result_luck is None else RESIDUAL_SD[record.options.players],
        "hints": [sum("hint" in move.marks for move in record.moves if move.seat == seat) for seat in seats],
    }


def _luck_of_actions(line: Sequence[tuple[Position, tuple[Event, ...]]]) -> list[list[float]]:
    """Return each seat's luck in every action."""
    judge = Evaluator(line[0][0].ruleset)
    return [luck_of_draws(judge, before, after, events) for (before, _), (after, events) in pairwise(line)]


def _result_luck(luck: Sequence[Sequence[float]]) -> list[float] | None:
    """Return each seat's luck with all cards from the deck, its own and others'; None if no card counts."""
    total = [sum(parts) for parts in zip(*luck, strict=True)]
    return _rounded(total) if any(total) else None


def _open_chances(position: Position) -> list[float]:
    return [chance / CERTAINTY for chance in Evaluator(position.ruleset).chances(position)]


def _rounded(values: Sequence[float]) -> list[float]:
    return [round(value, 4) for value in values]


def _before_win(turn: Json, position: Position) -> Json:
    """Return what changes in the review of a turn after which the next seat can win at once."""
    left = round((1 - _WINNING_CHANCE) / (len(position.active_seats) - 1), 4)
    chances = [
        _WINNING_CHANCE if seat == position.turn_seat else 0.0 if is_out else left
        for seat, is_out in enumerate(position.resigned)
    ]
    if turn["better_chance"] != 1.0 or turn["seat"] == position.turn_seat:
        return {"chances": chances}
    # The seat could have won instead, so both chances are known.
    return {"chances": chances, "loss": round(1 - chances[turn["seat"]], 4)}


def _turn(
    line: Sequence[Position],
    record: Record,
    first: int,
    number: int,
    best: tuple[Plan, float] | None,
    luck: Sequence[Sequence[float]],
) -> Json:
    """Return the review of one turn.

    `line` has the positions from its start to the start of the next turn, `luck` each seat's luck in its actions.
    """
    ended = line[-1]
    seat = line[0].turn_seat
    moves = record.moves[first : first + len(line) - 1]
    after = _open_chances(ended)
    own = [n for n, move in enumerate(moves) if move.seat == seat]
    played = max(0.0, after[seat] - sum(_worth_of_knowing(line[n], line[n + 1], seat) for n in own))
    is_judged = ended.winner != seat and not ended.resigned[seat]
    loss = max(0.0, best[1] - played) if best is not None and is_judged else 0.0
    better = best if loss > _MIN_BETTER_CHANCE else None
    return {
        "turn": number,
        "seat": seat,
        "first_step": first,
        "step": first + len(line) - 1,
        "chances": _rounded(after),
        "luck": round(sum(luck[n][seat] for n in own), 4),
        "loss": round(loss, 4),
        "better": events_of_turn(line[0], better[0].actions) if better else None,
        "better_chance": round(better[1], 4) if better else None,
        "better_why": _why_better(line, moves, *better, played) if better else None,
    }


def _why_better(
    line: Sequence[Position], moves: Sequence[Move], better: Plan, chance: float, chance_played: float
) -> Json:
    """Return the reason why a turn was better than the one played, or else the two chances."""
    turn = follow(line[0], line[0].turn_seat, better.actions)
    reason = explain_turn(turn, _played_turn(line, moves), is_whole=True)
    chances = {"n": round(100 * chance), "other": round(100 * chance_played)}
    return (reason or Reason("best_chance", chances)).to_json()


def _played_turn(line: Sequence[Position], moves: Sequence[Move]) -> Turn:
    """Return the turn that was played, up to a resignation.

    The answers of other seats count as part of the action before them.
    """
    seat = line[0].turn_seat
    own = [n for n, move in enumerate(moves) if move.seat == seat]
    afters = [line[following] for following in [*own[1:], len(moves)]]
    steps = [(moves[n].action, after) for n, after in zip(own, afters, strict=True)]
    acted = [(action, after) for action, after in steps if not isinstance(action, End | Resign)]
    return Turn(seat, tuple(action for action, _ in acted), (line[0], *(after for _, after in acted)))


def events_of_turn(begun: Position, actions: Sequence[Action]) -> list[Json]:
    """Return the events that spectators would have seen of a turn that was not played, up to its first choice."""
    position, seat = begun, begun.turn_seat
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


def _worth_of_knowing(before: Position, after: Position, seat: int) -> float:
    """Return how much the kinds of the cards just gained changed the chance, compared with unknown cards.

    The mean of that is not zero: the evaluation gives less for cards whose kind is unknown, as in plans.
    """
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
    """Return the turn with the best chance for the seat, and that chance at the start of the next turn."""
    evaluator = Evaluator(begun.ruleset)
    candidates = plans(begun, seat, _WIDTH, Meter(Budget()), evaluator.value, evaluator.rough_score)
    if not candidates:
        return None
    best = max(candidates, key=lambda plan: plan.value)
    return best, best.value / CERTAINTY


def _turning_points(turns: Sequence[Json], start: Position) -> list[int]:
    """Return the numbers of the turns that changed the chance of any seat most."""
    before = _open_chances(start)
    swings: list[tuple[float, int]] = []
    for turn in turns:
        swing = max(abs(now - was) for now, was in zip(turn["chances"], before, strict=True))
        before = turn["chances"]
        if swing >= _MIN_SWING:
            swings.append((swing, turn["turn"]))
    swings.sort(reverse=True)
    return sorted(number for _, number in swings[:_MAX_TURNING_POINTS])
