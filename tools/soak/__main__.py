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
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("parts", nargs="*", help="only these: " + ", ".join(PARTS))
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same chance again")
    parser.add_argument("--scale", type=float, default=1.0, help="0.1: a tenth of the length")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="of each run of kills or faults, at most"
    )
    parser.add_argument("--record", action="store_true", help="keep the counts in docs/reliability.md")
    parser.add_argument("--beside", action="store_true", help="and those of the part's former runs")
    parser.add_argument("--plot", type=Path, help="where the long soak's picture goes")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    print(
        f"seed {arguments.seed}; about {_minutes(arguments.parts, arguments.scale):.0f} minutes on two free cores",
        flush=True,
    )
    wrong: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="cartagena-soak-") as folder,
        ForkServer() as fork_server,
        Postgres() as postgres,
    ):
        setup = SoakSetup(
            fork_server,
            postgres,
            Path(folder),
            arguments.seed,
            arguments.scale,
            arguments.plot,
            arguments.minutes,
        )
        for name in arguments.parts or PARTS:
            began = time.monotonic()
            print(f"== {name}: {PARTS[name].says}", flush=True)
            outcome = asyncio.run(PARTS[name].run(setup))
            wrong += [f"{name}: {each}" for each in outcome.wrong]
            took = time.monotonic() - began
            print(f"== {name}: {len(outcome.wrong)} wrong, {took:.0f} s", flush=True)
            if arguments.record:
                record(name, PARTS[name].says, outcome, arguments.seed, took, beside=arguments.beside)
    for each in wrong[:50]:
        print(each)
    print(f"{len(wrong)} wrong (seed {arguments.seed})")
    return 1 if wrong else 0


def _minutes(parts: list[str], scale: float) -> float:
    return sum(PARTS[name].minutes for name in parts or PARTS) * scale


if __name__ == "__main__":
    sys.exit(main())
