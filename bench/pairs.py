"""Two checkouts of this server, side by side on one core: what an action costs each of them.

    python -m bench.pairs ../before . --pairs 9
    python -m bench.pairs ../before . --pairs 9 --scenarios s200 --rounds 3

Both servers are up at the same time, and their tables play in turn, a short stretch each: a machine whose speed
changes from minute to minute (a host shared with others) changes it for both. A pair is one stretch of each; who
goes first changes from pair to pair. Each checkout drives itself with its own `bench.peers`, so that either may
have a protocol of its own, under the Python this is started with. Needs two idle cores and `taskset`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import IO

SERVER_CPU, DRIVER_CPU = 0, 1


def spread(values: list[float], digits: int) -> str:
    return f"{median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


class Driven:
    """One checkout: its server, its players, and the pipe by which they are told to play."""

    def __init__(self, checkout: Path, scenario: str) -> None:
        self.checkout = checkout
        command = ["taskset", "-c", str(DRIVER_CPU), sys.executable, __file__, "--drive", scenario]
        self.process = subprocess.Popen(
            command, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._told = self._pipe(self.process.stdin)
        self._heard = self._pipe(self.process.stdout)

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def ask(self, actions: int) -> float:
        """CPU microseconds an action, while every table plays so many; 0: when everybody is seated."""
        self._told.write(f"{actions}\n")
        self._told.flush()
        line = self._heard.readline()
        if not line:
            raise RuntimeError(f"{self.checkout}: the driver ended with {self.process.wait()}")
        return float(json.loads(line))

    def close(self) -> None:
        self._told.close()
        self.process.wait(60)


def compare(before: Path, after: Path, scenario: str, rounds: int, pairs: int) -> str:
    """A line of the table; every pair is told as it ends."""
    spent: dict[Path, list[float]] = {before: [], after: []}
    for number in range(rounds):
        sides = [Driven(checkout, scenario) for checkout in (before, after)]
        try:
            (most, _) = [int(side.ask(0)) for side in sides]
            for pair in range(pairs):
                for side in sides if (pair + number) % 2 == 0 else reversed(sides):
                    spent[side.checkout].append(side.ask(most // pairs))
                costs = (spent[before][-1], spent[after][-1])
                print(f"{scenario} {costs[0]:.1f} {costs[1]:.1f} {costs[1] / costs[0]:.3f}", file=sys.stderr)
        finally:
            for side in sides:
                side.close()
    within = [new / old for old, new in zip(spent[before], spent[after], strict=True)]
    return f"| {scenario} | {spread(spent[before], 1)} | {spread(spent[after], 1)} | {spread(within, 3)} |"


def drive(scenario_name: str) -> None:
    """In the checkout we were started in: seat everybody, then play as many actions a table as each line says."""
    sys.path.insert(0, str(Path.cwd()))
    import asyncio

    import uvloop

    from bench.peers.driver import ADAPTERS
    from bench.peers.load import Load
    from bench.peers.scenarios import SCENARIOS
    from bench.peers.servers import SERVERS, running

    scenario = SCENARIOS[scenario_name]

    async def play(port: int, pid: int) -> None:
        load = Load(ADAPTERS["ours"], port, pid, scenario)
        tables = [load.adapter.table(load, number, scenario.players) for number in range(scenario.rooms)]
        for first in range(0, len(tables), 25):  # older checkouts have no `seat_all`
            await asyncio.gather(*(load._seat(table) for table in tables[first : first + 25]))
        await load.play(tables, scenario.warm)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            actions = int(line)
            before = cpu_of(pid)
            if actions:
                await load.play(tables, actions)
            if load.errors or load.is_timed_out:
                raise RuntimeError(load.last_error or "timed out")
            cost = (cpu_of(pid) - before) / 1000 / (actions * len(tables)) if actions else scenario.actions
            print(json.dumps(cost), flush=True)
        load.is_closing = True

    with running(SERVERS["ours"], SERVER_CPU) as (port, pid):
        uvloop.run(play(port, pid))


def cpu_of(pid: int) -> int:
    """Nanoseconds that all threads of a process have run."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--drive", help=argparse.SUPPRESS)
    parser.add_argument("checkouts", type=Path, nargs="*", metavar="BEFORE AFTER")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--rounds", type=int, default=1, help="each with new processes")
    parser.add_argument("--scenarios", default="s200,s50")
    asked = parser.parse_args()
    if asked.drive:
        drive(asked.drive)
        return 0
    if len(asked.checkouts) != 2:
        parser.error("two checkouts, please: before and after")
    before, after = (checkout.resolve() for checkout in asked.checkouts)
    if before == after:
        parser.error("the two checkouts are one and the same")
    rows = [
        compare(before, after, scenario, asked.rounds, asked.pairs) for scenario in asked.scenarios.split(",")
    ]
    print(
        f"µs of CPU an action, median (least – most) of {asked.pairs * asked.rounds} pairs\n\n"
        "| scenario | before | after | ratio within a pair |\n|---|---|---|---|"
    )
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
