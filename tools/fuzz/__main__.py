"""`python -m tools.fuzz frames|lines|records|api|unseen|timing`: long fuzzing runs with their results."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from pathlib import Path

from tools.fuzz.frames import fuzz_frames
from tools.fuzz.lines import fuzz_lines, fuzz_records
from tools.fuzz.program import a_program
from tools.fuzz.server import Server
from tools.fuzz.timing import lookup_ratios

ROOT = Path(__file__).resolve().parents[2]
CORES = 2


def frames(count: int, seed: int) -> list[str]:
    """Fuzz frames over real sockets."""
    with Server() as server:
        asyncio.run(fuzz_frames(server, 2000, seed + 1))  # fill caches before memory is measured
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


def lines(count: int, seed: int) -> list[str]:
    """Fuzz lines for the engine."""
    wrong = fuzz_lines(count, seed)
    print(f"{count} lines")
    return wrong


def records(count: int, seed: int) -> list[str]:
    """Fuzz records, verified here and replayed by a server."""
    with Server() as server:
        wrong = fuzz_records(count, seed, server)
    print(f"{count} records, verified and replayed")
    return wrong


def api(count: int, seed: int) -> list[str]:
    """Fuzz every operation of the OpenAPI description with schemathesis, `count` examples each.

    Runs twice: anonymously, and as a program whose owner sits at the running table used in the examples.
    """
    wrong = []
    with Server() as server:
        callers: list[tuple[dict[str, str], dict[str, str]]] = [a_program(server.base)]
        if count >= 5:  # the short run covers the anonymous part only
            callers.append(({"Origin": server.base}, {}))
        for headers, parameters in callers:
            given = "".join(f'{name} = "{value}"\n' for name, value in parameters.items())
            (server.folder / "schemathesis.toml").write_text(f"[parameters]\n{given}" if given else "")
            command = [
                str(Path(sys.executable).parent / "schemathesis"),
                "run",
                f"{server.base}/api/v1/openapi.json",
                f"--max-examples={count}",
                f"--seed={seed}",
                "--phases=" + ("fuzzing" if count < 5 else "examples,coverage,fuzzing"),
                "--checks=not_a_server_error,status_code_conformance,response_schema_conformance",
                "--exclude-path=/api/v1/games/{game}/events",  # the stream never ends
                *(f"--header={name}: {value}" for name, value in headers.items()),
                "--request-timeout=60",
            ]
            code = subprocess.run(command, cwd=server.folder, check=False).returncode
            wrong += ["schemathesis found something, see above"] if code else []
        wrong += server.faults()[:1]
    return wrong


def timing(count: int, seed: int) -> list[str]:
    """Compare the response times for missing and locked tables."""
    with Server() as server:
        ratios = lookup_ratios(server, count)
    for name, ratio in ratios.items():
        print(
            f"{count} lookups of each, {name}: a locked table takes {ratio:.2f} times as long as a missing one"
        )
    return [f"{name}: {ratio:.2f}" for name, ratio in ratios.items() if not 0.75 < ratio < 1.33]


def unseen(count: int, seed: int) -> list[str]:
    """Compare two worlds of every hidden preset for every audience, `count` games each (tests/attack)."""
    command = [sys.executable, "-m", "tests.attack.every_table", str(count), str(seed)]
    shares = [subprocess.Popen([*command, str(share), str(CORES)], cwd=ROOT) for share in range(CORES)]
    codes = [share.wait() for share in shares]
    return ["see above"] if any(codes) else []


PARTS = {"frames": (frames, 100_000), "lines": (lines, 100_000), "records": (records, 10_000),
         "api": (api, 100), "unseen": (unseen, 1), "timing": (timing, 500)}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all of them")
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    failed = 0
    for name in given.parts or PARTS:
        part, usual = PARTS[name]
        began = time.monotonic()
        wrong = part(given.count or usual, given.seed)
        for line in wrong[:20]:
            print(f"WRONG: {line}")
        print(f"{name}: {len(wrong)} wrong, {time.monotonic() - began:.0f} s", flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
