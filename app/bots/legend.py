"""The legend: a tree search over whole turns, on several imagined positions at once.

A node is a table at the start of a seat's turn; its children are that seat's best plans. Every seat picks
what is best for itself (max^n); the leaves are judged by the evaluation. At the root all plans are followed
equally often on the same imagined positions, so that chance favours none; after each quarter of the budget
the poorer half is given up and the others meet further positions. A turn that wins is played at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt

from app.bots.budget import Meter
from app.bots.decision import Decision
from app.bots.evaluation import chances, strength
from app.bots.playouts import candidates, finish, play_plan
from app.bots.turn_search import Plan, plans
from app.rules.core.action import Action
from app.rules.core.position import Position

_ROOT_WIDTH = 100
_ROUNDS = ((14, 3), (7, 5), (4, 8), (2, 8))
"""Of each quarter: how many plans are compared, on how many imagined positions."""
_OPEN_WORLDS = 2
"""Where hands and row lie open, hardly anything is left to imagine."""
_WIDTH = 6
_PLANS = 5
_CURIOSITY = 0.8
_HEAT = 0.2
"""How flat the prior is: plans that look equally good by the evaluation share the search."""


class Edge:
    """One plan of a node and what came of following it."""

    __slots__ = ("child", "plan", "prior", "total", "visits")

    def __init__(self, plan: Plan, prior: float, seats: int) -> None:
        self.plan = plan
        self.prior = prior
        self.visits = 0
        self.total = [0.0] * seats
        self.child: Node | None = None


class Node:
    """A table at the start of a turn. It is expanded when it is visited a second time."""

    __slots__ = ("chances", "edges", "position", "visits")

    def __init__(self, position: Position, weights: Sequence[float]) -> None:
        self.position = position
        self.chances = chances(position, weights)
        self.edges: list[Edge] | None = None
        self.visits = 0


def _priors(values: Sequence[float]) -> list[float]:
    most = max(values)
    powers = [exp(max(value - most, -30.0) / _HEAT) for value in values]
    total = sum(powers)
    return [power / total for power in powers]


def _expand(node: Node, weights: Sequence[float], meter: Meter) -> None:
    seat = node.position.seat
    found = plans(node.position, seat, weights, _WIDTH, meter, strength)
    found.sort(key=lambda plan: -plan.value)
    del found[_PLANS:]
    priors = _priors([min(plan.value, 1e6) for plan in found]) if found else []
    node.edges = [Edge(plan, prior, len(node.chances)) for plan, prior in zip(found, priors, strict=True)]


def _pick(node: Node, seat: int) -> Edge:
    assert node.edges
    root = sqrt(node.visits + 1)
    # A plan not yet tried is taken to be worth what its node is worth.
    return max(
        node.edges,
        key=lambda e: (
            (e.total[seat] / e.visits if e.visits else node.chances[seat])
            + _CURIOSITY * e.prior * root / (1 + e.visits)
        ),
    )


def _descend(edge: Edge, weights: Sequence[float], meter: Meter) -> None:
    """One walk from a plan of the root to a new leaf, and its value back along the way."""
    path = [edge]
    node = edge.child
    assert node is not None
    while node.position.winner is None:
        if node.edges is None:
            if node.visits == 0:
                break
            _expand(node, weights, meter)
        if not node.edges:
            break
        node.visits += 1
        seat = node.position.seat
        chosen = _pick(node, seat)
        path.append(chosen)
        if chosen.child is None:
            chosen.child = Node(finish(chosen.plan, seat), weights)
        node = chosen.child
    node.visits += 1
    for step in path:
        step.visits += 1
        for seat, chance in enumerate(node.chances):
            step.total[seat] += chance


class _World:
    """One imagined position, and a tree below each plan of the root that is still compared on it."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.edges: dict[int, Edge] = {}

    def edge(self, index: int, plan: Plan, seat: int, weights: Sequence[float]) -> Edge:
        found = self.edges.get(index)
        if found is None:
            found = self.edges[index] = Edge(plan, 1.0, len(self.position.pirates))
            found.child = Node(play_plan(self.position, seat, plan.actions), weights)
        return found


def legend(decision: Decision) -> Action:
    seat, meter = decision.seat, decision.meter
    position = decision.sampler.sample(decision.rng)
    weights = decision.weights(position)
    found = candidates(decision, position, _ROOT_WIDTH, _ROUNDS[0][0])
    if len(found) < 2:
        return found[0].actions[0] if found else decision.listed[0]
    decision.best(found[0].actions[0])
    is_known = decision.sampler.is_open and position.ruleset.has_row
    worlds = [_World(position)]
    alive = list(range(len(found)))
    began = meter.share_spent()
    for number, (most, wanted) in enumerate(_ROUNDS):
        alive = _best_first(alive, worlds, seat)[:most]
        if meter.is_spent():
            break
        while len(worlds) < (_OPEN_WORLDS if is_known else wanted):
            worlds.append(_World(decision.sampler.sample(decision.rng)))
        until = began + (1 - began) * (number + 1) / len(_ROUNDS)
        while meter.share_spent() < until:
            before = meter.nodes
            for world in worlds:
                for index in alive:
                    _descend(world.edge(index, found[index], seat, weights), weights, meter)
                if meter.is_spent():
                    break
            alive = _best_first(alive, worlds, seat)
            decision.best(found[alive[0]].actions[0])
            if meter.nodes == before and all(_is_searched_out(world, alive) for world in worlds):
                break  # every line ends in a win: there is nothing left to search
    return found[_best_first(alive, worlds, seat)[0]].actions[0]


def _is_searched_out(world: _World, alive: Sequence[int]) -> bool:
    return all(world.edges[index].visits > 50 for index in alive if index in world.edges)


def _best_first(alive: Sequence[int], worlds: Sequence[_World], seat: int) -> list[int]:
    """The plans by what they were worth on average; the order stays where nothing is known yet."""

    def worth(index: int) -> float:
        edges = [world.edges[index] for world in worlds if index in world.edges]
        visits = sum(edge.visits for edge in edges)
        return sum(edge.total[seat] for edge in edges) / visits if visits else 0.0

    return sorted(alive, key=lambda index: -worth(index))
