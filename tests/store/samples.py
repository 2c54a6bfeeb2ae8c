"""Sample games, entries and chat lines."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from app.play.create import new_table
from app.play.engines import CURRENT_RULES_VERSION
from app.play.log.entries import Append, ChatLine, Entry, GameRow
from app.play.log.fold import fold, fold_copy
from app.play.log.table import Table
from app.play.log.terms import parse_terms
from app.store.games.store import SqlGameStore
from app.store.tables.games import due

NOW = 1_800_000_000_000


async def new_game(store: SqlGameStore, creator: str = "p_ann", **terms: Any) -> GameRow:
    row, entry = new_table(
        creator, {"preset": "jamaica", "players": 2}, parse_terms(terms)[0], [], NOW, CURRENT_RULES_VERSION
    )
    await store.log.create(row, entry)
    return row


def make_entry(row: GameRow, seq: int, command: str | None = None, seat: int = 0, **body: Any) -> Entry:
    return Entry(row.id, seq, "ready", seat, {"ready": True, **body}, "person", NOW + seq, command, "p_ann")


def make_append(row: GameRow, seq: int, command: str | None = None, **changes: Any) -> Append:
    fields = {"status": "open", "to_act": "", "deadline": None, **changes}
    return Append(make_entry(row, seq, command), **fields)


def make_seated(row: GameRow, seq: int, person: str) -> Append:
    """Return an append that changes what lists show."""
    table = Table.from_row(row)
    fold(table, Entry(row.id, 1, "created", -1, {"kept": []}, "person", NOW))
    body = {"person": person, "ids": [person], "name": person, "colour": "red", "nonce": "0" * 32}
    entry = Entry(row.id, seq, "seated", 0, body, "person", NOW + seq, None, person)
    after, _ = fold_copy(table, Entry(row.id, 2, "seated", 0, body, "person", NOW, None, person))
    return Append(entry, "running", "0", NOW + 60_000, NOW + 60_300, after.summary())


def make_line(row: GameRow, command: str, text: str = "ahoy", person: str = "p_ann") -> ChatLine:
    return ChatLine(row.id, 0, NOW, "players", person, "Ann", 0, text, None, command)


async def read_next_due(store: SqlGameStore) -> int | None:
    """Return when the first game is due."""
    at: int | None = (await store.database.fetch_rows(select(func.min(due.c.at))))[0][0]
    return at
