"""Ranking of the turns that a seat can play: the legend's search, with the chances of every seat after each turn.

For people who look at a position, not for bots. Turns are compared on the same sampled positions. The result depends
on its arguments and the seed only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from app.bots.budget import Budget, Meter
from app.bots.captain import ranked_plans
from app.bots.decision import Decision
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.legend import Search, World
from app.bots.playouts import finish_plan
from app.bots.sampling import PositionSampler
from app.bots.turn_search import Plan, foresee
from app.rules.core.action import Action, End
from app.rules.core.position import Position

__all__ = ["RankedTurn", "rank_turns", "turn_key"]

_WIDTH = 30
_ROUNDS = ((12, 2), (6, 3), (4, 5), (3, 8))
"""(turns compared, sampled positions) for each quarter of the effort. The best three turns get equal shares."""
_DESCENTS = 480
"""Tree descents of one ranking with effort 1, about twice as many as a legend's decision takes."""
_MAX_NODES = 60_000
"""Nodes of one ranking with effort 1. Games with the options of a preset take fewer; five actions and eight pirates
would take several times as many."""


@dataclass(frozen=True, slots=True)
class RankedTurn:
    """A turn, the position after it and each seat's chance to come first, in units of 1/CERTAINTY."""

    actions: tuple[Action, ...]
    after: Position
    chances: tuple[int, ...]


def turn_key(after: Position, seat: int) -> tuple[object, ...]:
    """Return what distinguishes the ends of turns for a seat, whichever actions led to them."""
    return (
        *map(tuple, after.pirates),
        bytes(after.hands[seat]),
        after.hand_sizes[seat],
        after.sloop,
        len(after.discard),
    )


def rank_turns(
    sampler: PositionSampler,
    seat: int,
    seed: str,
    *,
    effort: int = 1,
    also: Sequence[Sequence[Action]] = (),
) -> list[RankedTurn]:
    """Return the best turns of a seat, best first: about three, or a winning one alone; empty if there is none.

    `also` are whole turns to compare in any case. They are listed as well, in their place.
    """
    rng = Random(seed)
    meter = Meter(Budget(nodes=effort * _MAX_NODES))
    decision = Decision(sampler, seat, (), meter, rng, lambda action: None)
    position = sampler.sample(rng)
    evaluator = decision.evaluator()
    candidates = ranked_plans(decision, position, _WIDTH)
    if not candidates:
        return []
    if candidates[0].value == CERTAINTY and not also:
        return [_ranked(candidates[0], _won_by(seat, position))]
    del candidates[_ROUNDS[0][0] :]
    keys = [turn_key(plan.after, seat) for plan in candidates]
    wanted: set[int] = set()
    for actions in also:
        after = _foresee_turn(position, seat, actions)
        key = turn_key(after, seat)
        if key not in keys:
            candidates.append(Plan(tuple(actions), after, evaluator.value(after, seat)))
            keys.append(key)
        wanted.add(keys.index(key))
    search = Search(decision, position, candidates)
    is_known = sampler.is_open and position.ruleset.has_row
    alive = list(range(len(candidates)))
    for most_alive, most_worlds in _ROUNDS:
        alive.sort(key=lambda index: -search.mean(index))
        alive = alive[:most_alive] + [index for index in sorted(wanted) if index in alive[most_alive:]]
        while len(search.worlds) < (1 if is_known else most_worlds):
            sampled = sampler.sample(rng) if search.worlds else position
            search.worlds.append(World(sampled))
        descents = max(1, effort * _DESCENTS // len(_ROUNDS) // (len(alive) * len(search.worlds)))
        for world in search.worlds * descents:
            if meter.is_spent():
                break
            for index in alive:
                search.descend(world, index)
    judge = Evaluator(position.ruleset)
    ranked = [_ranked(candidates[index], _mean_chances(search, index, judge, seat)) for index in alive]
    ranked.sort(key=lambda turn: -turn.chances[seat])
    return ranked


def _foresee_turn(position: Position, seat: int, actions: Sequence[Action]) -> Position:
    for action in actions:
        if type(action) is not End:
            position = foresee(position, seat, action)
    return position


def _ranked(plan: Plan, chances: tuple[int, ...]) -> RankedTurn:
    return RankedTurn(plan.actions, plan.after, chances)


def _won_by(seat: int, position: Position) -> tuple[int, ...]:
    return tuple(CERTAINTY * (other == seat) for other in range(len(position.pirates)))


def _mean_chances(search: Search, index: int, judge: Evaluator, seat: int) -> tuple[int, ...]:
    """Return the mean chances over all descents from a turn of the root, whose evaluation counts as one more."""
    totals = judge.chances(finish_plan(search.plan(index), seat))
    visits = 1
    for world in search.worlds:
        edge = world.edges.get(index)
        if edge is not None:
            totals = [total + chance for total, chance in zip(totals, edge.total, strict=True)]
            visits += edge.visits
    return tuple(total // visits for total in totals)
