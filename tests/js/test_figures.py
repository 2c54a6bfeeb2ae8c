"""A game in figures for the card at its end: turns, cards drawn, the longest jump, how near it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

PASSAGE = {"scenario": "passage", "passage_boards": 6, "jungle_boards": 0}
COMPLETE = {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3}


def test_figures_are_those_of_one_seat(run: Run) -> None:
    steps = [
        {"events": [{"type": "advanced", "seat": 0, "card": "key", "from": "start", "to": 7}]},
        {"events": [{"type": "cards_drawn", "seat": 0, "source": "deck", "cards": None, "count": 2}]},
        {"events": [{"type": "turn_passed", "seat": 0, "next": 1}]},
        {"events": [{"type": "advanced", "seat": 1, "card": "key", "from": 1, "to": 30}]},
        {"events": [{"type": "turn_passed", "seat": 1, "next": 0}]},
        {"events": [{"type": "cards_stacked", "seat": 0, "keep": None, "back": None, "count": 2}]},
        {"events": [{"type": "advanced", "seat": 0, "card": "hat", "from": 36, "to": "goal"}]},
        {"events": [{"type": "game_won", "seat": 0}]},
    ]
    ask = "({figuresOf}, [steps, options]) => [0, 1].map((seat) => figuresOf(steps, seat, options))"
    first, second = run("table/figures.js", ask, [steps, PASSAGE])
    assert first == {"turns": 2, "drawn": 3, "jump": 7}
    assert second == {"turns": 1, "drawn": 0, "jump": 29}


def test_the_sloop_is_a_step_of_the_complete_escape(run: Run) -> None:
    ask = "({along}, options) => ['start', 18, 'sloop', 19, 36, 'goal'].map((place) => along(options, place))"
    assert run("table/figures.js", ask, COMPLETE) == [0, 18, 19, 20, 37, 38]


def test_what_is_missing_is_counted_over_all_pirates(run: Run) -> None:
    ask = "({missing}, [options, pirates]) => missing(options, {pirates})"
    assert run("table/figures.js", ask, [PASSAGE, ["goal", "goal", 36, 30]]) == 1 + 7
