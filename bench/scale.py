"""Scaling of the server; `python -m bench.scale` measures and writes docs/scale.md with its plots and numbers.

Parts: `workers` (CPU an action and messages: SQLite, one worker, two with affinity, two with tables spread),
`comeback` (a thousand people after a restart), `killed` (2,000 sockets of a killed worker), `length` (late against
early in a long game), `growth` (spectators, sockets), `rooms` (loaded and evicted), `startup` (100,000 stored games),
`history` (idle work and moves on a database with years of games, on SQLite and PostgreSQL; half an hour),
`page` (writes what was measured). `--only comeback --short` tries one in a minute and writes nothing.
Everything runs on one machine: workers, PostgreSQL, Redis and the load generator share its cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import uvloop

from bench.scaling.comeback import comeback
from bench.scaling.growth import crowds, sockets
from bench.scaling.history import history
from bench.scaling.killed import killed
from bench.scaling.length import lengths
from bench.scaling.meters import load_of_others
from bench.scaling.news import news
from bench.scaling.page import page
from bench.scaling.plots import draw
from bench.scaling.rooms import rooms
from bench.scaling.startup import startup
from bench.scaling.workers import side_by_side
from tools.services import ServiceError

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "scale"
NUMBERS = FOLDER / "numbers.json"
MINUTES = 6  # time limit of one part
HISTORY_MINUTES = 60  # most of it fills two databases
TOO_LONG = "it took more than {} minutes; is the machine busy with something else?"
T = TypeVar("T")


def _say(line: str) -> None:
    print(line, flush=True)


def _workers(short: bool) -> dict[str, Any]:
    return {"workers": _run(side_by_side(3 if short else 9, told=_say))}


def _comeback(short: bool) -> dict[str, Any]:
    people, rounds = (400, 2) if short else (1000, 5)
    return {"comeback": _run(comeback(people, rounds, told=_say))}


def _killed(short: bool) -> dict[str, Any]:
    count, rounds = (500, 1) if short else (2000, 3)
    return {"killed": _run(killed(count, rounds, told=_say))}


def _length(short: bool) -> dict[str, Any]:
    return {"lengths": _run(lengths(1 if short else 3, told=_say))}


def _growth(short: bool) -> dict[str, Any]:
    return {"crowds": _run(crowds()), "sockets": _run(sockets()), "news": news()}


def _rooms(short: bool) -> dict[str, Any]:
    return {"rooms": rooms((10, 100, 1_000) if short else (10, 100, 1_000, 10_000))}


def _startup(short: bool) -> dict[str, Any]:
    return {"startup": startup(1_000 if short else 100_000)}


def _history(short: bool) -> dict[str, Any]:
    return {"history": _run(history(short=short, told=_say), HISTORY_MINUTES)}


PARTS: dict[str, Callable[[bool], dict[str, Any]]] = {
    "workers": _workers,
    "comeback": _comeback,
    "killed": _killed,
    "length": _length,
    "growth": _growth,
    "rooms": _rooms,
    "startup": _startup,
    "history": _history,
}


def _run(work: Coroutine[Any, Any, T], minutes: int = MINUTES) -> T:
    """Set a time limit inside the event loop, before the alarm, which cannot end a waiting loop."""

    async def limited() -> T:
        try:
            async with asyncio.timeout(60 * minutes - 10):
                return await work
        except TimeoutError:
            raise RuntimeError(TOO_LONG.format(minutes)) from None

    return uvloop.run(limited())


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise RuntimeError(TOO_LONG.format("its number of"))


def _measured(name: str, short: bool, load: dict[str, Any]) -> dict[str, Any]:
    _say(f"{name} ...")
    signal.alarm(60 * (HISTORY_MINUTES if name == "history" else MINUTES))
    try:
        with load_of_others(load, name):
            return PARTS[name](short)
    finally:
        signal.alarm(0)


def write_page(numbers: dict[str, Any]) -> None:
    """Write the plots and the page from the stored numbers."""
    for name, picture in draw(numbers).items():
        (FOLDER / f"{name}.svg").write_text(picture)
    (FOLDER.parent / "scale.md").write_text(page(numbers))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", help=f"some of {', '.join(PARTS)}, page; all, unless some are named"
    )
    parser.add_argument("--only", choices=PARTS, help="one part alone; prints its numbers")
    parser.add_argument("--short", action="store_true", help="fewer people and rounds; nothing is written")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - {*PARTS, "page"}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    signal.signal(signal.SIGALRM, _too_long)
    numbers: dict[str, Any] = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    parts = [arguments.only] if arguments.only else arguments.parts or [*PARTS, "page"]
    failed = 0
    for name in parts:
        if name == "page":
            continue
        machine: dict[str, Any] = {}
        try:
            found = _measured(name, arguments.short, machine)
        except (RuntimeError, OSError, ServiceError, subprocess.SubprocessError) as problem:
            print(f"scale: {name}: {type(problem).__name__}: {problem}", file=sys.stderr)
            failed = 1  # the other parts are still measured; for this one the page keeps its previous numbers
            continue
        if arguments.short:
            _say(json.dumps({**found, "machine": machine[name]}, indent=1))
            continue
        numbers |= found
        numbers.setdefault("machine", {}).update(machine)
        FOLDER.mkdir(parents=True, exist_ok=True)
        NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n")
    if arguments.short:
        return failed
    missing = PARTS.keys() - numbers.get("machine", {}).keys()
    if missing:
        _say(f"no page yet: {', '.join(sorted(missing))} not measured")
    else:
        write_page(numbers)
    return failed


if __name__ == "__main__":
    sys.exit(main())
