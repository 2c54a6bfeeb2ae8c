"""The legend's search: how deep it looks and when it stops."""

from __future__ import annotations

import random

import pytest

from app import rules
from app.bots import Budget, legend
from app.bots.captain import ranked_plans
from app.bots.choosing import make_decision
from app.bots.decision import Decision
from app.bots.evaluation import Evaluator
from app.bots.turn_search import Plan
from app.rules.core.position import Position


def decision_at_tortuga(players: int) -> tuple[Decision, Position, list[Plan]]:
    """Return the decision of the first action, a sampled position and the turns to compare."""
    options = rules.parse_options({"preset": "tortuga", "players": players, "first": 0})
    start = rules.new_game(options, "5" * 64)
    listed = [rules.action_to_json(action) for action in rules.legal(start, 0)]
    decision = make_decision(rules.view(start, 0), listed, (), "legend", Budget(), random.Random(1))
    position = decision.sampler.sample(decision.rng)
    return decision, position, ranked_plans(decision, position, 6)


@pytest.mark.parametrize(("min_turns", "mover"), [(1, 1), (2, 2), (3, 0)])
def test_a_position_is_evaluated_after_enough_turns(min_turns: int, mover: int) -> None:
    decision, position, candidates = decision_at_tortuga(3)
    search = legend.Search(decision, position, candidates, min_turns)
    world = legend.World(position)
    search.descend(world, 0)
    node = world.edges[0].child
    while node is not None and node.edges:
        node = max(node.edges, key=lambda edge: edge.visits).child
    assert node is not None
    assert node.position.turn_seat == mover


def test_nothing_is_searched_once_the_first_action_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    decision, _, candidates = decision_at_tortuga(2)
    same = [plan for plan in candidates if plan.actions[0] == candidates[0].actions[0]]
    assert len(same) > 1
    monkeypatch.setattr(legend, "ranked_plans", lambda *arguments: list(same))
    monkeypatch.setattr(legend, "Search", FailingSearch)
    assert legend.legend(decision) == same[0].actions[0]


class FailingSearch(legend.Search):
    def descend(self, world: legend.World, index: int) -> None:
        raise AssertionError("the first action is the same in all turns")


def test_cached_rough_scores_are_those_of_a_new_evaluator() -> None:
    start = rules.new_game(rules.parse_options({"preset": "jamaica", "players": 2, "first": 0}), "6" * 64)
    told = rules.position_to_json(start)
    told["discard"] += told["players"][0]["hand"]
    told["players"][0] = {"hand": [], "pirates": ["start"] * 5 + [9], "resigned": False}
    stranded = rules.position_from_json(told)
    told["players"][1]["pirates"] = ["start"] * 5 + [4]
    beside_company = rules.position_from_json(told)
    cached = Evaluator(start.ruleset, 0)
    scores = [cached.rough_score(position, 0) for position in (start, stranded, beside_company, start)]
    assert scores == [
        Evaluator(start.ruleset, 0).rough_score(position, 0)
        for position in (start, stranded, beside_company, start)
    ]
    assert scores[1] < scores[2], "a seat without cards needs company to retreat to"
