"""`make soak`: every fault at length, with counts; `make soak PART=network` one part, `SCALE=0.1` a tenth of it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tools.services import Postgres
from tools.soak.fork_server import ForkServer
from tools.soak.parts import PARTS, SoakSetup
from tools.soak.record import record


def main() -> int:
    choice = argparse.ArgumentParser(prog="make soak", description=__doc__)
    choice.add_argument("parts", nargs="*", help="only these: " + ", ".join(PARTS))
    choice.add_argument("--seed", type=int, default=int(time.time()), help="the same chance again")
    choice.add_argument("--scale", type=float, default=1.0, help="0.1: a tenth of the length")
    choice.add_argument(
        "--minutes", type=float, default=float("inf"), help="of each run of kills or faults, at most"
    )
    choice.add_argument("--record", action="store_true", help="keep the counts in docs/reliability.md")
    choice.add_argument("--beside", action="store_true", help="and those of the part's former runs")
    choice.add_argument("--plot", type=Path, help="where the long soak's picture goes")
    asked = choice.parse_args()
    unknown = set(asked.parts) - set(PARTS)
    if unknown:
        choice.error(f"no such part: {', '.join(sorted(unknown))}")
    print(
        f"seed {asked.seed}; about {_minutes(asked.parts, asked.scale):.0f} minutes on two free cores",
        flush=True,
    )
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="cartagena-soak-") as folder,
        ForkServer() as fork_server,
        Postgres() as postgres,
    ):
        setup = SoakSetup(
            fork_server, postgres, Path(folder), asked.seed, asked.scale, asked.plot, asked.minutes
        )
        for name in asked.parts or PARTS:
            began = time.monotonic()
            print(f"== {name}: {PARTS[name].says}", flush=True)
            outcome = asyncio.run(PARTS[name].run(setup))
            wrong += [f"{name}: {each}" for each in outcome.wrong]
            took = time.monotonic() - began
            print(f"== {name}: {len(outcome.wrong)} wrong, {took:.0f} s", flush=True)
            if asked.record:
                record(name, PARTS[name].says, outcome, asked.seed, took, beside=asked.beside)
    for each in wrong[:50]:
        print(each)
    print(f"{len(wrong)} wrong (seed {asked.seed})")
    return 1 if wrong else 0


def _minutes(parts: list[str], scale: float) -> float:
    return sum(PARTS[name].minutes for name in parts or PARTS) * scale


if __name__ == "__main__":
    sys.exit(main())
