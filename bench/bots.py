"""Strength of the bots: each level against the one below, with rotated seats, fixed seeds and node budgets.

    python -m bench.bots                      every neighbouring pair at 2 to 5 seats: hours of CPU
    python -m bench.bots --short              a few minutes, wide intervals
    python -m bench.bots --keep games.jsonl   notes each game; started again it goes on where it stopped
    python -m bench.bots --only tortuga-4 --pairs legend:captain --games 40
    python -m bench.bots --old 2e7fb21 --only tortuga-2 tortuga-4     our legend against that of an older commit
    python -m bench.bots --keep games.jsonl --report    only the tables of what has been played

At two seats every deal is played from both; with more seats one bot of the upper level meets a table of the lower
one, from every seat. A level may be written `legend*` (it is shown all hands), `legend#8000` (another node budget)
or `legend@2e7fb21` (the bot of an older commit, in a process of its own). Prints first places with a 95 % interval
(Wilson), Elo (Bradley–Terry, maximum likelihood) and the CPU of a decision. A kept game counts only for the very
bots and rules that played it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
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

TABLES: dict[str, dict[str, Any]] = {
    **{f"tortuga-{seats}": {"preset": "tortuga", "players": seats} for seats in range(2, 6)},
    **{f"jamaica-{seats}": {"preset": "jamaica", "players": seats} for seats in range(2, 6)},
    "complete-morgan": {"preset": "complete", "players": 2, "card_gain": "both"},
}
AIMS = {2: 0.70, 4: 0.40}
"""First places of a level against the one below, by the number of seats."""
OLD_AIMS = {2: 0.80, 4: 0.45}

FULL = {"below": 400, "legend": 120}
SHORT = {"below": 20, "legend": 8}
ROUND = 12
"""Games of each pair per round, so that an interrupted run has played all pairs about equally."""

Pair = tuple[str, str]


def settings_of(table: str, upper: str, lower: str, games: int) -> list[Setting]:
    """Return games of one upper against lower levels, from every seat with every deal."""
    options = tuple(TABLES[table].items())
    seats = TABLES[table]["players"]
    return [
        Setting(
            table, options, tuple(upper if seat == n % seats else lower for seat in range(seats)), n // seats
        )
        for n in range(games)
    ]


def in_rounds(series: Iterable[Sequence[Setting]]) -> list[Setting]:
    """Return all games, one round of each series after the other."""
    return [
        setting
        for _, setting in sorted(
            ((n // ROUND, setting) for settings in series for n, setting in enumerate(settings)),
            key=lambda pair: pair[0],
        )
    ]


def players_print() -> str:
    """Return a fingerprint of everything a game depends on: bots, weights, rules, budgets."""
    digest = sha256(json.dumps(NODES).encode())
    for folder in ("app/bots", "app/rules"):
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".py", ".json") and file.name not in ("pool.py", "worker.py", "review.py"):
                digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """Return the games played so far, one per line of the file."""

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


def report(games: Sequence[Played], pairs: Sequence[Pair]) -> None:
    by_table = {name: [game for game in games if game.table == name] for name in TABLES}
    by_table = {name: found for name, found in by_table.items() if found}
    print("\n| table | one | against | first | games | share | 95 % interval | aim |\n" + "|---" * 8 + "|")
    for name, found in by_table.items():
        for upper, lower in pairs:
            aims = OLD_AIMS if "@" in lower else AIMS if (upper, lower) in LADDER else {}
            row = share_row(name, upper, lower, found, aims.get(TABLES[name]["players"]))
            if row is not None:
                print(row)
    print()
    print("\n".join(elo_table({name: duels(found) for name, found in by_table.items()})))
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
    parser.add_argument("--pairs", nargs="*", help="upper:lower")
    parser.add_argument("--old", metavar="COMMIT", help="our legend against the legend of this commit")
    parser.add_argument("--games", type=int, help="games of each pair")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--keep", type=Path, help="a file for the games played; a later run goes on from it")
    parser.add_argument("--report", action="store_true", help="play nothing, print what was kept")
    arguments = parser.parse_args()
    pairs: list[Pair] = LADDER
    if arguments.pairs:
        pairs = [(upper, lower) for upper, lower in (pair.split(":") for pair in arguments.pairs)]
    elif arguments.old:
        pairs = [("legend", f"legend@{arguments.old}")]
    amount = SHORT if arguments.short else FULL
    series = [
        settings_of(
            table, *pair, arguments.games or amount["legend" if pair[0].startswith("legend") else "below"]
        )
        for table in arguments.only
        for pair in pairs
    ]
    wanted = in_rounds(series)
    kept = Kept(arguments.keep, players_print())
    missing = [s for s in wanted if (s.table, s.levels, s.number) not in kept.games]
    began = monotonic()
    if not arguments.report:
        with Pool(arguments.processes) as pool:
            for number, game in enumerate(pool.imap_unordered(play, missing, chunksize=1), 1):
                kept.add(game)
                if number % 20 == 0:
                    spent = monotonic() - began
                    print(f"# {number} of {len(missing)} games, {spent:.0f} s", file=sys.stderr, flush=True)
    keys = {(s.table, s.levels, s.number) for s in wanted}
    games = [game for key, game in kept.games.items() if key in keys]
    report(games, pairs)
    busy = sum(sum(game.seconds) for game in games)
    print(
        f"\n{len(games)} games of {len(wanted)}; {busy / 60:.0f} minutes of CPU in all; bots {kept.players}"
    )


if __name__ == "__main__":
    main()
