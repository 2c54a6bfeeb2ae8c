"""Compare two checkouts of this server: CPU per action and memory per socket, in pairs on one core.

    python -m bench.pairs ../before . --rounds 4 --pairs 6 --scenarios s200 s50

Both servers are up at the same time and play in turn, a short stretch each, so a change in the speed of a shared
host affects both. A pair is one stretch of each checkout; the order alternates from pair to pair, and every round
starts new processes. Each checkout drives itself with its own `bench.peers` under the Python that runs this script.
Needs two idle cores and `taskset`; the command above takes about ten minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from pathlib import Path
from statistics import median
from typing import IO, Any

SERVER_CPU, DRIVER_CPU = 0, 1
MAX_OTHER_CORES = 0.25
"""A measurement during which other processes used more than this counts as disturbed."""
CONFIDENCE = 0.95
MEMORY_TABLES = 50
SPECTATORS_PER_BATCH = 20
"""Spectators per table; every batch of them gives one figure of memory per socket."""
MEMORY_BATCHES = 2
SETTLE_SECONDS = 2.0


@dataclass(frozen=True)
class Pair:
    """One figure of each checkout, and whether nothing else ran meanwhile."""

    before: float
    after: float
    is_quiet: bool = True

    @property
    def ratio(self) -> float:
        return self.after / self.before


def median_interval(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float] | None:
    """Return the exact confidence interval of the median, or None if there are too few values.

    The bounds are order statistics: the number of values below the true median is binomial with p = 1/2, whatever
    the distribution of the values. The confidence reached is at least the one arguments for.
    """
    count, ordered = len(values), sorted(values)
    rank, outside = 0, 0.0
    while rank < count // 2:
        outside += 2 * comb(count, rank) / 2**count
        if outside > 1 - confidence:
            break
        rank += 1
    return (ordered[rank - 1], ordered[count - rank]) if rank else None


def format_spread(values: Sequence[float], digits: int) -> str:
    return f"{median(values):.{digits}f} ({min(values):.{digits}f} – {max(values):.{digits}f})"


def format_row(name: str, pairs: Sequence[Pair], digits: int) -> str:
    """A row of the table, from the quiet pairs only."""
    quiet = [pair for pair in pairs if pair.is_quiet]
    count = f"{len(quiet)} of {len(pairs)}"
    if not quiet:
        return f"| {name} | {count} | – | – | – | – |"
    ratios = [pair.ratio for pair in quiet]
    found = median_interval(ratios)
    interval = f"{found[0]:.3f} – {found[1]:.3f}" if found else "too few pairs"
    before, after = ([getattr(pair, side) for pair in quiet] for side in ("before", "after"))
    return (
        f"| {name} | {count} | {format_spread(before, digits)} | {format_spread(after, digits)}"
        f" | {format_spread(ratios, 3)} | {interval} |"
    )


class Driver:
    """The server and the players of one checkout, in a process that answers each line with one of JSON."""

    def __init__(self, checkout: Path, task: str) -> None:
        self.checkout = checkout
        command = ["taskset", "-c", str(DRIVER_CPU), sys.executable, __file__, "--drive", task]
        self.process = subprocess.Popen(
            command, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._requests = self._pipe(self.process.stdin)
        self._answers = self._pipe(self.process.stdout)

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe

    def ask(self, actions: int = 0) -> Any:
        self._requests.write(f"{actions}\n")
        self._requests.flush()
        line = self._answers.readline()
        if not line:
            raise RuntimeError(f"{self.checkout}: the driver ended with {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        self._requests.close()
        self.process.wait(60)


def compare_cpu(before: Path, after: Path, scenario: str, rounds: int, pairs: int) -> list[Pair]:
    """Play the pairs of one scenario; each is printed to stderr as it ends."""
    played: list[Pair] = []
    for number in range(rounds):
        sides = [Driver(checkout, scenario) for checkout in (before, after)]
        try:
            (most, _) = [int(side.ask()) for side in sides]
            for index in range(pairs):
                order = sides if (index + number) % 2 == 0 else sides[::-1]
                measured = {side.checkout: side.ask(most // pairs) for side in order}
                others = max(answer["other_cores"] for answer in measured.values())
                pair = Pair(measured[before]["cost"], measured[after]["cost"], others <= MAX_OTHER_CORES)
                played.append(pair)
                print(
                    f"{scenario} {pair.before:.1f} {pair.after:.1f} {pair.ratio:.3f}, other work {others:.2f} cores",
                    file=sys.stderr,
                )
        finally:
            for side in sides:
                side.close()
    return played


def compare_memory(before: Path, after: Path, rounds: int) -> list[Pair]:
    """Connect idle sockets to each server in turn and pair the figures of the same batch."""
    paired: list[Pair] = []
    for _ in range(rounds):
        batches: list[list[float]] = []
        for checkout in (before, after):
            side = Driver(checkout, "memory")
            try:
                batches.append(side.ask())
            finally:
                side.close()
        for old, new in zip(*batches, strict=True):
            paired.append(Pair(old, new))
            print(f"memory {old:.2f} {new:.2f} {new / old:.3f}", file=sys.stderr)
    return paired


def drive(task: str) -> None:
    """Run the server of the checkout in the working directory and answer what the parent asks."""
    sys.path.insert(0, str(Path.cwd()))
    import asyncio

    import uvloop

    from bench.peers.driver import ADAPTERS
    from bench.peers.load import Load
    from bench.peers.scenarios import SCENARIOS, Scenario
    from bench.peers.servers import SERVERS, running

    scenario = Scenario(rooms=MEMORY_TABLES, players=2) if task == "memory" else SCENARIOS[task]

    async def seat(load: Load) -> list[Any]:
        tables = [load.adapter.table(load, number, scenario.players) for number in range(scenario.rooms)]
        for first in range(0, len(tables), 25):  # older checkouts have no `seat_all`
            await asyncio.gather(*(load._seat(table) for table in tables[first : first + 25]))
        return tables

    async def play(load: Load, pid: int) -> None:
        tables = await seat(load)
        await load.play(tables, scenario.warm)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            actions = int(line)
            if not actions:
                print(scenario.actions, flush=True)
                continue
            own, spent, machine = cpu_of("self"), cpu_of(pid), MachineTime()
            await load.play(tables, actions)
            spent = cpu_of(pid) - spent
            if load.errors or load.is_timed_out:
                raise RuntimeError(load.last_error or "timed out")
            cost = spent / 1000 / (actions * len(tables))
            others = machine.other_cores((spent + cpu_of("self") - own) / 1e9)
            print(json.dumps({"cost": cost, "other_cores": others}), flush=True)

    async def connect_idle_sockets(load: Load, pid: int) -> None:
        tables = await seat(load)
        await asyncio.sleep(SETTLE_SECONDS)
        kib = [private_kib(pid)]
        for batch in range(MEMORY_BATCHES):
            first = scenario.players + batch * SPECTATORS_PER_BATCH
            for number in range(first, first + SPECTATORS_PER_BATCH):
                await asyncio.gather(*(load.adapter.join(table, number) for table in tables))
            await asyncio.sleep(SETTLE_SECONDS)
            kib.append(private_kib(pid))
        sockets = len(tables) * SPECTATORS_PER_BATCH
        print(json.dumps([(now - was) / sockets for was, now in pairwise(kib)]), flush=True)

    async def run(port: int, pid: int) -> None:
        load = Load(ADAPTERS["ours"], port, pid, scenario)
        await (connect_idle_sockets if task == "memory" else play)(load, pid)
        if load.errors:
            raise RuntimeError(load.last_error)
        load.is_closing = True

    with running(SERVERS["ours"], SERVER_CPU) as (port, pid):
        uvloop.run(run(port, pid))


def cpu_of(pid: int | str) -> int:
    """Return the nanoseconds that all threads of a process have run."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks)


def private_kib(pid: int) -> int:
    """Return the memory that no other process shares, without clean pages of files."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Dirty:", "Swap:")))


class MachineTime:
    """CPU time of the whole machine from now on, in seconds."""

    def __init__(self) -> None:
        self._busy, self._total = self._read()

    @staticmethod
    def _read() -> tuple[float, float]:
        with Path("/proc/stat").open() as stat:
            ticks = [int(field) for field in stat.readline().split()[1:9]]
        busy = sum(ticks) - ticks[3] - ticks[4]  # all but idle and iowait
        return busy / os.sysconf("SC_CLK_TCK"), sum(ticks) / os.sysconf("SC_CLK_TCK")

    def other_cores(self, own_seconds: float) -> float:
        """Return how many cores were busy with anything but `own_seconds`, on average."""
        busy, total = self._read()
        elapsed = (total - self._total) / (os.cpu_count() or 1)
        return max(0.0, busy - self._busy - own_seconds) / max(elapsed, 0.01)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--drive", help=argparse.SUPPRESS)
    parser.add_argument("checkouts", type=Path, nargs="*", metavar="BEFORE AFTER")
    parser.add_argument("--pairs", type=int, default=6, help="in each round")
    parser.add_argument("--rounds", type=int, default=4, help="each with new processes")
    parser.add_argument("--scenarios", nargs="*", default=["s200", "s50"], help="of bench/peers/scenarios.py")
    parser.add_argument("--no-memory", action="store_true", help="measure CPU only")
    arguments = parser.parse_args()
    if arguments.drive:
        drive(arguments.drive)
        return 0
    if len(arguments.checkouts) != 2:
        parser.error("two checkouts, please: before and after")
    before, after = (checkout.resolve() for checkout in arguments.checkouts)
    if before == after:
        parser.error("the two checkouts are one and the same")
    rows = [
        format_row(
            f"{name}, µs CPU per action",
            compare_cpu(before, after, name, arguments.rounds, arguments.pairs),
            1,
        )
        for name in arguments.scenarios
    ]
    if not arguments.no_memory:
        rows.append(format_row("KiB per idle socket", compare_memory(before, after, arguments.rounds), 2))
    print(
        "Median (least – most) of the quiet pairs\n\n"
        "| figure | quiet pairs | before | after | ratio within a pair | 95 % interval of the median ratio |\n"
        "|---|---|---|---|---|---|"
    )
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
