"""Games and entries to store."""

from __future__ import annotations

from typing import Any

from app.play.create import new_table
from app.play.engines import CURRENT
from app.play.log.entries import Append, ChatLine, Entry, GameRow
from app.play.log.fold import after as after_entry
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.log.terms import parse_terms
from app.store.games.store import SqlGameStore

NOW = 1_800_000_000_000


async def new_game(store: SqlGameStore, creator: str = "p_ann", **terms: Any) -> GameRow:
    row, entry = new_table(
        creator, {"preset": "jamaica", "players": 2}, parse_terms(terms)[0], [], NOW, CURRENT
    )
    await store.create(row, entry)
    return row


def entry_of(row: GameRow, seq: int, command: str | None = None, seat: int = 0, **body: Any) -> Entry:
    return Entry(row.id, seq, "ready", seat, {"ready": True, **body}, "person", NOW + seq, command, "p_ann")


def append_of(row: GameRow, seq: int, command: str | None = None, **kept: Any) -> Append:
    fields = {"status": "open", "to_act": "", "deadline": None, **kept}
    return Append(entry_of(row, seq, command), **fields)


def seated(row: GameRow, seq: int, person: str) -> Append:
    """An entry that changes what lists show."""
    table = Table.of(row)
    fold(table, Entry(row.id, 1, "created", -1, {}, "person", NOW))
    body = {"person": person, "ids": [person], "name": person, "colour": "red", "nonce": "0" * 32}
    entry = Entry(row.id, seq, "seated", 0, body, "person", NOW + seq, None, person)
    after, _ = after_entry(table, Entry(row.id, 2, "seated", 0, body, "person", NOW, None, person))
    return Append(entry, "running", "0", NOW + 60_000, NOW + 60_300, after.summary())


def line_of(row: GameRow, command: str, text: str = "ahoy", person: str = "p_ann") -> ChatLine:
    return ChatLine(row.id, 0, NOW, "players", person, "Ann", 0, text, None, command)
