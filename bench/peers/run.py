"""Our server and its peers under the same load, interleaved: server on one core, generator on the other.

    python -m bench.peers.run --rounds 3                        everything, then the table
    python -m bench.peers.run --only ours,colyseus --scenarios s200 --out var/bench/try.jsonl

A round runs every server through every scenario; rounds are compared within themselves. Needs two cores
with nothing else on them, `taskset`, and the peers (`make bench-peers` sets them up).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.peers.scenarios import SCENARIOS
from bench.peers.servers import ROOT, SERVERS, WORK, running
from bench.peers.table import print_tables

SERVER_CPU, DRIVER_CPU = 0, 1
_RUN_SECONDS = 150.0


def measure(name: str, scenario: str) -> dict[str, Any]:
    """One run of one server."""
    server = SERVERS[name]
    with running(server, SERVER_CPU) as (port, pid):
        command = ["taskset", "-c", str(DRIVER_CPU), sys.executable, "-m", "bench.peers.driver"]
        command += ["--speak", server.speak, "--port", str(port), "--pid", str(pid), "--scenario", scenario]
        command += ["--half"] if server.is_slow else []
        done = subprocess.run(command, cwd=ROOT, timeout=_RUN_SECONDS, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(SERVERS))
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=WORK / f"peers-{time.strftime('%m%d-%H%M')}.jsonl")
    asked = parser.parse_args()
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    for number in range(asked.rounds):
        for scenario in asked.scenarios.split(","):
            for name in asked.only.split(","):
                try:
                    measured = measure(name, scenario)
                except (RuntimeError, subprocess.TimeoutExpired) as problem:
                    print(f"round {number}: {name} {scenario} failed: {problem}", file=sys.stderr)
                    failed += 1
                    continue
                row = {"round": number, "server": name, "scenario": scenario, **measured}
                with asked.out.open("a") as out:
                    out.write(json.dumps(row) + "\n")
                print(json.dumps(row), file=sys.stderr, flush=True)
    if asked.out.exists():
        print_tables(asked.out)
    if failed:
        print(f"{failed} runs failed; the tables are without them", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
