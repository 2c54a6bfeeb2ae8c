"""The layout of the map for every route and several screen sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

Run = Callable[..., Any]

ROUTES: list[dict[str, Any]] = [
    *({"scenario": "passage", "passage_boards": n, "jungle_boards": 0} for n in range(4, 9)),
    *({"scenario": "jungle", "passage_boards": 0, "jungle_boards": n} for n in range(4, 9)),
    *(
        {"scenario": "complete", "passage_boards": p, "jungle_boards": j}
        for p in (3, 4, 5)
        for j in (3, 4, 5)
        if p + j <= 8
    ),
]
ROOMS = [(390, 682), (360, 640), (880, 500), (1400, 760)]


def plan_of(run: Run, route: dict[str, Any], room: tuple[int, int]) -> Any:
    return run("board/layout.js", "(m, [o, width, height]) => m.layout(o, {width, height})", [route, *room])


@pytest.mark.parametrize("room", ROOMS, ids=str)
@pytest.mark.parametrize(
    "route", ROUTES, ids=lambda r: f"{r['scenario']}-{r['passage_boards']}-{r['jungle_boards']}"
)
def test_tiles_are_in_order_and_do_not_overlap(
    run: Run, route: dict[str, Any], room: tuple[int, int]
) -> None:
    plan = plan_of(run, route, room)
    spaces = plan["spaces"]
    count = 6 * (route["passage_boards"] + route["jungle_boards"])
    assert [space["space"] for space in spaces] == list(range(1, count + 1))
    for space in spaces:
        assert 30 < space["x"] < plan["width"] - 30
        assert 30 < space["y"] < plan["height"] - 30
    for one, other in pairwise(spaces):
        if one["side"] == other["side"]:
            assert math.dist((one["x"], one["y"]), (other["x"], other["y"])) < 125
    for at, one in enumerate(spaces):
        for other in spaces[at + 1 :]:
            assert math.dist((one["x"], one["y"]), (other["x"], other["y"])) > 62


@pytest.mark.parametrize(
    "route", ROUTES, ids=lambda r: f"{r['scenario']}-{r['passage_boards']}-{r['jungle_boards']}"
)
def test_tiles_on_a_phone_are_large_enough_for_a_finger(run: Run, route: dict[str, Any]) -> None:
    plan = plan_of(run, route, (390, 682))
    scale = 390 / plan["width"]
    assert plan["unit"] * scale >= 42, "a tile is narrower than a fingertip"


def test_start_and_goal_do_not_cover_tiles(run: Run) -> None:
    for route in ROUTES:
        plan = plan_of(run, route, (390, 682))
        for mark in (plan["start"], plan["goal"]):
            for space in plan["spaces"]:
                assert abs(space["x"] - mark["x"]) > 120 or abs(space["y"] - mark["y"]) > 80


def test_sloop_crosses_from_the_last_passage_space_to_the_first_jungle_space(run: Run) -> None:
    route = {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3}
    for room in ROOMS:
        plan = plan_of(run, route, room)
        sloop = plan["sloop"]
        near, far = plan["spaces"][17], plan["spaces"][18]
        assert abs(near["x"] - sloop["cartagena"]["x"]) < abs(near["x"] - sloop["tortuga"]["x"])
        assert abs(far["x"] - sloop["tortuga"]["x"]) < abs(far["x"] - sloop["cartagena"]["x"])
