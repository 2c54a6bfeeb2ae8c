"""Digests of decisions, to compare Pythons and platforms: where two agree, every decision was the same.

    python -m bench.equal_decisions                    on this Python; only app.rules and app.bots are needed
    python -m bench.equal_decisions --pyodide FOLDER   on Pyodide under Node; npm installs the package in FOLDER

Positions come from random games at eight tables, the same number at each; those where the seat to act has only one
action are left out. Every decision has the benchmark's limit of nodes and none of time.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from time import process_time

from app import rules
from app.bots.evaluation import Evaluator
from tests.bots.tables import Json, choose_action, play_randomly

TABLES: tuple[Json, ...] = (
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 2},
    {"preset": "tortuga", "players": 4},
    {"preset": "jamaica", "players": 4},
    {"preset": "hispaniola", "players": 3, "scoundrels": True, "pirates": 8},
    {"preset": "jungle", "players": 2, "jungle_boards": 8, "card_gain": "morgan"},
    {"preset": "dungeon", "players": 5, "black_magic": True},
    {"preset": "complete", "players": 3, "black_magic": True, "card_gain": "both"},
)
NODES = {"sailor": 8_000, "mate": 8_000, "captain": 8_000, "legend": 30_000}
EVERY = 7
"""Positions of a game are this many actions apart."""
ACTIONS = 120
PYODIDE = Path(__file__).with_name("pyodide.mjs")

Case = tuple[rules.Position, int, list[Json]]


def positions_of_table(table: Json, wanted: int) -> Iterator[Case]:
    """Yield positions of random games with a seat that has a choice there and the events it has seen."""
    found = 0
    game = 0
    while found < wanted:
        for count, (position, histories) in enumerate(play_randomly(table, f"equal|{game}", ACTIONS)):
            if found == wanted or position.winner is not None:
                break
            seat = rules.seats_to_act(position)[0]
            if count % EVERY == game % EVERY and len(rules.legal(position, seat)) > 1:
                found += 1
                yield position, seat, histories[seat]
        game += 1


def answer(decider: str, case: Case, number: int) -> list[int] | Json:
    """Return the chances of all seats by the evaluation, or the action that a level chooses."""
    position, seat, history = case
    if decider == "evaluation":
        return Evaluator(position.ruleset, seat).chances(position)
    return choose_action(position, seat, history, decider, NODES[decider], f"equal|{number}")


def compare(positions: int, positions_of_legend: int) -> None:
    """Print one line for each decider: positions, digest of its decisions, CPU seconds."""
    print(f"{platform.python_implementation()} {platform.python_version()} {sys.platform}", flush=True)
    for decider in ("evaluation", *NODES):
        wanted = positions_of_legend if decider == "legend" else positions
        shares = [wanted // len(TABLES) + (i < wanted % len(TABLES)) for i in range(len(TABLES))]
        digest = sha256()
        count = 0
        spent = 0.0
        for table, share in zip(TABLES, shares, strict=True):
            for case in positions_of_table(table, share):
                began = process_time()
                digest.update(repr(answer(decider, case, count)).encode())
                spent += process_time() - began
                count += 1
        print(f"{decider:10} {count:5} {digest.hexdigest()[:16]} {spent:8.1f} s", flush=True)


def run_in_pyodide(folder: Path, arguments: list[str]) -> int:
    """Run this program on Pyodide, installed by npm in `folder`; return the exit code."""
    from tools.node import node, npm  # not needed on the Pythons that are compared

    folder.mkdir(parents=True, exist_ok=True)
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    if not (folder / "node_modules" / "pyodide").is_dir():
        subprocess.run(npm("install", "--prefix", os.fspath(folder), *quiet, "pyodide"), check=True)
    return subprocess.run([node(), os.fspath(PYODIDE), os.fspath(folder.resolve()), *arguments]).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--positions", type=int, default=1_000)
    parser.add_argument("--legend", type=int, default=100, help="positions that the legend decides")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    if chosen.pyodide:
        counts = ["--positions", str(chosen.positions), "--legend", str(chosen.legend)]
        return run_in_pyodide(chosen.pyodide, counts)
    compare(chosen.positions, chosen.legend)
    return 0


if __name__ == "__main__":
    sys.exit(main())
