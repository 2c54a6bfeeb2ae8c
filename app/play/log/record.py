"""The record of a game (docs/interchange.md): the line that was really played, from the log."""

from __future__ import annotations

from typing import Any

from app.play.log.entries import Entry, GameRow
from app.play.log.played_line import PlayedLine
from app.play.log.table import Table
from app.play.ports import NameBook
from app.play.refusals import Refusal

__all__ = ["record_of"]


def record_of(row: GameRow, entries: list[Entry], names: NameBook) -> dict[str, Any]:
    """The record, with the names of today; what was undone is left out.

    While the game runs: Refusal `not_over`, it holds the seed.
    """
    played = PlayedLine(Table.of(row, names), entries)
    table = played.table
    if not table.is_over:
        raise Refusal("not_over")
    if table.started_at is None:
        raise Refusal("not_started")
    sealed: dict[str, Any] = {}
    if table.scheme == 2:
        sealed["scheme"] = 2
        sealed["seals"] = [seat.seal for seat in table.seats]
        sealed["void_rounds"] = [voided.as_json() for voided in table.void_rounds]
    return {
        "format": f"cartagena-record/{table.scheme}",
        "rules_version": row.rules_version,
        "options": table.rules.options_to_json(table.options),
        "commitment": row.commitment,
        "server_seed": row.server_seed,
        "nonces": [seat.nonce for seat in table.seats],
        **sealed,
        "players": [
            # Empty: somebody who was deleted; a reader's language has a word for that.
            {"name": seat.name_in(names) or "", "bot": seat.bot if seat.person is None else None}
            for seat in table.seats
        ],
        "actions": [
            {
                "seat": entry.seat,
                "action": entry.body["action"],
                "at": entry.at,
                "by": entry.by,
                "marks": list(marks),
            }
            for entry, _, marks in played.moves
        ],
        "result": table.result,
    }
