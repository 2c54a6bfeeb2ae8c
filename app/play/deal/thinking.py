"""How the bots of a deal think: so many nodes, no clock, and a chance of their own that depends on nothing but the
deal and what was played. So the same moves get the same replies, in whichever process and however often."""

from __future__ import annotations

from hashlib import sha256

from app.play.log.table import Table

NODES = {"cabin-boy": 500, "sailor": 500, "mate": 3_000, "captain": 8_000, "legend": 15_000}


def fixed_thought(table: Table, seat: int, level: str) -> tuple[int, str]:
    """The budget in nodes and the seed of this bot's chance for its next action.

    `played` counts the actions that stand: whoever takes back and plays the same again gets the same.
    """
    told = f"{table.server_seed}|thought|{table.deal}|{table.played}|{seat}"
    return NODES[level], sha256(told.encode()).hexdigest()
