"""The legend: a tree search over whole turns, on several imagined positions at once.

A node is a table at the start of a seat's turn; its children are that seat's best plans. Every seat picks
what is best for itself (max^n); the leaves are judged by the evaluation. All trees share the root: what
its plans are worth on average over the imagined positions decides. A turn that wins is played at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt

from app.bots.budget import Meter
from app.bots.evaluation import chances, strength
from app.bots.futures import edge, finish, play_plan
from app.bots.thought import Thought
from app.bots.turn_search import Plan, plans
from app.rules.actions import Action
from app.rules.position import Position

__all__ = ["legend"]

_ROOT_WIDTH = 100
_ROOT_PLANS = 14
_WIDTH = 6
_PLANS = 5
_SAMPLES = 6
_OPEN_SAMPLES = 2
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


def _descend(root: Node, weights: Sequence[float], meter: Meter) -> None:
    """One walk from the root to a new leaf, and its value back along the way."""
    path: list[tuple[Node, Edge]] = []
    node = root
    while node.position.winner is None:
        if node.edges is None:
            if node is not root and node.visits == 0:
                break
            _expand(node, weights, meter)
        if not node.edges:
            break
        chosen = _pick(node, node.position.seat)
        path.append((node, chosen))
        if chosen.child is None:
            chosen.child = Node(finish(chosen.plan, node.position.seat), weights)
        node = chosen.child
    value = node.chances
    node.visits += 1
    for above, chosen in path:
        above.visits += 1
        chosen.visits += 1
        for seat, chance in enumerate(value):
            chosen.total[seat] += chance


def _root(
    position: Position, seat: int, found: Sequence[Plan], priors: Sequence[float], weights: Sequence[float]
) -> Node:
    """A tree on one imagined position whose first plans are those of all trees."""
    node = Node(position, weights)
    node.edges = []
    for plan, prior in zip(found, priors, strict=True):
        step = Edge(plan, prior, len(node.chances))
        step.child = Node(play_plan(position, seat, plan.actions), weights)
        node.edges.append(step)
    return node


def legend(thought: Thought) -> Action:
    seat, meter = thought.seat, thought.meter
    position = thought.imagination.sample(thought.rng)
    weights = thought.weights(position)
    found = thought.worth_trying(plans(position, seat, weights, _ROOT_WIDTH, meter))
    if not found:
        return thought.listed[0]
    if found[0].value == float("inf"):
        return found[0].actions[0]
    found.sort(key=lambda plan: -plan.value)
    del found[3 * _ROOT_PLANS :]
    found.sort(key=lambda plan: -edge(plan.after, seat, weights))
    del found[_ROOT_PLANS:]
    thought.best(found[0].actions[0])
    priors = _priors([edge(plan.after, seat, weights) for plan in found])
    is_known = thought.imagination.is_open and position.ruleset.has_row
    trees = [_root(position, seat, found, priors, weights)]
    trees += [
        _root(thought.imagination.sample(thought.rng), seat, found, priors, weights)
        for _ in range((_OPEN_SAMPLES if is_known else _SAMPLES) - 1)
    ]
    while not meter.is_spent():
        before = meter.nodes
        for tree in trees:
            _descend(tree, weights, meter)
            if meter.is_spent():
                break
        thought.best(found[_most_visited(trees, seat)].actions[0])
        if meter.nodes == before and all(tree.visits > 200 for tree in trees):
            break  # every line ends in a win: there is nothing left to search
    return found[_most_visited(trees, seat)].actions[0]


def _most_visited(trees: Sequence[Node], seat: int) -> int:
    """The plan that most walks went to; among equals the one of greater worth."""
    visits: list[tuple[int, float]] = []
    for index in range(len(trees[0].edges or ())):
        edges = [tree.edges[index] for tree in trees if tree.edges]
        visits.append((sum(e.visits for e in edges), sum(e.total[seat] for e in edges)))
    return max(range(len(visits)), key=lambda index: visits[index])
