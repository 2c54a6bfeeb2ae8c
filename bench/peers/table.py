"""The tables from a file of runs, as bench/README.md has them: ratios against the goals, what each server reached.

    python -m bench.peers.table var/bench/peers-….jsonl

Ratios are taken within a round, where both ran within minutes of each other; the median of them counts. A
round is dropped only because other work disturbed it, never because of its result.
"""

from __future__ import annotations

import json
import operator
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.peers.scenarios import SCENARIOS

__all__ = ["GOALS", "disturbed", "print_tables", "read_runs"]

Row = dict[str, Any]
Runs = dict[
    tuple[str, str, str], dict[int, Row]
]  # (server, its Python, scenario) → round → what was measured

_QUIET = 0.2  # cores that other work may have
_NAMES = {
    "ours": "ours, durable",
    "boardgame.io": "boardgame.io in memory",
    "boardgame.io+job": "boardgame.io, same job",
    "colyseus": "Colyseus in memory, hides nothing",
    "colyseus+job": "Colyseus, same job",
    "broadcast": "bare broadcast of 1.5 KB",
}


@dataclass(frozen=True, slots=True)
class Goal:
    """Ours divided by a peer's (or ours alone), in a scenario."""

    says: str
    scenario: str
    field: str
    peer: str | None
    meets: Callable[[float, float], bool]
    bound: float

    def values(self, runs: Runs, python: str) -> list[float]:
        """One a round."""
        ours = runs.get(("ours", python, self.scenario), {})
        if self.peer is None:
            return [float(row[self.field]) for row in ours.values()]
        own = runs.get((self.peer, python, self.scenario), {})
        theirs = own or runs.get((self.peer, "", self.scenario), {})
        return [ours[each][self.field] / theirs[each][self.field] for each in ours if each in theirs]


def _cpu(of: str, peer: str, scenario: str, bound: float) -> Goal:
    return Goal(f"CPU an action ÷ {of}", scenario, "cpu_per_1000", peer, operator.le, bound)


GOALS = (
    _cpu("Colyseus on the same job, 200 × 4", "colyseus+job", "s200", 0.8),
    _cpu("Colyseus on the same job, 50 × 2", "colyseus+job", "s50", 1.2),
    _cpu("Colyseus in memory, 200 × 4", "colyseus", "s200", 1.3),
    _cpu("boardgame.io in memory, 200 × 4", "boardgame.io", "s200", 0.25),
    Goal("actions/s ÷ boardgame.io in memory, 50 × 2", "s50", "per_second", "boardgame.io", operator.ge, 3.0),
    _cpu("bare broadcast, 200 × 4", "broadcast", "s200", 1.3),
    _cpu("Colyseus in memory, 20 × 4 and 10 spectators each", "colyseus", "spec", 0.9),
    Goal("p99 at 400 paced actions/s ÷ boardgame.io in memory", "paced", "p99", "boardgame.io", operator.le, 1.0),
    Goal("1,000 sitting down, seconds ÷ boardgame.io", "seat", "seat_seconds", "boardgame.io", operator.le, 3.0),
    Goal("MB per 1,000 idle ÷ boardgame.io", "seat", "mb_per_1000", "boardgame.io", operator.le, 0.6),
    Goal("bytes an update to a seat not to act", "s200", "bytes_to_others", None, operator.le, 150.0),
)  # fmt: skip


def read_runs(file: Path) -> Runs:
    runs: Runs = defaultdict(dict)
    for line in file.read_text().splitlines():
        row = json.loads(line)
        runs[row["server"], row["python"], row["scenario"]][row["round"]] = row
    return runs


def disturbed(runs: Runs) -> list[str]:
    """Runs beside which something else was running, here or elsewhere on the host."""
    return [
        f"round {each}: {_name(server, python)} {scenario} ({row['machine_others']}, the host {row['machine_stolen']})"
        for (server, python, scenario), rows in runs.items()
        for each, row in rows.items()
        if row["machine_others"] > _QUIET or row["machine_stolen"] > _QUIET
    ]


def _spread(values: Iterable[float], digits: int) -> str:
    """Median (least – most)."""
    known = list(values)
    low, middle, high = (f"{each:,.{digits}f}" for each in (min(known), median(known), max(known)))
    return f"{middle} ({low} – {high})"


def print_tables(file: Path) -> None:
    """Everything, as Markdown."""
    runs = read_runs(file)
    every = [row for rows in runs.values() for row in rows.values()]
    commits = sorted({row["commit"] for row in every})
    rounds = len({row["round"] for row in every})
    print(
        f"\nCommit {', '.join(commits)}; {rounds} round{'s' * (rounds > 1)}; median (least – most). {_machine(every)}"
    )
    _print_goals(runs, sorted({python for server, python, _ in runs if server == "ours"}))
    for scenario, plan in SCENARIOS.items():
        servers = {_name(*which): rows for (*which, each), rows in runs.items() if each == scenario}
        if servers:
            watched = f" and {plan.spectators} spectators each" if plan.spectators else ""
            pace = f", {plan.rate:g} actions/s" if plan.rate else ""
            print(f"\n`{scenario}`: {plan.rooms} × {plan.players}{watched}{pace}\n")
            (_print_play if plan.actions else _print_seats)(servers)
    found = disturbed(runs)
    print("\nDisturbed: " + ("; ".join(found) if found else "none") + ".")
    if won := sum(row.get("won_early", 0) for row in every):
        print(f"Games of ours that were won before their time, and so stopped playing: {won}.")


def _name(server: str, python: str) -> str:
    name = _NAMES.get(server, server)
    return f"{name}, Python {python}" if python else name


def _machine(rows: list[Row]) -> str:
    """How quiet it was: what ran beside the server and the generator, in cores."""
    other = [row["machine_others"] for row in rows]
    stolen = _spread((row["machine_stolen"] for row in rows), 2)
    load = _spread((row["load_average"] for row in rows), 1)
    return f"Of two cores other work took {_spread(other, 2)}, the host {stolen}; load average {load}."


def _print_goals(runs: Runs, pythons: list[str]) -> None:
    print("\n| goal |" + "".join(f" Python {python} | met |" for python in pythons))
    print("|---|" + "---|---|" * len(pythons))
    for goal in GOALS:
        of_each = [goal.values(runs, python) for python in pythons]
        if not any(of_each):
            continue  # not measured
        sign = "≤" if goal.meets is operator.le else "≥"
        cells = []
        for values in of_each:
            met = "" if not values else "yes" if goal.meets(median(values), goal.bound) else "no"
            digits = 0 if goal.peer is None else 2
            cells += [_spread(values, digits) if values else "–", met]
        print(f"| {goal.says} {sign} {goal.bound:g} | {' | '.join(cells)} |")


def _print_play(servers: dict[str, dict[int, Row]]) -> None:
    print(
        "| server | actions/s | p50 ms | p99 ms | CPU µs an action | bytes a frame | MB | CPU server / generator |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for server, rows in servers.items():

        def column(field: str, rows: dict[int, Row] = rows) -> list[float]:
            return [row[field] for row in rows.values()]

        spent = [each * 1000 for each in column("cpu_per_1000")]
        print(
            f"| {server} | {_spread(column('per_second'), 0)} | {median(column('p50')):.1f} "
            f"| {_spread(column('p99'), 1)} | {_spread(spent, 0)} "
            f"| {median(column('bytes_per_frame')):.0f} | {median(column('memory_mb')):.0f} "
            f"| {median(column('server_cpu')):.2f} / {median(column('driver_cpu')):.2f} |"
        )


def _print_seats(servers: dict[str, dict[int, Row]]) -> None:
    print("| server | seconds | CPU-s of the server | MB empty / full | MB per 1,000 connections |")
    print("|---|---|---|---|---|")
    for server, rows in servers.items():

        def column(field: str, rows: dict[int, Row] = rows) -> list[float]:
            return [row[field] for row in rows.values()]

        print(
            f"| {server} | {_spread(column('seat_seconds'), 1)} | {_spread(column('seat_cpu'), 1)} "
            f"| {median(column('empty_mb')):.0f} / {median(column('full_mb')):.0f} "
            f"| {_spread(column('mb_per_1000'), 1)} |"
        )


if __name__ == "__main__":
    print_tables(Path(sys.argv[1]))
