"""What an action costs late in a long game against early: two groups of tables in turn, one half a game ahead.

A pair is a stretch of each, so that a machine whose speed changes changes it for both. Where people choose anything,
hands grow as long as nobody ends the game, and so does the list of choices that goes out with an action: that is the
game. Where they advance with a long list and retreat with a short one, it stays as long as it was: what is dearer
late in such a game is the server's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.scaling.meters import cpu
from bench.scaling.servers import alone
from bench.scaling.table_group import Table, TableGroup
from tools.cluster import Worker

__all__ = ["LONGEST", "TABLES", "lengths"]

TABLES, PLAYERS, LONGEST, STEP = 40, 2, 300, 30
_WARM = 30  # until the hands of those who keep them steady have their size
_ENOUGH = 12  # choices


class Steady(TableGroup):
    """People whose hands stay as they are."""

    def choose(self, table: Table) -> dict[str, Any]:
        kind = "retreat" if len(table.choices) < _ENOUGH else "advance"
        wanted = [
            choice
            for choice in table.choices
            if choice["action"]["type"] == kind and choice.get("to") != "goal"
        ]
        return table.chance.choice(wanted) if wanted else super().choose(table)


async def lengths(rounds: int = 2, told: Callable[[str], None] = print) -> dict[str, list[dict[str, Any]]]:
    """Pairs: a stretch in the first half of a game and the one that lies half a game later."""
    found: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="cartagena-scale-") as folder, alone(Path(folder)) as server:
        for name, kind, warm in (("free", TableGroup, 1), ("steady", Steady, _WARM)):
            told(f"  {name}:")
            found[name] = await _pairs(server, kind, warm, rounds, told)
    return found


async def _pairs(
    server: Worker, kind: type[TableGroup], warm: int, rounds: int, told: Callable[[str], None]
) -> list[dict[str, Any]]:
    async def opened(number: int) -> TableGroup:
        group = kind([server.port], first=number * TABLES)
        await group.open_tables(TABLES, PLAYERS)
        await group.play(warm)
        return group

    found = []
    ahead = await opened(0)
    await ahead.play(LONGEST // 2)
    for number in range(1, rounds + 1):
        behind = await opened(number)
        for step in range(LONGEST // 2 // STEP):
            turns = [("first", behind), ("second", ahead)]
            pair = {name: await _stretch(server, group) for name, group in turns[:: 1 if step % 2 else -1]}
            found.append(pair)
            told(
                f"  entries {pair['first']['entries']:.0f} / {pair['second']['entries']:.0f}: "
                f"{pair['first']['cpu_us']:.0f} / {pair['second']['cpu_us']:.0f} µs, "
                f"{pair['first']['choices']:.1f} / {pair['second']['choices']:.1f} choices"
            )
        ahead.close()
        ahead = behind  # which stands where the other stood
    ahead.close()
    return found


async def _stretch(server: Worker, group: TableGroup) -> dict[str, float]:
    before, start = cpu([server.pid]), group.tables[0].seq
    await group.play(STEP)
    done = len(group.latencies)
    return {
        "entries": (start + group.tables[0].seq) / 2,
        "cpu_us": 1e6 * (cpu([server.pid]) - before) / done,
        "choices": group.choices / done,
        "bytes": sum(group.bytes.values()) / done,
    }
