"""Two checkouts of this server, in turn, alone: what an action costs each of them.

    python -m bench.pairs ../before . --pairs 9
    python -m bench.pairs ../before . --pairs 3 --scenarios s200

Each checkout drives itself with its own `bench.peers` (so that either may have a protocol of its own), under the
Python this is started with; the order changes from pair to pair. Needs two idle cores and `taskset`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

_RUN_SECONDS = 240.0


def cost(checkout: Path, scenario: str) -> float:
    """CPU microseconds an action, in one run."""
    with tempfile.TemporaryDirectory(prefix="cartagena-pairs-") as folder:
        out = Path(folder) / "run.jsonl"
        command = [sys.executable, "-m", "bench.peers.run", "--rounds", "1", "--only", "ours"]
        subprocess.run(
            [*command, "--scenarios", scenario, "--out", str(out)],
            cwd=checkout,
            timeout=_RUN_SECONDS,
            capture_output=True,
            check=True,
        )
        (line,) = out.read_text().splitlines()
    row = json.loads(line)
    if row["errors"] or row["timed_out"]:
        raise RuntimeError(f"{checkout} {scenario}: {row['last_error'] or 'timed out'}")
    return float(row["cpu_per_1000"]) * 1000


def compare(before: Path, after: Path, scenario: str, pairs: int) -> str:
    """A line of the table; every run is told as it ends."""
    spent: dict[Path, list[float]] = {before: [], after: []}
    for number in range(pairs):
        for checkout in (before, after) if number % 2 == 0 else (after, before):
            spent[checkout].append(cost(checkout, scenario))
            print(f"pair {number + 1}: {checkout.name} {scenario} {spent[checkout][-1]:.1f}", file=sys.stderr)
    cells = [
        f"{median(costs):.1f} ({min(costs):.1f} – {max(costs):.1f})"
        for costs in (spent[before], spent[after])
    ]
    within = [new / old for old, new in zip(spent[before], spent[after], strict=True)]
    ratio = median(spent[after]) / median(spent[before])
    shown = f"{ratio:.3f} | {median(within):.3f} ({min(within):.3f} – {max(within):.3f})"
    return f"| {scenario} | {cells[0]} | {cells[1]} | {shown} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--scenarios", default="s200,s50")
    asked = parser.parse_args()
    before, after = asked.before.resolve(), asked.after.resolve()
    if before == after:
        parser.error("the two checkouts are one and the same")
    rows = [compare(before, after, scenario, asked.pairs) for scenario in asked.scenarios.split(",")]
    print(
        f"µs of CPU an action, median (least – most) of {asked.pairs} runs each\n\n"
        "| scenario | before | after | ratio of medians | ratio within a pair |\n|---|---|---|---|---|"
    )
    print("\n".join(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
