"""`python -m tools.fuzz frames|lines|records|api`: long runs, with what was tried and what came of it."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from tools.fuzz.frames import fuzz_frames
from tools.fuzz.server import Server


def frames(count: int, seed: int) -> list[str]:
    with Server() as server:
        asyncio.run(fuzz_frames(server, 2000, seed + 1))  # warm: caches are filled before it is weighed
        before = server.size()
        outcome = asyncio.run(fuzz_frames(server, count, seed, lambda line: print(line, flush=True)))
        after = server.size()
    print(f"{outcome.frames} frames sent, {outcome.answers} answered; sockets closed: {dict(outcome.closes)}")
    print(f"memory {before[0]:.0f} -> {after[0]:.0f} MiB, open files {before[1]} -> {after[1]}")
    if after[0] > before[0] * 2 + 50:
        outcome.wrong.append("memory has grown")
    if after[1] > before[1] + 20:
        outcome.wrong.append("files were left open")
    return outcome.wrong


PARTS = {"frames": frames}


def main() -> int:
    asked = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    asked.add_argument("part", choices=sorted(PARTS))
    asked.add_argument("--count", type=int, default=100_000)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    began = time.monotonic()
    wrong = PARTS[given.part](given.count, given.seed)
    for line in wrong:
        print(f"WRONG: {line}")
    print(f"{given.part}: {len(wrong)} wrong, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
