"""docs/scale.md is generated from the stored measurements and states whether each goal is met."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bench.scaling.goals import Goal, goals, ratios
from bench.scaling.page import page
from bench.scaling.plots import draw

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def numbers() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DOCS / "scale" / "numbers.json").read_text())
    return found


def test_page_and_plots_match_the_stored_measurements(numbers: dict[str, Any]) -> None:
    assert (DOCS / "scale.md").read_text() == page(numbers)
    for name, picture in draw(numbers).items():
        assert (DOCS / "scale" / f"{name}.svg").read_text() == picture


def test_every_goal_has_a_row_with_least_median_most_and_the_load(numbers: dict[str, Any]) -> None:
    text = page(numbers)
    for goal in goals(numbers):
        (row,) = re.findall(rf"^\| {re.escape(goal.what)} \|(.*)\|$", text, re.MULTILINE)
        least, middle, most, rounds, limit, verdict, load = (cell.strip() for cell in row.split("|"))
        assert float(least.split()[0]) <= float(middle.strip("*").split()[0]) <= float(most.split()[0])
        assert int(rounds) == len(goal.values)
        assert limit == f"≤ {goal.most:g}{goal.unit}"
        assert verdict == ("met" if goal.is_met else "not met")
        assert re.fullmatch(r"[0-9.]+; [0-9]+%", load)


def test_a_median_above_the_goal_is_not_met() -> None:
    assert Goal("two workers", 1.1, [0.9, 1.1, 9.0], "workers").is_met
    assert not Goal("two workers", 1.1, [0.9, 1.2, 1.3], "workers").is_met


def test_a_ratio_is_taken_within_a_round() -> None:
    """The second round ran on a machine half as fast: within it the ratio is the same."""
    setups = {
        name: {"rounds": [{"cpu_us": {"workers": cost}} for cost in costs]}
        for name, costs in {"one": (200.0, 400.0), "affinity": (220.0, 440.0)}.items()
    }
    assert ratios({"workers": setups}, "affinity", "one") == pytest.approx([1.1, 1.1])


def test_estimates_follow_from_the_measurements(numbers: dict[str, Any]) -> None:
    dearer = copy.deepcopy(numbers)
    for each in dearer["workers"]["affinity"]["rounds"]:
        each["cpu_us"] = {name: 2 * cost for name, cost in each["cpu_us"].items()}

    def cores(of: dict[str, Any]) -> float:
        (row,) = re.findall(r"^\| PostgreSQL CPU \|.*\| ([0-9,]+) cores \|$", page(of), re.MULTILINE)
        return float(row.replace(",", ""))

    assert cores(dearer) == pytest.approx(2 * cores(numbers), abs=1.01)  # whole cores
