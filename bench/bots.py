"""How strong the bots are: round robins with seats rotated, fixed seeds and node budgets.

    python -m bench.bots                      the full form: within an hour on two idle cores
    python -m bench.bots --short              a few minutes, wide intervals
    python -m bench.bots --keep games.jsonl   notes each game; started again it goes on where it stopped
    python -m bench.bots --only tortuga-2 --pairs legend:captain --games 40
    python -m bench.bots --keep games.jsonl --report    only the tables of what has been played

Every deal is played from every seat. Prints the wins with a 95 % interval (Wilson) against the aims, and Elo
(Bradley–Terry, maximum likelihood, 95 % intervals from the curvature). A kept game counts only for the very
bots and rules that played it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from multiprocessing import Pool
from pathlib import Path
from time import monotonic
from typing import Any

from app.bots.levels import LEVELS
from bench.bots_match import NODES, Played, Setting, play
from bench.bots_tables import duels, elo_table, share_row, spent_table

ROOT = Path(__file__).resolve().parents[1]
LADDER = [(upper, lower) for lower, upper in pairwise(LEVELS)]
FOUR = ("sailor", "mate", "captain", "legend")

TABLES: dict[str, dict[str, Any]] = {
    "tortuga-2": {"preset": "tortuga", "players": 2},
    "jamaica-2": {"preset": "jamaica", "players": 2},
    "complete-morgan": {"preset": "complete", "players": 2, "card_gain": "both"},
    "tortuga-4": {"preset": "tortuga", "players": 4},
    "jamaica-4": {"preset": "jamaica", "players": 4},
}
AIMS = {"tortuga-2": 0.75, "jamaica-2": 0.70}
YARDSTICK_AIM = 0.80

FULL = {"ladder": 100, "yardstick": 40, "complete": 60, "four": 40}
SHORT = {"ladder": 12, "yardstick": 6, "complete": 6, "four": 4}
ROUND = 12
"""Games of each pair before the next round of all: whenever a run is broken off, every pair has its share."""


def pairs_of(table: str) -> list[tuple[str, str]]:
    if TABLES[table]["players"] == 4:
        return [(upper, lower) for lower, upper in pairwise(FOUR)]
    return [*LADDER, ("legend", "yardstick")] if table in AIMS else LADDER


def two_seats(table: str, upper: str, lower: str, games: int) -> list[Setting]:
    options = tuple(TABLES[table].items())
    return [
        Setting(table, options, (upper, lower) if n % 2 == 0 else (lower, upper), n // 2)
        for n in range(games)
    ]


def four_seats(table: str, games: int) -> list[Setting]:
    """All four levels at one table, every rotation of the seats with every deal."""
    options = tuple(TABLES[table].items())
    return [Setting(table, options, FOUR[n % 4 :] + FOUR[: n % 4], n // 4) for n in range(games)]


def settings_of(
    table: str, amount: dict[str, int], chosen: Sequence[tuple[str, str]] | None, games: int | None
) -> list[list[Setting]]:
    """A list for each pair (one in all at tables of four)."""
    if TABLES[table]["players"] == 4:
        return [four_seats(table, games or amount["four"])]
    series = []
    for upper, lower in chosen or pairs_of(table):
        kind = "yardstick" if lower == "yardstick" else "ladder" if table in AIMS else "complete"
        series.append(two_seats(table, upper, lower, games or amount[kind]))
    return series


def in_rounds(series: Iterable[Sequence[Setting]]) -> list[Setting]:
    """All games, a round of each series after the other."""
    return [
        setting
        for _, setting in sorted(
            ((n // ROUND, setting) for settings in series for n, setting in enumerate(settings)),
            key=lambda pair: pair[0],
        )
    ]


def players_print(legend_nodes: int | None = None) -> str:
    """A fingerprint of everything a game depends on: bots, rules, budgets."""
    digest = sha256(json.dumps([NODES, legend_nodes]).encode())
    for folder in ("app/bots", "app/rules"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            if file.name not in ("pool.py", "worker.py", "review.py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """The games played so far, one line each."""

    def __init__(self, path: Path | None, players: str) -> None:
        self.path = path
        self.players = players
        self.games: dict[tuple[str, tuple[str, ...], int], Played] = {}
        for line in path.read_text().splitlines() if path is not None and path.exists() else ():
            row = json.loads(line)
            if row.pop("players") == players:
                game = Played.from_json(row)
                self.games[game.table, game.levels, game.number] = game

    def add(self, game: Played) -> None:
        self.games[game.table, game.levels, game.number] = game
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps({"players": self.players, **game.as_json()}) + "\n")


def report(games: Sequence[Played], chosen: Sequence[tuple[str, str]] | None) -> None:
    by_table = {name: [game for game in games if game.table == name] for name in TABLES}
    by_table = {name: found for name, found in by_table.items() if found}
    counted = {name: duels(found) for name, found in by_table.items()}
    print(
        "\n| table | level | against | won | games | share | 95 % interval | aim |\n|---|---|---|---|---|---|---|---|"
    )
    for name in by_table:
        for upper, lower in chosen if chosen and TABLES[name]["players"] == 2 else pairs_of(name):
            aim = (
                YARDSTICK_AIM
                if lower == "yardstick"
                else AIMS.get(name)
                if (upper, lower) in LADDER
                else None
            )
            row = share_row(name, upper, lower, counted[name], aim)
            if row is not None:
                print(row)
    print()
    print("\n".join(elo_table(counted)))
    print("\n| table | games | actions a game | not finished |\n|---|---|---|---|")
    for name, found in by_table.items():
        actions = sum(game.actions for game in found) / len(found)
        print(f"| {name} | {len(found)} | {actions:.0f} | {sum(game.winner is None for game in found)} |")
    print()
    print("\n".join(spent_table(games)))
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--pairs", nargs="*", help="upper:lower, for tables of two")
    parser.add_argument("--games", type=int, help="games of each pair")
    parser.add_argument("--legend-nodes", type=int, help="another budget: what is more thinking worth?")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file for the games played; a later run goes on from it")
    parser.add_argument("--report", action="store_true", help="play nothing, print what was kept")
    asked = parser.parse_args()
    chosen = [(a, b) for a, b in (pair.split(":") for pair in asked.pairs)] if asked.pairs else None
    amount = SHORT if asked.short else FULL
    series = [
        settings for table in asked.only for settings in settings_of(table, amount, chosen, asked.games)
    ]
    wanted = [replace(setting, legend_nodes=asked.legend_nodes) for setting in in_rounds(series)]
    kept = Kept(asked.keep, players_print(asked.legend_nodes))
    missing = [s for s in wanted if (s.table, s.levels, s.number) not in kept.games]
    began = monotonic()
    if not asked.report:
        with Pool(asked.processes) as pool:
            for number, game in enumerate(pool.imap_unordered(play, missing, chunksize=1), 1):
                kept.add(game)
                if number % 20 == 0:
                    spent = monotonic() - began
                    print(f"# {number} of {len(missing)} games, {spent:.0f} s", file=sys.stderr, flush=True)
    keys = {(s.table, s.levels, s.number) for s in wanted}
    games = [game for key, game in kept.games.items() if key in keys]
    report(games, chosen)
    busy = sum(sum(game.seconds) for game in games)
    print(
        f"\n{len(games)} games of {len(wanted)}; {busy / 60:.0f} minutes of CPU in all; bots {kept.players}"
    )
    if not asked.report:
        print(
            f"this run: {len(missing)} games in {monotonic() - began:.0f} s with {asked.processes} processes"
        )


if __name__ == "__main__":
    main()
