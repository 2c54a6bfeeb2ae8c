"""The tables from a file of runs: what each server reached, the ratios against the goals, and how quiet it was.

    python -m bench.peers.table var/bench/peers-….jsonl

Ratios are taken within a round, where both ran within minutes of each other; the median of them counts. A
round is dropped only because other work disturbed it (`disturbed`), never because of its result.
"""

from __future__ import annotations

import json
import operator
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.peers.scenarios import SCENARIOS

__all__ = ["disturbed", "print_tables"]

Row = dict[str, Any]
Runs = dict[tuple[str, str], dict[int, Row]]  # (server, scenario) → round → what was measured

_BUSY = 0.9  # without pauses the server or the generator must be near a whole core


@dataclass(frozen=True, slots=True)
class Goal:
    """Ours divided by a peer's (or ours alone), in a scenario."""

    says: str
    scenario: str
    field: str
    peer: str | None
    meets: Callable[[float, float], bool]
    bound: float

    def values(self, runs: Runs) -> list[float]:
        """One a round."""
        ours = runs.get(("ours", self.scenario), {})
        if self.peer is None:
            return [float(row[self.field]) for row in ours.values()]
        theirs = runs.get((self.peer, self.scenario), {})
        return [ours[each][self.field] / theirs[each][self.field] for each in ours if each in theirs]


GOALS = (
    Goal("CPU per action ÷ boardgame.io, 200 × 4", "s200", "cpu_per_1000", "boardgame.io", operator.le, 0.25),
    Goal("CPU per action ÷ Colyseus, 200 × 4", "s200", "cpu_per_1000", "colyseus", operator.le, 1.0),
    Goal("actions/s ÷ boardgame.io, 50 × 2", "s50", "per_second", "boardgame.io", operator.ge, 4.0),
    Goal("actions/s ÷ boardgame.io, 200 × 4", "s200", "per_second", "boardgame.io", operator.ge, 4.0),
    Goal("CPU per action ÷ bare broadcast, 200 × 4", "s200", "cpu_per_1000", "broadcast", operator.le, 1.0),
    Goal("p99 at 400 actions/s ÷ boardgame.io", "paced", "p99", "boardgame.io", operator.le, 1.0),
    Goal("bytes per update to a seat not to act", "s200", "bytes_to_others", None, operator.le, 150.0),
    Goal(
        "MB per 1,000 idle connections ÷ boardgame.io",
        "idle",
        "mb_per_1000",
        "boardgame.io",
        operator.le,
        0.6,
    ),
    Goal("CPU per action ÷ Colyseus, 20 × 4 + 10", "spec", "cpu_per_1000", "colyseus", operator.le, 1.0),
)


def read_runs(file: Path) -> Runs:
    runs: Runs = defaultdict(dict)
    for line in file.read_text().splitlines():
        row = json.loads(line)
        runs[row["server"], row["scenario"]][row["round"]] = row
    return runs


def disturbed(runs: Runs) -> list[str]:
    """Runs without pauses in which neither side had its core: something else was running."""
    return [
        f"round {each}: {server} {scenario} (server {row['server_cpu']}, generator {row['driver_cpu']})"
        for (server, scenario), rows in runs.items()
        for each, row in rows.items()
        if SCENARIOS[scenario].actions
        and not SCENARIOS[scenario].rate
        and max(row["server_cpu"], row["driver_cpu"]) < _BUSY
    ]


def _spread(values: list[float], digits: int) -> str:
    low, middle, high = min(values), median(values), max(values)
    return f"{low:,.{digits}f} / **{middle:,.{digits}f}** / {high:,.{digits}f}"


def print_tables(file: Path) -> None:
    """Everything, as Markdown."""
    runs = read_runs(file)
    print("\n| goal | least / median / most | met |\n|---|---|---|")
    for goal in GOALS:
        values = goal.values(runs)
        if values:
            sign = "≤" if goal.meets is operator.le else "≥"
            met = "yes" if goal.meets(median(values), goal.bound) else "no"
            print(f"| {goal.says} {sign} {goal.bound:g} | {_spread(values, 2)} | {met} |")
    for scenario, plan in SCENARIOS.items():
        servers = {server: rows for (server, each), rows in runs.items() if each == scenario}
        if servers:
            watched = f" + {plan.spectators}" if plan.spectators else ""
            pace = f", {plan.rate:g} actions/s" if plan.rate else ""
            print(f"\n{scenario}: {plan.rooms} × {plan.players}{watched}{pace}\n")
            (_print_play if plan.actions else _print_idle)(servers)
    found = disturbed(runs)
    print("\nDisturbed: " + ("; ".join(found) if found else "none") + ".")
    for rows in runs.values():
        for row in rows.values():
            if row["errors"] or row["timed_out"]:
                print(f"Errors: {row['server']} {row['scenario']}: {row['errors']} {row['last_error']}")


def _print_play(servers: dict[str, dict[int, Row]]) -> None:
    print(
        "| server | actions/s | p50 ms | p99 ms | CPU-s / 1000 | bytes a frame | MB | CPU server / generator |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for server, rows in servers.items():

        def column(field: str, rows: dict[int, Row] = rows) -> list[float]:
            return [row[field] for row in rows.values()]

        print(
            f"| {server} | {_spread(column('per_second'), 0)} | {median(column('p50')):.1f} "
            f"| {_spread(column('p99'), 1)} | {_spread(column('cpu_per_1000'), 3)} "
            f"| {median(column('bytes_per_frame')):.0f} | {median(column('memory_mb')):.0f} "
            f"| {median(column('server_cpu')):.2f} / {median(column('driver_cpu')):.2f} |"
        )


def _print_idle(servers: dict[str, dict[int, Row]]) -> None:
    print("| server | empty MB | full MB | MB per 1,000 connections |")
    print("|---|---|---|---|")
    for server, rows in servers.items():
        empty, full = ([row[field] for row in rows.values()] for field in ("empty_mb", "full_mb"))
        per = [row["mb_per_1000"] for row in rows.values()]
        print(f"| {server} | {median(empty):.0f} | {median(full):.0f} | {_spread(per, 1)} |")


if __name__ == "__main__":
    print_tables(Path(sys.argv[1]))
