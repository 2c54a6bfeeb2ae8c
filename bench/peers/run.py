"""Our server and its peers under the same load, interleaved: server on one core, generator on the other.

    python -m bench.peers.run --rounds 3                        everything, then the tables
    python -m bench.peers.run --only ours,colyseus --scenarios s200 --out var/bench/try.jsonl
    python -m bench.peers.run --python /usr/bin/python3.11 --python ~/py313/bin/python

A round runs every server through every scenario; rounds are compared within themselves. Ours and the bare
broadcast run under every Python that is named (by default the one this is started with). Needs two cores with
nothing else on them, `taskset`, and the peers (`make bench-peers` sets them up).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.peers.check import check
from bench.peers.scenarios import SCENARIOS
from bench.peers.servers import ROOT, SERVERS, WORK, running
from bench.peers.table import print_tables

SERVER_CPU, DRIVER_CPU = 0, 1
_RUN_SECONDS = 150.0


def measure(name: str, scenario: str, python: str) -> dict[str, Any]:
    """One run of one server."""
    server = SERVERS[name]
    with running(server, SERVER_CPU, python) as (port, pid):
        command = ["taskset", "-c", str(DRIVER_CPU), sys.executable, "-m", "bench.peers.driver"]
        command += ["--speak", server.speak, "--port", str(port), "--pid", str(pid), "--scenario", scenario]
        command += ["--half"] if server.is_slow else []
        done = subprocess.run(command, cwd=ROOT, timeout=_RUN_SECONDS, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def version_of(python: str) -> str:
    arguments = [python, "-c", "import platform; print(platform.python_version())"]
    return subprocess.run(arguments, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()


def commit() -> str:
    arguments = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT).stdout.strip()


def plan(only: list[str], scenarios: list[str], pythons: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """A round: what runs one after the other, as scenario, server and version of Python, if it runs on one."""
    for scenario in scenarios:
        for name in only:
            for version in pythons if SERVERS[name].is_python else ("",):
                yield scenario, name, version


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(SERVERS))
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", action="append", metavar="PATH", help="may be given several times")
    parser.add_argument("--out", type=Path, default=WORK / f"peers-{time.strftime('%m%d-%H%M')}.jsonl")
    arguments = parser.parse_args()
    only = arguments.only.split(",")
    pythons = {version_of(path): path for path in arguments.python or [sys.executable]}
    if any(name.endswith("+job") for name in only):
        check(SERVER_CPU)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    failed = 0
    for number in range(arguments.rounds):
        for scenario, name, version in plan(only, arguments.scenarios.split(","), pythons):
            try:
                measured = measure(name, scenario, pythons.get(version, ""))
            except (RuntimeError, subprocess.TimeoutExpired) as problem:
                print(f"round {number}: {name} {scenario} failed: {problem}", file=sys.stderr)
                failed += 1
                continue
            which = {"round": number, "server": name, "scenario": scenario, "python": version}
            row = {**which, "commit": commit(), **measured}
            with arguments.out.open("a") as out:
                out.write(json.dumps(row) + "\n")
            print(json.dumps(row), file=sys.stderr, flush=True)
    if arguments.out.exists():
        print_tables(arguments.out)
    if failed:
        print(f"{failed} runs failed; the tables are without them", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
