"""The results of a deal of the day: where the histogram marks par."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

MARKED = """({Histogram, describePar}, par) => {
  const distribution = {won: [[9, 2], [11, 1]], beaten: 3, given_up: 1};
  const rows = [...Histogram({distribution, par}, undefined).rows];
  return {
    marked: rows.filter((row) => row.cells[3].textContent).map((row) => row.cells[0].textContent),
    text: describePar(par, undefined, {is_over: true}),
  };
}"""


@pytest.mark.parametrize(
    "par",
    [
        None,
        {"level": "legend", "how": "beaten", "turns": 9, "spaces": 80},
        {"level": "legend", "how": "won", "turns": 10, "spaces": 0},
    ],
)
def test_a_row_is_marked_as_par_only_if_there_is_par(run: Callable[..., Any], par: Any) -> None:
    result = run("pages/deal_results.js", MARKED, par)
    has_par = par is not None and par["how"] == "won"
    assert result["marked"] == (["10 turns"] if has_par else [])
    assert result["text"].startswith("Par is 10 turns") == has_par


@pytest.mark.parametrize(
    ("comparison", "beginning"),
    [
        ({"others": 0}, "No one else"),
        ({"others": 2}, "Fewer than three"),
        ({"others": 3}, "None of your choices"),
        (
            {"others": 3, "parting": {"turn": 2, "others": 3, "usual": 3}},
            "In turn 2 you made an unusual choice.",
        ),
    ],
)
def test_choices_are_called_usual_only_beside_enough_others(
    run: Callable[..., Any], comparison: Any, beginning: str
) -> None:
    text = "({partingText}, comparison) => partingText(comparison)"
    assert run("pages/deal_turns.js", text, {"parting": None, **comparison}).startswith(beginning)


@pytest.mark.parametrize(
    ("others", "worse", "equal", "text"),
    [
        (1, 0, 1, "Everyone else here has the same result."),
        (1, 0, 0, ""),
        (3, 0, 1, "1 other player has the same result."),
        (200, 1, 2, "2 other players have the same result."),
        (4, 2, 0, "Better than 50% of the other players here."),
        (4, 2, 1, "Better than 50% of the other players here. 1 of them has the same result."),
    ],
)
def test_standing_is_not_better_than_none(
    run: Callable[..., Any], others: int, worse: int, equal: int, text: str
) -> None:
    script = """({standingText}, standing) => standingText(standing, {how: "won"})"""
    standing = {"others": others, "worse": worse, "equal": equal}
    assert run("pages/deal_results.js", script, standing) == text
