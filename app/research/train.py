"""Train the weights of the evaluation by self-play.

    python -m app.research.train --seed 1                    all kinds of games, about an hour of CPU
    python -m app.research.train --seed 1 --kinds row deck   some of them
    python -m app.research.train --seed 1 --scale 0.01       a smoke test of all steps in a minute

Each stage plays games with the weights of the stage before it, and fits new weights to these games and those of the
stage before. The work folder stores games and weights of every stage, so that an interrupted run resumes there. The
same seed gives the same weights, whatever the number of processes. Needs `pip install .[train]`.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from app.bots.evaluation import FORMAT, KINDS, Weights
from app.bots.tables import SIZE
from app.research.fit import fit_weights, gather, log_loss, to_array, to_banks
from app.research.self_play import GameTask, RecordedGame, play_game
from app.research.start_weights import start_weights

__all__ = ["HELD_OUT", "train"]

_TARGET = Path(__file__).resolve().parents[1] / "bots" / "weights.json"
HELD_OUT = 10
"""Every tenth game is held out for measurement."""

Mix = tuple[tuple[int, dict[str, Any]], ...]
_MIXES: dict[str, Mix] = {
    "row": (
        (6, {"preset": "tortuga"}),
        (2, {"preset": "hispaniola"}),
        (2, {"preset": "first-escape"}),
    ),
    "deck": (
        (6, {"preset": "jamaica"}),
        (1, {"preset": "jamaica", "hands": "open"}),
        (2, {"preset": "dungeon"}),
        (1, {"preset": "jungle", "scoundrels": True}),
    ),
    "complete": (
        (3, {"preset": "complete"}),
        (3, {"preset": "complete", "card_gain": "both"}),
        (1, {"preset": "complete", "card_gain": "split"}),
        (1, {"preset": "complete", "card_gain": "morgan", "black_magic": True}),
    ),
    "magic": (
        (3, {"preset": "dungeon", "black_magic": True}),
        (1, {"preset": "jungle", "black_magic": True, "card_gain": "both"}),
    ),
    "morgan": (
        (1, {"preset": "jamaica", "card_gain": "morgan"}),
        (1, {"preset": "tortuga", "card_gain": "both"}),
        (1, {"preset": "dungeon", "card_gain": "both"}),
    ),
}
"""(share, options) of the tables that are played for each kind of game."""
_STAGES: dict[str, tuple[int, ...]] = {
    "row": (4000, 6000, 8000, 12000),
    "deck": (4000, 6000, 8000, 12000),
    "complete": (2000, 3000),
    "magic": (1500,),
    "morgan": (2000,),
}
"""Number of games in each stage."""
_SEAT_COUNTS = (2, 2, 2, 3, 4, 5)
"""Numbers of seats to draw from."""


def _tasks(kind: str, stage: int, games: int, seed: int) -> Iterator[GameTask]:
    for number in range(games):
        name = f"{seed}|{kind}|{stage}|{number}"
        rng = Random(f"table|{name}")
        ((_, options),) = rng.choices(_MIXES[kind], [share for share, _ in _MIXES[kind]])
        yield GameTask((*options.items(), ("players", rng.choice(_SEAT_COUNTS))), name)


def _play_stage(
    kind: str, stage: int, games: int, seed: int, weights: Weights, processes: int, work: Path
) -> list[RecordedGame]:
    """Return the games of one stage, read from the work folder or played now."""
    file = work / f"{kind}-{stage}.games"
    if file.exists():
        return _read_games(file)
    played: list[RecordedGame] = []
    with Pool(processes) as pool:
        tasks = _tasks(kind, stage, games, seed)
        for game in pool.imap(partial(play_game, weights=weights), tasks, chunksize=8):
            played.append(game)
            if len(played) % 500 == 0:
                _report(f"{kind} stage {stage + 1}: {len(played)} of {games} games")
    part = file.with_suffix(".part")
    part.write_bytes(pickle.dumps(played))
    part.rename(file)
    return played


def _read_games(file: Path) -> list[RecordedGame]:
    games: list[RecordedGame] = pickle.loads(file.read_bytes())  # noqa: S301 (written by this program)
    return games


def _drop_held_out(games: Sequence[RecordedGame]) -> list[RecordedGame]:
    """Return the games without the held-out ones."""
    return [game for number, game in enumerate(games) if number % HELD_OUT]


def _train_kind(kind: str, seed: int, start: Weights, scale: float, processes: int, work: Path) -> Weights:
    """Return the weights after training one kind of game."""
    weights = dict(start)
    prior = to_array(start[kind])
    before: list[RecordedGame] = []
    for stage, full_count in enumerate(_STAGES[kind]):
        file = work / f"{kind}-{stage}.json"
        if file.exists():
            weights[kind] = json.loads(file.read_text())
            continue
        if stage and not before:
            before = _drop_held_out(_read_games(work / f"{kind}-{stage - 1}.games"))
        games = max(40, int(full_count * scale))
        began = process_time()
        played = _play_stage(kind, stage, games, seed, weights, processes, work)
        held_out = gather(played[::HELD_OUT])
        fitted = gather([*_drop_held_out(played), *before])
        old = to_array(weights[kind])
        new = fit_weights(fitted, prior, old, seed, partial(_report_fit, kind, stage))
        weights[kind] = to_banks(new)
        losses = (log_loss(to_array(weights[kind]), held_out), log_loss(old, held_out))
        unfinished = sum(not game.winners for game in played)
        _report(
            f"{kind} stage {stage + 1}: held-out log loss {losses[0]:.4f}, before {losses[1]:.4f}; "
            f"{unfinished} games not finished; {process_time() - began:.0f} s of CPU for the fit"
        )
        before = _drop_held_out(played)
        file.write_text(json.dumps(weights[kind]))
    return weights


def train(seed: int, target: Path, kinds: tuple[str, ...], scale: float, processes: int, work: Path) -> None:
    """Train the kinds of games one after the other and write the weights. Other kinds keep the target's weights."""
    work.mkdir(parents=True, exist_ok=True)
    weights = start_weights()
    if target.exists() and set(kinds) != set(KINDS):
        weights.update(json.loads(target.read_text())["weights"])
        weights.update({kind: start_weights()[kind] for kind in kinds})
    for kind in kinds:
        if kind not in ("row", "deck"):
            # The special kinds have fewer games, so they start from the trained weights of the plain game.
            weights[kind] = weights["deck"]
        weights = _train_kind(kind, seed, weights, scale, processes, work)
    lines = [
        f"  {json.dumps(kind)}: {{\n"
        + ",\n".join(f"    {json.dumps(name)}: {json.dumps(bank)}" for name, bank in weights[kind].items())
        + "\n  }"
        for kind in KINDS
    ]
    target.write_text(
        f'{{\n"format": {json.dumps(FORMAT)},\n"seed": {seed},\n"size": {SIZE},\n"weights": {{\n'
        + ",\n".join(lines)
        + "\n}\n}\n"
    )
    _report(f"written to {target.name}: {target.stat().st_size:,} bytes")


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _report_fit(kind: str, stage: int, text: str) -> None:
    _report(f"{kind} stage {stage + 1}: {text}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--out", type=Path, default=_TARGET, help="the weights file to write")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--scale", type=float, default=1.0, help="play this share of the games")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--work", type=Path, default=Path("var/train"), help="the folder for games and weights"
    )
    arguments = parser.parse_args()
    kinds = tuple(kind for kind in KINDS if kind in arguments.kinds)
    work = arguments.work / str(arguments.seed)
    train(arguments.seed, arguments.out, kinds, arguments.scale, arguments.processes, work)


if __name__ == "__main__":
    main()
