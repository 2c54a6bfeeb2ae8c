"""The long two-worlds test: every preset with hidden hands, every module, every audience.

`python -m tests.attack.every_table GAMES SEED`, or `make fuzz PART=unseen`. Two more numbers, SHARE and OF, select
every OF-th table, so that several processes can share the work.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from app import rules
from tests.attack.addresses import pages_for, pages_of_the_table
from tests.attack.received_bytes import differences
from tests.attack.slots import some_moves, twin
from tests.attack.two_worlds import Stage, heard_in, set_up

TABLES: tuple[dict[str, Any], ...] = (
    {"preset": "jamaica", "players": 2},
    {"preset": "jamaica", "players": 5, "scoundrels": True},
    {"preset": "hispaniola", "players": 3, "card_gain": "both"},
    {"preset": "first-escape", "players": 2, "scoundrels": True},
    {"preset": "dungeon", "players": 3, "black_magic": True, "scoundrels": True},
    {"preset": "jungle", "players": 2, "black_magic": True, "card_gain": "morgan"},
    {"preset": "complete", "players": 3, "black_magic": True, "scoundrels": True, "card_gain": "split"},
)
MOVES = 24


async def _pair(
    stage: Stage, audience: int | None, chance: random.Random, is_whole: bool
) -> tuple[int, int, list[str]]:
    """Play one game in two worlds. Return the number of comparisons, of moved hidden cards, and the differences."""
    moves = some_moves(stage.position, MOVES, chance)
    other = twin(stage.position, moves, audience, chance)
    one, two = rules.position_to_json(stage.position), rules.position_to_json(other)
    moved = sum(a != b for a, b in zip(one["deck"], two["deck"], strict=True))
    pages = pages_for(stage) if is_whole else pages_of_the_table(stage)
    with pytest.MonkeyPatch.context() as patch:
        told = [
            await heard_in(
                stage, position, moves, audience, patch, looks={len(moves) // 2, len(moves)}, pages=pages
            )
            for position in (stage.position, other)
        ]
    return len(told[0].frames) + len(told[0].answers), moved, list(differences(*told))


async def _all(games: int, seed: int, share: int = 0, of: int = 1) -> int:
    chance = random.Random(seed + share)
    pairs = compared = found = 0
    for options in TABLES[share::of]:
        with (
            tempfile.TemporaryDirectory(prefix="cartagena-worlds-") as folder,
            pytest.MonkeyPatch.context() as patch,
        ):
            stage = await set_up(Path(folder), options, patch)
            for audience in (None, *range(options["players"])):
                for _ in range(games):
                    count, moved, wrong = await _pair(stage, audience, chance, audience in (None, 0))
                    pairs, compared, found = pairs + 1, compared + count, found + len(wrong)
                    for line in wrong[:3]:
                        print(f"WRONG: {options} seen by {audience}: {line}")
            print(
                f"{options}: {pairs} pairs, {compared} frames and answers compared, {moved} cards moved",
                flush=True,
            )
    print(f"{pairs} pairs of worlds, {compared} frames and answers in each compared, {found} differences")
    return found


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(_all(*(int(word) for word in sys.argv[1:]))) else 0)
