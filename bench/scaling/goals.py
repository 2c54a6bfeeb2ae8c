"""Goals for several workers, with the least, median and greatest measured value of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import Any

__all__ = ["Goal", "goals", "goals_table", "ratios"]


@dataclass(frozen=True)
class Goal:
    """An upper limit for the median of `values`; `part` names the run, whose load is shown with it."""

    what: str
    most: float
    values: Sequence[float]
    part: str
    digits: int = 2
    unit: str = ""

    @property
    def is_met(self) -> bool:
        return round(median(self.values), self.digits) <= self.most

    def row(self, load: dict[str, Any]) -> str:
        low, mid, high = (f"{f(self.values):.{self.digits}f}{self.unit}" for f in (min, median, max))
        busy = load[self.part]
        return (
            f"| {self.what} | {low} | **{mid}** | {high} | {len(self.values)} | ≤ {self.most:g}{self.unit} | "
            f"{'met' if self.is_met else 'not met'} | {busy['load_before']:.1f}; {busy['others']:.0%} |"
        )


def ratios(numbers: dict[str, Any], above: str, below: str) -> list[float]:
    """Return the worker CPU per action of one setup divided by another's, for each round."""
    over, under = (numbers["workers"][name]["rounds"] for name in (above, below))
    return [a["cpu_us"]["workers"] / b["cpu_us"]["workers"] for a, b in zip(over, under, strict=True)]


def _late(pairs: list[dict[str, Any]], rounds_of: int = 5) -> list[float]:
    """Return second half ÷ first half for each round; single stretches scatter more than the effect."""
    rounds = [pairs[begin : begin + rounds_of] for begin in range(0, len(pairs), rounds_of)]
    return [
        mean(pair["second"]["cpu_us"] for pair in one) / mean(pair["first"]["cpu_us"] for pair in one)
        for one in rounds
    ]


def _history_goals(numbers: dict[str, Any]) -> list[Goal]:
    """Return the goals of the history part, if it was measured."""
    found = []
    for kind, rounds in numbers.get("history", {}).get("rounds", {}).items():
        for what, most, key in (
            ("CPU of background work", 1.2, "cpu_s_a_minute"),
            ("longest wait of a move", 2, "most_ms"),
        ):
            values = [each["full"][key] / each["empty"][key] for each in rounds]
            found.append(Goal(f"{what}, full history ÷ empty, {kind}", most, values, "history"))
    return found


def goals(numbers: dict[str, Any]) -> list[Goal]:
    bus = [each["bus"] for each in numbers["workers"]["affinity"]["rounds"]]
    back, gone = numbers["comeback"]["back"], numbers["killed"]
    return [
        Goal(
            "worker CPU per action, PostgreSQL + Redis ÷ SQLite, one worker",
            1.3,
            ratios(numbers, "one", "sqlite"),
            "workers",
        ),
        Goal("two workers with affinity ÷ one worker", 1.1, ratios(numbers, "affinity", "one"), "workers"),
        Goal(
            "two workers, every table spread over both ÷ one worker",
            1.5,
            ratios(numbers, "spread", "one"),
            "workers",
        ),
        Goal(
            "Redis messages per action with affinity, published (counted by Redis)",
            0.1,
            [each["published"] for each in bus],
            "workers",
            3,
        ),
        Goal(
            "the same, delivered to workers (counted by workers)",
            0.1,
            [each["delivered"] for each in bus],
            "workers",
            3,
        ),
        Goal(
            "CPU for one returning person (session, seat, hello, state)",
            3,
            [each["cpu_ms"] for each in back],
            "comeback",
            2,
            " ms",
        ),
        Goal(
            f"{gone[0]['sockets']:,} sockets of a killed worker reconnected on one core",
            6 * gone[0]["sockets"] / 2000,  # a short run has fewer sockets
            [each["seconds"] for each in gone],
            "killed",
            2,
            " s",
        ),
        Goal(
            "p99 of the other tables during that ÷ before",
            2,
            [each["meanwhile"]["p99_ms"] / each["quiet"]["p99_ms"] for each in gone],
            "killed",
        ),
        Goal(
            "CPU per action in the second half of a long game ÷ first half, growing hands",
            1.05,
            _late(numbers["lengths"]["free"]),
            "length",
        ),
        Goal(
            "the same with equally many choices",
            1.05,
            _late(numbers["lengths"]["steady"]),
            "length",
        ),
        *_history_goals(numbers),
    ]


def goals_table(numbers: dict[str, Any]) -> str:
    rows = [goal.row(numbers["machine"]) for goal in goals(numbers)]
    seating = (
        "| a thousand people sitting down at 500 new tables, seconds ÷ boardgame.io in the same run | | | | | ≤ 3 | | "
        "see [bench/README.md](../bench/README.md) |"
    )
    rows.insert(5, seating)
    return "\n".join(
        [
            "| ratio or figure | least | median | most | rounds | goal | | load before; other work |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
        ]
    )
