"""The legend: a tree search over whole turns, on positions sampled from what the seat knows and infers.

A node is a position at the start of a seat's turn; its children are that seat's best turns by the evaluation. Each
seat maximises its own chance to win (max^n). With open hands and more than two seats, a position is evaluated only
after every other seat has replied. At the root, the most promising turns are compared on the same sampled positions,
equally often, so that luck favours none of them. After each quarter of the effort the worse half is dropped
(successive halving), until all that are left begin with the same action. A winning turn is played at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from app.bots.budget import Meter
from app.bots.captain import ranked_plans
from app.bots.decision import Decision
from app.bots.evaluation import CERTAINTY, Evaluator
from app.bots.playouts import finish_plan, play_plan
from app.bots.turn_search import Plan, plans
from app.rules.core.action import Action
from app.rules.core.position import Position

__all__ = ["Search", "World", "legend"]

_ROOT_WIDTH = 30
_ROUNDS = ((10, 3), (6, 5), (3, 8), (2, 8))
"""(turns compared, sampled positions) for each quarter of the effort."""
_DESCENTS, _HIDDEN_DESCENTS = 220, 320
"""Tree descents in one decision, over all turns and sampled positions, without and with hidden cards. With hidden
cards more descents end early."""
_NODE_WIDTH = 5
_MAX_PLANS_PER_NODE = 4
"""Turns of a node that are explored."""
_EXPLORATION_TENTHS = 8
"""Exploration constant in tenths. A greater value explores turns that the evaluation rates lower."""
_PRIOR_POWER = 3
"""Exponent of a turn's odds in its prior."""


class _Edge:
    """One turn of a node and the results of exploring it."""

    __slots__ = ("child", "plan", "prior", "total", "visits")

    def __init__(self, plan: Plan, prior: int, seats: int, child: _Node | None = None) -> None:
        self.plan = plan
        self.prior = prior
        self.visits = 0
        self.total = [0] * seats
        self.child = child


class _Node:
    """A position at the start of a turn, expanded at the second visit."""

    __slots__ = ("chances", "edges", "position", "visits")

    def __init__(self, position: Position, chances: list[int]) -> None:
        self.position = position
        self.chances = chances
        self.edges: list[_Edge] | None = None
        self.visits = 0

    def pick(self) -> _Edge:
        """Return the edge to explore: one with good results so far, or with a high prior and few visits."""
        assert self.edges
        seat = self.position.turn_seat
        root = isqrt((self.visits + 1) << 20)
        best, best_value = self.edges[0], -1
        for edge in self.edges:
            value = edge.total[seat] // edge.visits if edge.visits else self.chances[seat]
            value += (_EXPLORATION_TENTHS * edge.prior * root // (10 * (1 + edge.visits))) >> 10
            if value > best_value:
                best, best_value = edge, value
        return best


class World:
    """One sampled position, with a tree for each turn of the root that is compared on it."""

    __slots__ = ("edges", "position")

    def __init__(self, position: Position) -> None:
        self.position = position
        self.edges: dict[int, _Edge] = {}


class Search:
    """The search trees of one decision."""

    def __init__(
        self, decision: Decision, position: Position, candidates: Sequence[Plan], min_turns: int = 1
    ) -> None:
        """`min_turns` is the number of turns, the root's included, after which a position may be evaluated."""
        ruleset = position.ruleset
        self._seat = decision.seat
        self._candidates = candidates
        self._min_turns = min_turns
        self._meter: Meter = decision.meter
        self._judge = Evaluator(ruleset)
        self._judges = [Evaluator(ruleset, seat) for seat in range(len(position.pirates))]
        self.worlds: list[World] = []

    def plan(self, index: int) -> Plan:
        """Return a turn of the root."""
        return self._candidates[index]

    def mean(self, index: int) -> int:
        """Return the mean value of a turn of the root; its evaluation counts as one descent."""
        total, visits = self._candidates[index].value, 1
        for world in self.worlds:
            edge = world.edges.get(index)
            if edge is not None:
                total += edge.total[self._seat]
                visits += edge.visits
        return total // visits

    def descend(self, world: World, index: int) -> None:
        """Descend from a turn of the root to a new leaf and add the leaf's value to all edges on the path."""
        edge = world.edges.get(index)
        if edge is None:
            plan = self._candidates[index]
            node = self._node(play_plan(world.position, self._seat, plan.actions))
            edge = world.edges[index] = _Edge(plan, CERTAINTY, len(node.chances), node)
        path = [edge]
        assert edge.child is not None
        node = edge.child
        while node.position.winner is None:
            if node.edges is None:
                if not node.visits and len(path) >= self._min_turns:
                    break
                node.edges = self._expand(node)
            if not node.edges:
                break
            node.visits += 1
            edge = node.pick()
            path.append(edge)
            if edge.child is None:
                edge.child = self._node(finish_plan(edge.plan, node.position.turn_seat))
            node = edge.child
        node.visits += 1
        for edge in path:
            edge.visits += 1
            edge.total = [total + chance for total, chance in zip(edge.total, node.chances, strict=True)]

    def _node(self, position: Position) -> _Node:
        return _Node(position, self._judge.chances(position))

    def _expand(self, node: _Node) -> list[_Edge]:
        seat = node.position.turn_seat
        judge = self._judges[seat]
        candidates = plans(node.position, seat, _NODE_WIDTH, self._meter, judge.value, judge.rough_score)
        candidates.sort(key=lambda plan: -plan.value)
        del candidates[_MAX_PLANS_PER_NODE:]
        return [
            _Edge(plan, prior, len(node.chances))
            for plan, prior in zip(candidates, _priors(candidates), strict=True)
        ]


def _priors(candidates: Sequence[Plan]) -> list[int]:
    """Return the prior of each turn, in units of 1/CERTAINTY."""
    odds = [(plan.value << 10) // (CERTAINTY - plan.value + 1) + 1 for plan in candidates]
    most = max(odds, default=1)
    powers = [((value << 20) // most) ** _PRIOR_POWER + 1 for value in odds]
    total = sum(powers)
    return [CERTAINTY * power // total for power in powers]


def legend(decision: Decision) -> Action:
    """Return the first action of the turn with the best mean value in the search."""
    position = decision.sampler.sample(decision.rng)
    candidates = ranked_plans(decision, position, _ROOT_WIDTH)
    if not candidates:
        return decision.listed[0]
    decision.on_best(candidates[0].actions[0])
    del candidates[_ROUNDS[0][0] :]
    if candidates[0].value == CERTAINTY or len(candidates) == 1:
        return candidates[0].actions[0]
    # With open hands and a face-up row, almost nothing is hidden.
    is_known = decision.sampler.is_open and position.ruleset.has_row
    effort, min_turns, seats = _DESCENTS if is_known else _HIDDEN_DESCENTS, 1, len(position.pirates)
    if seats > 2 and is_known:
        effort, min_turns = effort * 5 // seats**2, seats  # with every reply a descent takes much longer
    elif seats > 2:
        effort = effort * 5 // 6  # with more seats a descent takes longer
    search = Search(decision, position, candidates, min_turns)
    alive = list(range(len(candidates)))
    for max_alive, max_worlds in _ROUNDS:
        alive.sort(key=lambda index: -search.mean(index))
        del alive[max_alive:]
        if len({candidates[index].actions[0] for index in alive}) == 1:
            break
        while len(search.worlds) < (1 if is_known else max_worlds):
            sampled = decision.sampler.sample(decision.rng) if search.worlds else position
            search.worlds.append(World(sampled))
        descents = max(1, effort // len(_ROUNDS) // (len(alive) * len(search.worlds)))
        for world in search.worlds * descents:
            if decision.meter.is_spent():
                break
            for index in alive:
                search.descend(world, index)
        decision.on_best(candidates[max(alive, key=search.mean)].actions[0])
    return candidates[max(alive, key=search.mean)].actions[0]
