"""Ratings: which model, how fast it finds the order, whether the mean drifts, and the bots' own ratings.

    python -m bench.ratings                 all simulations: minutes
    python -m bench.ratings model drift     some parts: model, spread, spearman, drift, bots, recorded
    python -m bench.ratings --short         a few seconds, to see that it works

Players have a strength, the natural logarithm of their weight in Plackett and Luce's model: of two, the one with
strength a finishes ahead of the one with strength b in 1 / (1 + exp(b - a)) of their games. bench/rating_database.py
measures rebuilds and long histories.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from math import exp, log, sqrt
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from openskill.models import (
    BradleyTerryFull,
    BradleyTerryPart,
    PlackettLuce,
    ThurstoneMostellerFull,
    ThurstoneMostellerPart,
)

from app.ratings import model as our_model
from app.ratings.bot_strengths import bot_strengths
from app.ratings.model import INITIAL, Value
from app.ratings.pools import POOLS, Pool

MODELS: tuple[Any, ...] = (
    PlackettLuce,
    BradleyTerryFull,
    BradleyTerryPart,
    ThurstoneMostellerFull,
    ThurstoneMostellerPart,
)
SPREAD = 1.0  # standard deviation of the players' strengths at duel-open
QUIT_SHARE = 0.05  # of the players of a game who give it up and tie for last
RECORDED = Path(__file__).with_name("rating_games.jsonl.gz")
POOL_OF_TABLE: dict[str, Pool] = {
    "tortuga-2": "duel-open", "jamaica-2": "duel-hidden", "tortuga-4": "group-open", "jamaica-4": "group-hidden",
}  # fmt: skip

Rate = Callable[[Sequence[Value], Sequence[int]], Sequence[Value]]


def rate_with(model: Any) -> Rate:
    """Return the update of a model of openskill with its own defaults."""

    def rate(values: Sequence[Value], ranks: Sequence[int]) -> list[Value]:
        teams = [[model.rating(mu=value.mu, sigma=value.sigma)] for value in values]
        return [
            Value(team[0].mu, team[0].sigma)
            for team in model.rate(teams, ranks=[float(rank) for rank in ranks])
        ]

    return rate


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the rank correlation of two sequences without ties."""
    count = len(one)

    def ranks(values: Sequence[float]) -> dict[int, int]:
        return {index: rank for rank, index in enumerate(sorted(range(count), key=values.__getitem__))}

    first, second = ranks(one), ranks(other)
    squares = sum((first[index] - second[index]) ** 2 for index in range(count))
    return 1 - 6 * squares / (count * (count * count - 1))


def draw_ranks(chance: Random, strengths: Sequence[float], quit_share: float) -> list[int]:
    """Return the ranks of a game; those who give up tie for last."""
    finishing = [strength - log(-log(chance.random())) for strength in strengths]
    keys = [-float("inf") if chance.random() < quit_share else value for value in finishing]
    return [1 + sum(other > own for other in keys) for own in keys]


class Simulation:
    """Players of known strength who play against random others."""

    def __init__(self, rate: Rate, *, players: int, spread: float, seed: int) -> None:
        self.chance = Random(seed)
        self.strengths = [self.chance.gauss(0, spread) for _ in range(players)]
        self.values = [INITIAL] * players
        self._rate = rate

    def play(self, seats: Sequence[int], quit_share: float = QUIT_SHARE) -> tuple[list[int], list[int]]:
        """Play one game; return who played and their ranks. `seats` are the possible numbers of players."""
        count = self.chance.choice(seats)
        people = self.chance.sample(range(len(self.values)), count)
        ranks = draw_ranks(self.chance, [self.strengths[person] for person in people], quit_share)
        after = self._rate([self.values[person] for person in people], ranks)
        for person, value in zip(people, after, strict=True):
            self.values[person] = value
        return people, ranks

    def correlation(self) -> float:
        return spearman(self.strengths, [value.mu for value in self.values])

    def drift(self) -> float:
        """Return how far the mean is from that of new players, as a share of it."""
        return sum(value.mu for value in self.values) / len(self.values) / INITIAL.mu - 1

    def error_by_sigma(self) -> float:
        """Return the root mean square error of μ, after the best linear scale, divided by the mean σ."""
        mus = [value.mu for value in self.values]
        mean, middle = sum(mus) / len(mus), sum(self.strengths) / len(mus)
        moved = [strength - middle for strength in self.strengths]
        slope = sum((mu - mean) * s for mu, s in zip(mus, moved, strict=True)) / sum(s * s for s in moved)
        squares = sum((mu - mean - slope * s) ** 2 for mu, s in zip(mus, moved, strict=True))
        return sqrt(squares / len(mus)) / (sum(value.sigma for value in self.values) / len(mus))


def games_until(simulation: Simulation, seats: Sequence[int], wanted: float, most: int) -> int | None:
    """Return the games per player until the correlation is reached; None if it is not within `most`."""
    players, played = len(simulation.values), 0
    for games in range(1, most + 1):
        while played < games * players:
            played += len(simulation.play(seats)[0])
        if simulation.correlation() >= wanted:
            return games
    return None


# -- parts -------------------------------------------------------------------------------------------


def compare_models(players: int, games: int) -> Iterator[str]:
    """Compare the models: order found, prediction of results, honesty of sigma."""
    yield "| seats | model | games until ρ ≥ 0.9 | ρ at the end | log loss of a pair | error ÷ σ | drift of the mean |"
    yield "|---|---|---|---|---|---|---|"
    for seats in ((2,), (4,), (5,)):
        for model in MODELS:
            made = model()
            until = games_until(
                Simulation(rate_with(made), players=players, spread=SPREAD, seed=1), seats, 0.9, games
            )
            simulation = Simulation(rate_with(made), players=players, spread=SPREAD, seed=2)
            figures = describe_play(simulation, seats, games, made.beta)
            yield f"| {seats[0]} | {model.__name__} | {until or f'more than {games}'} | {figures} |"


def compare_spreads(players: int, games: int) -> Iterator[str]:
    """Compare the models in groups of three to five, for players who differ less or more."""
    yield "| spread of strengths | model | ρ at the end | log loss of a pair | error ÷ σ | drift of the mean |"
    yield "|---|---|---|---|---|---|"
    for spread in (0.5, 1.0, 2.0, 3.0):
        for model in MODELS[:3]:
            made = model()
            simulation = Simulation(rate_with(made), players=players, spread=spread, seed=2)
            figures = describe_play(simulation, (3, 4, 5), games, made.beta)
            yield f"| {spread:g} | {model.__name__} | {figures} |"


def describe_play(simulation: Simulation, seats: Sequence[int], games: int, beta: float) -> str:
    """Play so many games a player and return the cells of a row; the last third of the games is predicted."""
    players, played = len(simulation.values), 0
    losses: list[float] = []
    while played < games * players:
        before = list(simulation.values)
        people, ranks = simulation.play(seats)
        played += len(people)
        if played > games * players * 2 / 3:
            losses += pair_losses([before[person] for person in people], ranks, beta)
    return (
        f"{simulation.correlation():.3f} | {sum(losses) / len(losses):.4f} | "
        f"{simulation.error_by_sigma():.2f} | {simulation.drift():+.2%}"
    )


def pair_losses(values: Sequence[Value], ranks: Sequence[int], beta: float) -> Iterator[float]:
    """Yield the logarithmic loss of predicting each pair that is not tied."""
    for one, first in enumerate(values):
        for other in range(one):
            if ranks[one] != ranks[other]:
                second = values[other]
                scale = sqrt(first.sigma**2 + second.sigma**2 + 2 * beta**2)
                expected = 1 / (1 + exp((second.mu - first.mu) / scale))
                yield -log(max(1e-9, expected if ranks[one] < ranks[other] else 1 - expected))


def spread_of(pool: Pool) -> float:
    """Return the spread of strengths in a pool: smaller where luck decides more, as the bots' strengths are."""

    def lead(of_pool: Pool) -> float:
        strengths = bot_strengths(of_pool)
        return strengths["captain"] - strengths["sailor"]

    return SPREAD * lead(pool) / lead("duel-open")


def seats_of(pool: Pool) -> tuple[int, ...]:
    return (2,) if pool.startswith("duel") else (3, 4, 5)


def measure_spearman(players: int, most: int) -> Iterator[str]:
    yield "| pool | spread of strengths | games a player until ρ ≥ 0.9, five seeds |"
    yield "|---|---|---|"
    for pool in POOLS:
        found = [
            games_until(
                Simulation(our_model.rate, players=players, spread=spread_of(pool), seed=seed),
                seats_of(pool),
                0.9,
                most,
            )
            for seed in range(5)
        ]
        shown = ", ".join(f"more than {most}" if games is None else str(games) for games in found)
        yield f"| {pool} | {spread_of(pool):.2f} | {shown} |"


def measure_drift(players: int, games: int) -> Iterator[str]:
    yield f"| pool | drift of the mean after {games:,} games, five seeds | goal |"
    yield "|---|---|---|"
    for pool in POOLS:
        drifts = []
        for seed in range(5):
            simulation = Simulation(our_model.rate, players=players, spread=spread_of(pool), seed=seed)
            for _ in range(games):
                simulation.play(seats_of(pool))
            drifts.append(simulation.drift())
        said = "met" if max(map(abs, drifts)) <= 0.01 else "missed"
        yield f"| {pool} | {', '.join(f'{drift:+.2%}' for drift in drifts)} | ≤ 1 %: {said} |"


class RecordedGame(NamedTuple):
    levels: list[str]
    places: list[int]


def read_recorded() -> dict[Pool, list[RecordedGame]]:
    """Return the recorded games between bots by pool."""
    found: dict[Pool, list[RecordedGame]] = {pool: [] for pool in POOLS}
    with gzip.open(RECORDED, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            found[POOL_OF_TABLE[row["table"]]].append(RecordedGame(row["levels"], row["places"]))
    return found


def rate_bots(games: int) -> Iterator[str]:
    """Rate the bots by games simulated from their known strengths, and by the recorded ones."""
    recorded = read_recorded()
    yield "| pool | level | known strength | rating from simulated games | from recorded games |"
    yield "|---|---|---|---|---|"
    for pool in POOLS:
        strengths = bot_strengths(pool)
        copies = [
            level for level in strengths for _ in range(5)
        ]  # five bots of each level, so that equals meet
        simulation = Simulation(our_model.rate, players=len(copies), spread=0, seed=1)
        simulation.strengths = [strengths[level] for level in copies]
        for _ in range(games):
            simulation.play(seats_of(pool), quit_share=0)
        by_level: dict[str, list[float]] = {}
        for level, value in zip(copies, simulation.values, strict=True):
            by_level.setdefault(level, []).append(value.mu)
        simulated = {level: sum(values) / len(values) for level, values in by_level.items()}
        from_record, _ = rate_recorded(recorded[pool], our_model.rate)
        for level, strength in strengths.items():
            own = from_record.get(level)
            shown = "" if own is None else f"{own.mu:.1f} ± {own.sigma:.1f}"
            yield f"| {pool} | {level} | {strength:.2f} | {simulated[level]:.1f} | {shown} |"
        order = spearman(list(strengths.values()), [simulated[level] for level in strengths])
        yield f"| {pool} | Spearman | | {order:.2f} | {len(recorded[pool])} games |"


def predict_bots() -> Iterator[str]:
    """Compare the models on the recorded games: how well each game is predicted from those before it."""
    recorded = read_recorded()
    yield "| model | " + " | ".join(POOLS) + " |"
    yield "|---" * (len(POOLS) + 1) + "|"
    for model in MODELS:
        found = [rate_recorded(recorded[pool], rate_with(model()))[1] for pool in POOLS]
        yield f"| {model.__name__} | " + " | ".join(f"{loss:.3f}" for loss in found) + " |"


def rate_recorded(games: Sequence[RecordedGame], rate: Rate) -> tuple[dict[str, Value], float]:
    """Return the levels' ratings, and the mean logarithmic loss of a pair.

    A level with several seats takes part once, with its best place. The games are shuffled, because they were played
    pair by pair.
    """
    values: dict[str, Value] = {}
    losses: list[float] = []
    for game in Random(1).sample(games, len(games)):
        best: dict[str, int] = {}
        for level, place in zip(game.levels, game.places, strict=True):
            best[level] = min(place, best.get(level, place))
        if len(best) > 1:
            levels, ranks = list(best), list(best.values())
            before = [values.get(level, INITIAL) for level in levels]
            losses += pair_losses(before, ranks, INITIAL.mu / 6)
            values |= dict(zip(levels, rate(before, ranks), strict=True))
    return values, sum(losses) / len(losses)


PARTS = ("model", "spread", "spearman", "drift", "bots", "recorded")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    players = 60 if arguments.short else 500
    parts: dict[str, Iterator[str]] = {
        "model": compare_models(players, 30 if arguments.short else 60),
        "spread": compare_spreads(players, 30 if arguments.short else 60),
        "spearman": measure_spearman(players, 30 if arguments.short else 150),
        "drift": measure_drift(players, 500 if arguments.short else 20_000),
        "bots": rate_bots(500 if arguments.short else 20_000),
        "recorded": predict_bots(),
    }
    for name in arguments.parts or PARTS:
        print(f"\n### {name}\n", flush=True)
        for line in parts[name]:
            print(line, flush=True)


if __name__ == "__main__":
    main()
