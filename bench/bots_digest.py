"""Digest of the bots' decisions, to compare Python versions and platforms: equal digests mean equal decisions.

    python -m bench.bots_digest --positions 1000

Plays random games at eight tables and hashes the evaluation and the action of every level in some of their positions.
It needs the standard library only, so it also runs in Pyodide; bench/README.md has the commands.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

from app import rules
from app.bots.budget import Budget
from app.bots.choosing import choose
from app.bots.evaluation import Evaluator
from app.bots.levels import LEVELS

__all__ = ["digest_decisions"]

NODES = {"captain": 2_000, "legend": 1_500}
TABLES: tuple[dict[str, Any], ...] = (
    {"preset": "tortuga", "players": 2},
    {"preset": "jamaica", "players": 2},
    {"preset": "tortuga", "players": 4},
    {"preset": "jamaica", "players": 5},
    {"preset": "complete", "players": 3, "card_gain": "both"},
    {"preset": "dungeon", "players": 3, "black_magic": True, "scoundrels": True},
    {"preset": "first-escape", "players": 2},
    {"preset": "jamaica", "players": 2, "card_gain": "morgan"},
)
MAX_ACTIONS = 150
"""Actions of a random game."""
EVERY = 7
"""Positions of a game are this many actions apart."""

Json = dict[str, Any]


def digest_decisions(positions: int) -> str:
    """Return the digest of the decisions in so many positions, from all tables in turn."""
    digest = sha256()
    tables = [_play_randomly(number) for number in range(len(TABLES))]
    for number in range(positions):
        position, history = next(tables[number % len(tables)])
        seat = rules.seats_to_act(position)[0]
        view = rules.view(position, seat)
        actions = [rules.action_to_json(action) for action in rules.legal(position, seat)]
        digest.update(repr(Evaluator(position.ruleset, seat).chances(position)).encode())
        for level in LEVELS:
            budget = Budget(nodes=NODES.get(level))
            chosen = choose(view, actions, history, level, budget, Random(number), seat=seat)
            digest.update(repr(chosen).encode())
    return digest.hexdigest()[:16]


def _play_randomly(table: int) -> Iterator[tuple[rules.Position, list[Json]]]:
    """Yield positions of random games, each with the events that the seat to act has seen."""
    options = rules.parse_options(TABLES[table])
    for game in count():
        rng = Random(f"{table}|{game}")
        position = rules.new_game(options, f"{rng.getrandbits(256):064x}")
        histories: list[list[Json]] = [[] for _ in range(options.players)]
        for number in range(MAX_ACTIONS):
            if position.winner is not None:
                break
            seat = rules.seats_to_act(position)[0]
            if number % EVERY == EVERY // 2:
                yield position, histories[seat]
            action = rng.choice(rules.legal(position, seat))
            if action.is_placeholder:
                action = rules.default_action(position, seat)
            position, events = rules.apply(position, seat, action)
            for other, history in enumerate(histories):
                history += rules.events_for(events, other, options)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--positions", type=int, default=1_000)
    positions = parser.parse_args().positions
    print(f"{sys.version.split()[0]} on {sys.platform}: {positions} positions, {digest_decisions(positions)}")


if __name__ == "__main__":
    main()
