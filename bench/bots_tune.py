"""Tunes the weights of the bots' evaluation by self-play.

    python -m bench.bots_tune --games 400 --stages 3 --kind deck

In every game each seat plays its best own turn by weights drawn at random around the present ones. Who
won is then explained by the weights: a logistic regression on every weight and its square finds where
the chance to win is greatest; the next stage draws closer around that. The fit is Newton's method with a
penalty, in plain Python. At the end one scale turns strengths into chances (softmax) for the tuned play.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from math import exp, log
from multiprocessing import Pool

from app import rules
from app.bots.budget import Budget, Meter
from app.bots.evaluation import FEATURES, WEIGHTS, features
from app.bots.owed import settle_all
from app.bots.turn_search import plans

TABLES: dict[str, list[dict[str, object]]] = {
    "row": [{"preset": "tortuga", "players": 2}, {"preset": "hispaniola", "players": 2}],
    "deck": [{"preset": "jamaica", "players": 2}, {"preset": "dungeon", "players": 2}],
    "complete": [
        {"preset": "complete", "players": 2},
        {"preset": "complete", "players": 2, "card_gain": "both"},
    ],
}
SPREAD: dict[str, float] = {
    "home": 3.0, "at_start": 1.5, "hindmost": 0.4, "second_hindmost": 0.3, "cards": 3.0, "first_cards": 1.5,
    "many_cards": 2.0, "idle_cards": 3.0, "variety": 1.0, "reach": 0.25, "hindmost_reach": 0.25,
    "retreat": 0.3, "company": 0.6, "crossed": 3.0, "ready_to_cross": 2.0,
}  # fmt: skip
"""How far a weight is moved in the first stage. `spaces_left` is the measure: one space is one."""
WIDTH = 6
MOST_TURNS = 90

Weights = list[float]
Row = tuple[int, list[tuple[float, ...]]]


def play_game(task: tuple[dict[str, object], str, list[Weights]]) -> tuple[list[Weights], list[Row]]:
    """One game; the seats' weights and, for every turn, who won in the end and every seat's features."""
    given, number, weights = task
    rng = random.Random(number)
    position = rules.new_game(rules.parse_options(given), f"{rng.getrandbits(256):064x}")
    seen: list[list[tuple[float, ...]]] = []
    for _ in range(MOST_TURNS):
        seat = position.seat
        seen.append([features(position, other) for other in range(len(position.pirates))])
        found = plans(position.copy(), seat, weights[seat], WIDTH, Meter(Budget()))
        if not found:
            break
        for action in max(found, key=lambda plan: plan.value).actions:
            rules.play(position, seat, action)
            settle_all(position)
            if position.winner is not None:
                return weights, [(position.winner, row) for row in seen]
            if position.seat != seat:
                break
    return weights, []


def fit(rows: Sequence[Row], ridge: Sequence[float], rounds: int = 8) -> Weights:
    """The weights under which the winners were likeliest, by Newton's method with a step that never harms."""
    size = len(ridge)
    weights = [0.0] * size
    for _ in range(rounds):
        slope = [-r * w for r, w in zip(ridge, weights, strict=True)]
        curve = [[ridge[row] * (row == column) for column in range(size)] for row in range(size)]
        for winner, seats in rows:
            shares = softmax([dot(weights, seat) for seat in seats])
            mean = [sum(s * seat[n] for s, seat in zip(shares, seats, strict=True)) for n in range(size)]
            for n in range(size):
                slope[n] += seats[winner][n] - mean[n]
            for share, seat in zip(shares, seats, strict=True):
                apart = [seat[n] - mean[n] for n in range(size)]
                for n in range(size):
                    pull = share * apart[n]
                    if pull:
                        for m in range(size):
                            curve[n][m] += pull * apart[m]
        move = solve(curve, slope)
        length, now = 1.0, _cost(rows, weights, ridge)
        while length > 0.01:
            tried = [w + length * d for w, d in zip(weights, move, strict=True)]
            if _cost(rows, tried, ridge) < now:
                weights = tried
                break
            length /= 2
    return weights


def dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True))


def softmax(scores: Sequence[float]) -> list[float]:
    most = max(scores)
    powers = [exp(score - most) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def _cost(rows: Sequence[Row], weights: Sequence[float], ridge: Sequence[float]) -> float:
    lost = -sum(log(max(1e-12, softmax([dot(weights, s) for s in seats])[won])) for won, seats in rows)
    return lost + sum(r * w * w for r, w in zip(ridge, weights, strict=True)) / 2


def solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    """Gaussian elimination with pivots."""
    size = len(right)
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in range(column + 1, size):
            factor = rows[row][column] / rows[column][column]
            for n in range(column, size + 1):
                rows[row][n] -= factor * rows[column][n]
    solution = [0.0] * size
    for row in reversed(range(size)):
        known = sum(rows[row][n] * solution[n] for n in range(row + 1, size))
        solution[row] = (rows[row][size] - known) / rows[row][row]
    return solution


def better(centre: Weights, spread: Weights, played: Sequence[tuple[list[Weights], int]]) -> Weights:
    """Where the regression of wins on the weights and their squares has its top, at most one spread away."""
    moved = [n for n, width in enumerate(spread) if width]

    def terms(weights: Weights) -> tuple[float, ...]:
        offsets = [(weights[n] - centre[n]) / spread[n] for n in moved]
        return (*offsets, *(offset * offset for offset in offsets))

    rows: list[Row] = [(winner, [terms(w) for w in weights]) for weights, winner in played]
    found = fit(rows, [4.0] * (2 * len(moved)))
    new = list(centre)
    for index, n in enumerate(moved):
        slope, bend = found[index], found[index + len(moved)] - 0.3
        top = -slope / (2 * bend) if bend < 0 else (1.0 if slope > 0 else -1.0)
        new[n] += spread[n] * max(-1.0, min(1.0, top)) * 0.8
        print(f"#   {FEATURES[n]:16} slope {slope:7.3f} bend {bend + 0.3:7.3f} -> {new[n]:8.3f}", flush=True)
    return new


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400, help="games a stage")
    parser.add_argument("--stages", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kind", choices=list(TABLES), default="deck")
    parser.add_argument("--spread", type=float, default=1.0)
    asked = parser.parse_args()
    tables = TABLES[asked.kind]
    centre = list(WEIGHTS[asked.kind])
    scale = abs(centre[0])
    centre = [weight / scale for weight in centre]
    last: list[Row] = []
    with Pool(asked.processes) as pool:
        for stage in range(asked.stages):
            spread = [SPREAD.get(name, 0.0) * asked.spread * 0.7**stage for name in FEATURES]
            if asked.kind != "complete":
                spread[FEATURES.index("crossed")] = spread[FEATURES.index("ready_to_cross")] = 0.0
            tasks = []
            for n in range(asked.games):
                rng = random.Random(f"weights|{stage}|{n}")
                drawn = [
                    [c + s * rng.uniform(-1.5, 1.5) for c, s in zip(centre, spread, strict=True)]
                    for _ in (0, 1)
                ]
                tasks.append((tables[n % len(tables)], f"tune|{stage}|{n}", drawn))
            results = [r for r in pool.imap_unordered(play_game, tasks, chunksize=8) if r[1]]
            turns = sum(len(rows) for _, rows in results) / max(1, len(results))
            print(
                f"# {asked.kind} stage {stage}: {len(results)} of {asked.games} games ended, {turns:.1f} turns"
            )
            centre = better(centre, spread, [(weights, rows[0][0]) for weights, rows in results])
            last = [row for _, rows in results for row in rows]
    tempo = FEATURES.index("tempo")
    rows = [
        (won, [(dot(centre, s) - centre[tempo] * s[tempo], s[tempo]) for s in seats]) for won, seats in last
    ]
    scale, turn = fit([(won, list(seats)) for won, seats in rows], [0.01, 0.01])
    final = [weight * scale for weight in centre]
    final[tempo] = turn
    print(f'    "{asked.kind}": ({", ".join(f"{weight:.4f}" for weight in final)}),')


if __name__ == "__main__":
    main()
