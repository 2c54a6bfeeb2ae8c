"""Puzzles from a seat's mistakes in a finished game: turns that cost much, with an answer that holds.

Everything is judged from what the seat knew then. A turn is a puzzle if, with every seed and effort tried, which also
means with other hidden hands and decks, the turn played is clearly worse than the best one and the same turn is among
the best. Games with pending choices (black magic, scoundrels) are left out: a turn there is not one plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from app import rules
from app.bots.analysis import hide_draws
from app.bots.budget import Budget, Meter
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.measures import SPACES, follow
from app.bots.ranking import RankedTurn, rank_turns, turn_key
from app.bots.reasons import Reason, explain_turn
from app.bots.review import events_of_turn
from app.bots.sampling import PositionSampler
from app.bots.turn_search import Plan, foresee, plans
from app.rules import Json
from app.rules.core.action import Action, End
from app.rules.core.position import Position
from app.rules.formats.record import Record

__all__ = [
    "BadTurn",
    "TurnStart",
    "find_mistakes",
    "find_start",
    "foresee_turn",
    "has_puzzles",
    "judge_turn",
    "turn_starts",
]

TOLERANCE = CERTAINTY * 2 // 100
"""A turn this much worse than the best one still counts as right."""
MIN_LOSS = CERTAINTY * 6 // 100
"""Chance that the turn played must give away in every trial."""
_MIN_ROUGH_LOSS = CERTAINTY * 4 // 100
"""Loss by the evaluation alone from which a turn is searched."""
_MAX_SEARCHED = 5
"""Turns of a game that are searched, the worst first. A search takes up to about six seconds."""
_MAX_FOUND = 3
_MAX_TURNS = 200
"""Turns of a game that are looked at. Games take 12 to 40; one that goes on for thousands would take minutes."""
_ROUGH_WIDTH = 12
_JUDGE_TRIAL = ("judge", 2)
"""(seed, effort) of the search that judges an answer."""
_TRIALS = (("first", 1), ("second", 1), ("third", 2), _JUDGE_TRIAL)
"""(seed, effort) of the searches that must agree. Each seed samples other hidden hands and decks."""
_END = End()


class BadTurn(Exception):
    """Raised when actions are not one whole turn."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """The start of a seat's turn, as the game had it, and the actions that were played in it."""

    step: int
    position: Position
    events: Sequence[Json]
    """Events that the seat saw in this game, those before the turn first; shared by all its turns."""
    seen: int
    """Number of events before the turn."""
    played: tuple[Action, ...]
    is_own: bool
    """Whether the person played all of it, and not a bot or the clock."""

    @property
    def history(self) -> Sequence[Json]:
        """Return the events that the seat had seen."""
        return self.events[: self.seen]

    def sampler(self) -> PositionSampler:
        """Return a sampler of what the seat knew."""
        seat = self.position.turn_seat
        return PositionSampler(rules.view(self.position, seat), seat, self.history, infers=True)


def has_puzzles(record: Record) -> bool:
    """Return whether turns of this game can be puzzles."""
    return not (record.options.black_magic or record.options.scoundrels)


def turn_starts(record: Record, seat: int) -> Iterator[TurnStart]:
    """Yield the starts of a seat's turns. The game is replayed only as far as needed."""
    history: list[Json] = []
    begun: tuple[int, Position, int] | None = None
    played: list[Action] = []
    is_own = True
    line = rules.replay(record)
    position, _ = next(line)
    for step, ((after, events), move) in enumerate(zip(line, record.moves, strict=True)):
        if position.turn_seat == seat and position.actions_taken == 0 and begun is None:
            begun, played, is_own = (step, position, len(history)), [], True
        if begun is not None:
            played.append(move.action)
            is_own = is_own and move.by == "person" and move.seat == seat
        history += rules.events_for(events, seat, record.options)
        if begun is not None and (after.turn_seat != seat or after.winner is not None):
            first, opening, seen = begun
            yield TurnStart(first, opening, history, seen, tuple(played), is_own)
            begun = None
        position = after


def find_start(record: Record, seat: int, step: int) -> TurnStart | None:
    """Return the start of the seat's turn at this step, if there is one."""
    found = next((start for start in turn_starts(record, seat) if start.step >= step), None)
    return found if found is not None and found.step == step else None


def foresee_turn(position: Position, actions: Sequence[Action]) -> Plan:
    """Return the plan of a whole turn, in which cards from the deck stay unknown. Raise BadTurn."""
    seat, after = position.turn_seat, position
    is_over = False
    for action in actions:
        if is_over or action not in rules.legal(after, seat):
            raise BadTurn
        if action == _END:
            is_over = True
        else:
            after = foresee(after, seat, action)
            is_over = after.winner is not None or after.turn_seat != seat
    if not is_over:
        raise BadTurn
    return Plan(tuple(actions), after, 0)


def find_mistakes(record: Record, seat: int) -> list[Json]:
    """Return the puzzles of a seat, worst first: {"step", "best", "played"}, with chances in 1/10,000."""
    if not has_puzzles(record):
        return []
    suspects: list[tuple[int, TurnStart, Plan]] = []
    for start in islice(turn_starts(record, seat), _MAX_TURNS):
        if not start.is_own:
            continue
        try:
            played = foresee_turn(start.position, start.played)
        except BadTurn:  # it used cards drawn on the way, or the player resigned
            continue
        loss = _rough_loss(start.position, played)
        if loss >= _MIN_ROUGH_LOSS:
            suspects.append((loss, start, played))
    suspects.sort(key=lambda suspect: -suspect[0])
    found = []
    for _, start, played in suspects[:_MAX_SEARCHED]:
        puzzle = _verify(start, played)
        if puzzle is not None:
            found.append(puzzle)
    found.sort(key=lambda puzzle: puzzle["played"] - puzzle["best"])
    return found[:_MAX_FOUND]


def _rough_loss(position: Position, played: Plan) -> int:
    seat = position.turn_seat
    evaluator = Evaluator(position.ruleset, seat)
    candidates = plans(position, seat, _ROUGH_WIDTH, Meter(Budget()), evaluator.value, evaluator.rough_score)
    best = max((plan.value for plan in candidates), default=0)
    return best - evaluator.value(played.after, seat)


def _verify(start: TurnStart, played: Plan) -> Json | None:
    """Return the puzzle if all trials agree on it."""
    seat, sampler = start.position.turn_seat, start.sampler()
    best: RankedTurn | None = None
    totals = [0, 0]
    for seed, effort in _TRIALS:
        also = [played.actions] if best is None else [played.actions, best.actions]
        ranked = rank_turns(sampler, seat, f"{start.step} {seed}", effort=effort, also=also)
        best = best or ranked[0]
        top = ranked[0].chances[seat]
        chances = [_chance_of(turn, ranked, seat) for turn in (best.after, played.after)]
        if top - chances[0] > TOLERANCE or top - chances[1] < MIN_LOSS:
            return None
        totals = [total + chance for total, chance in zip(totals, chances, strict=True)]
    assert best is not None
    reason, spaces_behind = _explain(start, best.actions, played.actions)
    if reason is None or reason.worth < SPACES.worth * spaces_behind:
        return None  # the turn played looks better than any reason makes the best one
    best_chance, played_chance = (round(10_000 * total / len(_TRIALS) / CERTAINTY) for total in totals)
    return {"step": start.step, "best": best_chance, "played": played_chance}


def _explain(
    start: TurnStart, actions: Sequence[Action], rival: Sequence[Action]
) -> tuple[Reason | None, int]:
    """Return why a turn is better than a rival, and the spaces by which it stays behind."""
    seat = start.position.turn_seat
    better, worse = follow(start.position, seat, actions), follow(start.position, seat, rival)
    reason = explain_turn(better, worse, is_whole=True)
    return reason, (SPACES.value(worse) or 0) - (SPACES.value(better) or 0)


def _chance_of(after: Position, ranked: Sequence[RankedTurn], seat: int) -> int:
    key = turn_key(after, seat)
    return next(turn.chances[seat] for turn in ranked if turn_key(turn.after, seat) == key)


def judge_turn(record: Record, seat: int, step: int, actions: Sequence[Json]) -> Json:
    """Return how good a turn is beside the best one and the one that was played.

    Each is given as {"events", "chance"}; the chance is the share of sampled games that the seat wins. `why` is what
    the best turn gives that the given one does not, or, if that is right, the one that was played. Raise BadTurn if
    the actions are not a whole turn at this step.
    """
    start = find_start(record, seat, step)
    if start is None:
        raise BadTurn
    tried = foresee_turn(start.position, [rules.action_from_json(action) for action in actions])
    played = foresee_turn(start.position, start.played)
    seed, effort = _JUDGE_TRIAL
    ranked = rank_turns(
        start.sampler(), seat, f"{step} {seed}", effort=effort, also=[tried.actions, played.actions]
    )
    best = ranked[0]
    chances = [_chance_of(turn.after, ranked, seat) for turn in (best, tried, played)]

    def describe_turn(turn_actions: Sequence[Action], chance: int) -> Json:
        events = hide_draws(events_of_turn(start.position, turn_actions))
        return {"events": events, "chance": round(chance / CERTAINTY, 4)}

    is_right = chances[0] - chances[1] <= TOLERANCE
    reason, _ = _explain(start, best.actions, played.actions if is_right else tried.actions)
    return {
        "is_right": is_right,
        "why": None if reason is None else reason.to_json(),
        "best": describe_turn(best.actions, chances[0]),
        "tried": describe_turn(tried.actions, chances[1]),
        "played": describe_turn(played.actions, chances[2]),
    }
