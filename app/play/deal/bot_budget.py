"""Deterministic budgets for the bots of a deal: a number of nodes and a seed instead of a time limit.

Both depend only on the deal and the actions played, so the same moves get the same replies in every process.
"""

from __future__ import annotations

from hashlib import sha256

from app.play.log.table import Table

NODES_BY_LEVEL = {"cabin-boy": 500, "sailor": 500, "mate": 3_000, "captain": 8_000, "legend": 15_000}


def deal_bot_budget(table: Table, seat: int, level: str) -> tuple[int, str]:
    """Return the nodes and the random seed for this bot's next action.

    `action_count` counts the actions that stand, so a player who undoes and repeats an action gets the same reply.
    """
    label = f"{table.server_seed}|thought|{table.deal}|{table.action_count}|{seat}"
    return NODES_BY_LEVEL[level], sha256(label.encode()).hexdigest()
