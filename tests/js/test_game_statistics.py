"""Statistics for the end card: turns, cards drawn, longest jump, missing spaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

PASSAGE = {"scenario": "passage", "passage_boards": 6, "jungle_boards": 0}
COMPLETE = {"scenario": "complete", "passage_boards": 3, "jungle_boards": 3}


def test_statistics_count_one_seat_only(run: Run) -> None:
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
    ask = "({statisticsOf}, [steps, options]) => [0, 1].map((seat) => statisticsOf(steps, seat, options))"
    first, second = run("table/game_statistics.js", ask, [steps, PASSAGE])
    assert first == {"turns": 2, "drawn": 3, "jump": 7}
    assert second == {"turns": 1, "drawn": 0, "jump": 29}


def test_sloop_counts_as_a_space_in_the_complete_escape(run: Run) -> None:
    places = "['start', 18, 'sloop', 19, 36, 'goal']"
    ask = f"(m, options) => {places}.map((place) => m.distanceAlong(options, place))"
    assert run("table/game_statistics.js", ask, COMPLETE) == [0, 18, 19, 20, 37, 38]


def test_missing_spaces_are_summed_over_all_pirates(run: Run) -> None:
    ask = "({spacesMissing}, [options, pirates]) => spacesMissing(options, {pirates})"
    assert run("table/game_statistics.js", ask, [PASSAGE, ["goal", "goal", 36, 30]]) == 1 + 7
