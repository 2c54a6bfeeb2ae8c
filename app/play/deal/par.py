"""Par of a deal: how a bot does on the player's seat, against the same bots.

The game is played in memory with the fixed budgets of bot_budget.py, so every worker gets the same result.
"""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.deal.bot_budget import NODES_BY_LEVEL, deal_bot_budget
from app.play.deal.days import Deal
from app.play.deal.game import build_deal_game
from app.play.deal.results import NoDealResult, compute_deal_result
from app.play.log.entries import Entry
from app.play.log.fold import fold
from app.play.log.table import Table

MAX_PAR_ACTIONS = 3_000  # ten times what a game takes
_PLAYER = "par"  # stands for a person's id in the game, which is never stored


class Par(msgspec.Struct, frozen=True):
    """The bots' result: the level on the player's seat, and the result as of a try.

    `score` is None if the game did not end within MAX_PAR_ACTIONS.
    """

    level: str
    score: int | None
    turns: int
    spaces: int


class ParGame:
    """A deal's game between bots, advanced action by action.

    Its methods take milliseconds and run outside the event loop.
    """

    def __init__(self, deal: Deal) -> None:
        self._level = max(deal.opponents, key=NODES_BY_LEVEL.__getitem__)
        self._row, created = build_deal_game(_PLAYER, deal, deal.made_at, _PLAYER)
        self._table = Table.from_row(self._row)
        self._entries = [created]
        fold(self._table, created)
        self._seen: list[list[dict[str, Any]]] = [[] for _ in self._table.seats]  # events, by seat

    def next_request(self) -> dict[str, Any] | None:
        """Return the arguments of BotPlayer.choose for the next action, or None if the game is over."""
        table, position = self._table, self._table.position
        if table.is_over or position is None or table.action_count >= MAX_PAR_ACTIONS:
            return None
        seat = table.to_act[0]
        level = table.seats[seat].bot or self._level
        return {
            "view": table.rules.view(position, seat),
            "actions": [table.rules.action_to_json(action) for action in table.rules.legal(position, seat)],
            "history": list(self._seen[seat]),
            "level": level,
            "seat": seat,
            "fixed_budget": deal_bot_budget(table, seat, level),
        }

    def play(self, action: dict[str, Any]) -> None:
        """Play the action for the seat of the last request."""
        table = self._table
        seat, seq = table.to_act[0], table.seq + 1
        entry = Entry(table.id, seq, "action", seat, {"action": action}, "bot", table.at, None, "")
        events = fold(table, entry)
        self._entries.append(entry)
        for viewer, seen in enumerate(self._seen):
            seen += table.rules.events_for(events, viewer, table.options)

    def result(self) -> Par:
        """Return the bots' result."""
        try:
            found = compute_deal_result(self._row, self._entries)
        except NoDealResult:
            return Par(self._level, None, 0, 0)
        return Par(self._level, found.score, found.turns, found.spaces)
