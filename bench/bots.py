"""How strong the bots are: round robins with seats rotated, fixed seeds and node budgets.

    python -m bench.bots            the full form, within an hour on two idle cores
    python -m bench.bots --short    a few minutes, wide intervals
    python -m bench.bots --only tortuga-2 --pairs legend:captain --games 40

Every pair plays each deal twice, once from either seat. Prints the wins with a 95 % interval (Wilson) and
an Elo table (Bradley–Terry, maximum likelihood, 95 % intervals from the curvature).
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log, log10, sqrt
from multiprocessing import Pool
from time import monotonic
from typing import Any

from app.bots.levels import LEVELS
from bench.bots_match import NODES, Played, Setting, play

LADDER = [(upper, lower) for lower, upper in pairwise(LEVELS)]

TABLES: dict[str, dict[str, Any]] = {
    "tortuga-2": {"preset": "tortuga", "players": 2},
    "jamaica-2": {"preset": "jamaica", "players": 2},
    "tortuga-4": {"preset": "tortuga", "players": 4},
    "jamaica-4": {"preset": "jamaica", "players": 4},
    "complete-morgan": {"preset": "complete", "players": 2, "card_gain": "both"},
}
FOUR = ("sailor", "mate", "captain", "legend")

FULL = {"ladder": 100, "yardstick": 60, "four": 24, "complete": 40}
SHORT = {"ladder": 12, "yardstick": 12, "four": 4, "complete": 6}


def two_seats(table: str, pairs: Iterable[tuple[str, str]], games: int) -> list[Setting]:
    options = tuple(TABLES[table].items())
    settings = []
    for upper, lower in pairs:
        for n in range(games):
            levels = (upper, lower) if n % 2 == 0 else (lower, upper)
            settings.append(Setting(options, levels, n // 2))
    return settings


def four_seats(table: str, games: int) -> list[Setting]:
    """All four levels at one table, every rotation of the seats with every deal."""
    options = tuple(TABLES[table].items())
    return [Setting(options, FOUR[n % 4 :] + FOUR[: n % 4], n // 4) for n in range(games)]


def wilson(wins: float, games: int) -> tuple[float, float]:
    """A 95 % interval for a share of wins."""
    if not games:
        return 0.0, 1.0
    z = 1.96
    share = wins / games
    centre = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return centre - half, centre + half


def duels(games: Sequence[Played]) -> dict[tuple[str, str], list[float]]:
    """(first, second) → wins of the first and games, for every two seats of every game, by their places."""
    table: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for game in games:
        levels = game.setting.levels
        for one, first in enumerate(levels):
            for two, second in enumerate(levels):
                if one != two and first != second:
                    entry = table[first, second]
                    entry[1] += 1
                    better, worse = game.places[one], game.places[two]
                    entry[0] += 1.0 if better < worse else 0.5 if better == worse else 0.0
    return table


def elo(table: dict[tuple[str, str], list[float]]) -> list[tuple[str, float, float]]:
    """(level, Elo, half of its 95 % interval), best first. One drawn game against each keeps it finite."""
    names = sorted({name for pair in table for name in pair})
    scores = {(a, b): (table[a, b][0] + 0.5, table[a, b][1] + 1) for a, b in table}
    powers = dict.fromkeys(names, 1.0)
    for _ in range(2_000):
        for name in names:
            won = sum(wins for (a, _), (wins, _) in scores.items() if a == name)
            met = sum(
                games / (powers[name] + powers[b]) for (a, b), (_, games) in scores.items() if a == name
            )
            powers[name] = won / met if met else 1.0
        middle = sum(log(p) for p in powers.values()) / len(names)
        powers = {name: p / 2.718281828459045**middle for name, p in powers.items()}
    rows = []
    for name in names:
        information = 0.0
        for (a, b), (_, games) in scores.items():
            if a == name:
                share = powers[a] / (powers[a] + powers[b])
                information += games * share * (1 - share)
        half = 1.96 * 400 / log(10) / sqrt(information) if information else float("inf")
        rows.append((name, 400 * log10(powers[name]), half))
    return sorted(rows, key=lambda row: -row[1])


def report(table: str, games: Sequence[Played], pairs: Sequence[tuple[str, str]]) -> None:
    counted = duels(games)
    unfinished = sum(game.winner is None for game in games)
    actions = sum(game.actions for game in games) / max(1, len(games))
    print(f"\n### {table}: {len(games)} games, {actions:.0f} actions a game, {unfinished} not finished\n")
    print("| level | against | won | games | share | 95 % interval |\n|---|---|---|---|---|---|")
    for upper, lower in pairs:
        wins, met = counted.get((upper, lower), [0.0, 0.0])
        if met:
            low, high = wilson(wins, int(met))
            print(f"| {upper} | {lower} | {wins:g} | {met:g} | {wins / met:.0%} | {low:.0%} – {high:.0%} |")
    print("\n| level | Elo | ± |\n|---|---|---|")
    for name, rating, half in elo(counted):
        print(f"| {name} | {rating:+.0f} | {half:.0f} |")
    sys.stdout.flush()


def seconds_of(games: Sequence[Played]) -> None:
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for game in games:
        for level, seconds in zip(game.setting.levels, game.seconds, strict=True):
            spent[level][0] += seconds
            spent[level][1] += game.actions / len(game.setting.levels)
    print("\n| level | node budget | milliseconds a decision |\n|---|---|---|")
    for level, (seconds, decisions) in spent.items():
        print(f"| {level} | {NODES[level] or 'its own end'} | {1000 * seconds / max(1, decisions):.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--pairs", nargs="*", help="upper:lower, for tables of two")
    parser.add_argument("--games", type=int, help="games of each pair")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    amount = SHORT if asked.short else FULL
    chosen = [(a, b) for a, b in (pair.split(":") for pair in asked.pairs)] if asked.pairs else None
    began = monotonic()
    everything: list[Played] = []
    with Pool(asked.processes) as pool:
        for table in asked.only:
            if TABLES[table]["players"] == 4:
                pairs = [(upper, lower) for lower, upper in pairwise(FOUR)]
                settings = four_seats(table, asked.games or amount["four"])
            elif chosen:
                pairs = chosen
                settings = two_seats(table, pairs, asked.games or amount["ladder"])
            elif table == "complete-morgan":
                pairs = LADDER
                settings = two_seats(table, pairs, asked.games or amount["complete"])
            else:
                pairs = [*LADDER, ("legend", "yardstick")]
                settings = two_seats(table, LADDER, asked.games or amount["ladder"])
                settings += two_seats(table, pairs[-1:], asked.games or amount["yardstick"])
            games = list(pool.imap_unordered(play, settings, chunksize=1))
            report(table, games, pairs)
            everything += games
    seconds_of(everything)
    print(f"\n{len(everything)} games in {monotonic() - began:.0f} s with {asked.processes} processes")


if __name__ == "__main__":
    main()
