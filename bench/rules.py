"""Speed of the rules: random play beside python-chess, whole turns, and the engine's pipe.

    python bench/rules.py [--rounds N] [--seconds S]

Rounds are interleaved and every figure is the median of rounds; the ratio is the median of the rounds' own
ratios, because this machine's speed swings from second to second.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import chess

from app import rules
from app.rules.core.engine import apply_in_place, legal, new_game
from bench.turn_ends import turn_ends

TABLES = (("jamaica", 2), ("jamaica", 4), ("tortuga", 2), ("tortuga", 4))


def seed_of(rng: random.Random) -> str:
    return f"{rng.getrandbits(256):064x}"


def chess_moves(seconds: float, rng: random.Random) -> float:
    """Play random games with a full legal list at every move."""
    moves, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        board = chess.Board()
        for _ in range(200):
            listed = list(board.legal_moves)
            if not listed:
                break
            board.push(listed[int(rng.random() * len(listed))])
            moves += 1
    return moves / (time.perf_counter() - began)


def search_moves(preset: str, players: int) -> Callable[[float, random.Random], float]:
    """Measure the path of a search: legal list, then `apply_in_place` without events."""
    options = rules.parse_options({"preset": preset, "players": players})

    def run(seconds: float, rng: random.Random) -> float:
        moves, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            position = new_game(options, seed_of(rng))
            while position.winner is None:
                listed = legal(position, position.turn_seat)
                apply_in_place(position, position.turn_seat, listed[int(rng.random() * len(listed))])
                moves += 1
        return moves / (time.perf_counter() - began)

    return run


def room_moves(preset: str, players: int) -> Callable[[float, random.Random], float]:
    """Measure the path of a room: legal list, checked `apply` on a copy, events."""
    options = rules.parse_options({"preset": preset, "players": players})

    def run(seconds: float, rng: random.Random) -> float:
        moves, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            position = new_game(options, seed_of(rng))
            while position.winner is None:
                listed = legal(position, position.turn_seat)
                position, _ = rules.apply(
                    position, position.turn_seat, listed[int(rng.random() * len(listed))]
                )
                moves += 1
        return moves / (time.perf_counter() - began)

    return run


def race(rounds: int, seconds: float) -> None:
    rng = random.Random(20001116)
    peers: dict[str, Callable[[float, random.Random], float]] = {"python-chess": chess_moves}
    for preset, players in TABLES:
        peers[f"{preset}, {players} seats, search"] = search_moves(preset, players)
    for preset, players in TABLES:
        peers[f"{preset}, {players} seats, with events"] = room_moves(preset, players)
    figures: dict[str, list[float]] = {name: [] for name in peers}
    ratios: dict[str, list[float]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, run in peers.items():
            # Chess is measured beside every row, so that both are measured under the same conditions.
            beside = chess_moves(seconds / 2, rng)
            figure = run(seconds, rng)
            beside = (beside + chess_moves(seconds / 2, rng)) / 2
            figures[name].append(figure)
            ratios[name].append(figure / beside)
    print("| random play, one core | moves/s | ÷ python-chess |\n|---|---|---|")
    for name in peers:
        print(f"| {name} | {statistics.median(figures[name]):,.0f} | {statistics.median(ratios[name]):.1f} |")


def whole_turns(games: int) -> None:
    print("\n| whole turns | ends, median | ends, most | ms, median | ms, 95 % | ms, most |")
    print("|---|---|---|---|---|---|")
    for preset, players in TABLES:
        rng = random.Random(7)
        options = rules.parse_options({"preset": preset, "players": players})
        counts, times = [], []
        for _ in range(games):
            position = new_game(options, seed_of(rng))
            while position.winner is None:
                if position.actions_taken == 0 and rng.random() < 0.1:
                    began = time.perf_counter()
                    counts.append(len(turn_ends(position)))
                    times.append((time.perf_counter() - began) * 1000)
                listed = legal(position, position.turn_seat)
                apply_in_place(position, position.turn_seat, listed[int(rng.random() * len(listed))])
        times.sort()
        print(
            f"| {preset}, {players} seats | {statistics.median(counts):.0f} | {max(counts)} "
            f"| {statistics.median(times):.1f} | {times[len(times) * 95 // 100]:.1f} | {times[-1]:.1f} |"
        )


def pipe(requests: int) -> None:
    position = rules.position_to_json(
        rules.new_game(rules.parse_options({"preset": "tortuga", "players": 4}), "ab" * 32)
    )
    lines = {
        "legal": {"do": "legal", "position": position},
        "apply": {
            "do": "apply",
            "position": position,
            "seat": position["turn"]["seat"],
            "action": {
                "type": "advance",
                "card": position["players"][position["turn"]["seat"]]["hand"][0],
                "from": "start",
            },
        },
        "view": {"do": "view", "position": position, "seat": 0},
    }
    print("\n| `cartagena engine` through a pipe | requests/s, one at a time |\n|---|---|")
    with subprocess.Popen(
        [sys.executable, "-m", "app.cli", "engine"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as engine:
        assert engine.stdin
        assert engine.stdout
        for name, request in lines.items():
            line = json.dumps(request).encode() + b"\n"
            began = time.perf_counter()
            for _ in range(requests):
                engine.stdin.write(line)
                engine.stdin.flush()
                engine.stdout.readline()
            print(f"| {name} | {requests / (time.perf_counter() - began):,.0f} |")
        engine.stdin.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    arguments = parser.parse_args()
    race(arguments.rounds, arguments.seconds)
    whole_turns(12)
    pipe(3000)


if __name__ == "__main__":
    main()
