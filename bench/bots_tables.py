"""Result tables: win rates with intervals, and Elo by maximum likelihood."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import exp, log, log10, sqrt
from statistics import median

from bench.bots_match import NODES, Played, nodes_of, plain

__all__ = ["duels", "elo", "elo_table", "first_places", "share_row", "spent_table", "wilson"]

Duels = Mapping[tuple[str, str], Sequence[float]]


def wilson(wins: float, games: float) -> tuple[float, float]:
    """Return a 95 % interval for a win rate."""
    if not games:
        return 0.0, 1.0
    z = 1.96
    share = wins / games
    centre = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return centre - half, centre + half


def duels(games: Sequence[Played]) -> dict[tuple[str, str], list[float]]:
    """Return (first, second) → wins of the first and games, by places.

    With more than two seats, two levels may meet several times in a game. These duels depend on each other, so together
    they count as one game.
    """
    table: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for game in games:
        seats = Counter(game.levels)
        for one, first in enumerate(game.levels):
            for two, second in enumerate(game.levels):
                if first != second:
                    share = 1 / (seats[first] * seats[second])
                    entry = table[first, second]
                    entry[1] += share
                    better, worse = game.places[one], game.places[two]
                    entry[0] += share if better < worse else share / 2 if better == worse else 0.0
    return dict(table)


def elo(table: Duels) -> list[tuple[str, float, float]]:
    """Return (level, Elo, half of its 95 % interval), best first; half a win and a loss per pair keep it finite."""
    names = sorted({name for pair in table for name in pair})
    scores = {pair: (wins + 0.5, games + 1) for pair, (wins, games) in table.items()}
    powers = dict.fromkeys(names, 1.0)
    for _ in range(2_000):
        for name in names:
            won = sum(wins for (a, _), (wins, _) in scores.items() if a == name)
            met = sum(
                games / (powers[name] + powers[b]) for (a, b), (_, games) in scores.items() if a == name
            )
            powers[name] = won / met if met else 1.0
        middle = sum(log(power) for power in powers.values()) / len(names)
        powers = {name: power / exp(middle) for name, power in powers.items()}
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


def first_places(games: Sequence[Played], upper: str, lower: str) -> tuple[int, int]:
    """Return in how many games of one `upper` against only `lower` it came first, and the number of games."""
    found = [game for game in games if game.levels.count(upper) == 1 and set(game.levels) == {upper, lower}]
    return sum(game.places[game.levels.index(upper)] == 1 for game in found), len(found)


def share_row(table: str, upper: str, lower: str, games: Sequence[Played], aim: float | None) -> str | None:
    wins, met = first_places(games, upper, lower)
    if not met:
        return None
    low, high = wilson(wins, met)
    said = ""
    if aim is not None:
        short = 100 * (aim - wins / met)
        said = f"{aim:.0%}: " + ("met" if short <= 0 else f"{short:.0f} points short")
    return f"| {table} | {upper} | {lower} | {wins:g} | {met:g} | {wins / met:.0%} | {low:.0%} – {high:.0%} | {said} |"


def _rank(level: str) -> tuple[int, str]:
    return list(NODES).index(plain(level)), level


def elo_table(columns: Mapping[str, Duels]) -> list[str]:
    """Return one row per level and one column per table."""
    rated = {
        name: {level: (value, half) for level, value, half in elo(table)} for name, table in columns.items()
    }
    levels = sorted({level for column in rated.values() for level in column}, key=_rank)
    lines = ["| Elo | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for level in reversed(levels):
        cells = [rated[name].get(level) for name in columns]
        shown = ["" if cell is None else f"{cell[0]:+.0f} ± {cell[1]:.0f}" for cell in cells]
        lines.append(f"| {level} | " + " | ".join(shown) + " |")
    return lines


def spent_table(games: Sequence[Played]) -> list[str]:
    """Return CPU per decision by level: least, median and most of the games' medians, and the mean."""
    spent: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    medians: dict[str, list[float]] = defaultdict(list)
    for game in games:
        for seat, level in enumerate(game.levels):
            spent[level][0] += game.seconds[seat]
            spent[level][1] += game.decisions[seat]
            medians[level].append(game.medians[seat])
    lines = [
        "| level | node budget | CPU ms a decision: least, median, most game | mean |",
        "|---|---|---|---|",
    ]
    for level in sorted(spent, key=_rank):
        total, count = spent[level]
        nodes = nodes_of(level)
        of_games = medians[level]
        lines.append(
            f"| {level} | {f'{nodes:,}' if nodes else 'its own end'} "
            f"| {min(of_games):.1f} / {median(of_games):.1f} / {max(of_games):.1f} "
            f"| {1000 * total / max(1, count):.1f} |"
        )
    return lines
