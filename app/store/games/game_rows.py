"""Reads games with their heads and seats, for rooms and lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, select

from app.play.log.entries import GameRow, GameSummary, SeatRow
from app.store.batcher import pad_to_power_of_two
from app.store.tables.games import games, games_with_heads, heads, seats
from app.store.tables.people import present_name, present_seen_at, with_present_names

# Columns with the same name and value as the fields of GameRow and Summary.
GAME_COLUMNS = ("id", "rules_version", "server_seed", "commitment", "creator", "created_at", "status")
HEAD_COLUMNS = ("seq", "to_act", "deadline", "updated_at")
SUMMARY_COLUMNS = ("taken", "bots", "host", "next_game", "started_at", "ended_at", "is_rated")

GAMES_WITH_HEADS = select(
    games, heads.c.seq, heads.c.to_act, heads.c.deadline, heads.c.updated_at
).select_from(games_with_heads)
_SELECT_SEATS_WITH_NAMES = (
    select(seats, present_name.label("present_name"), present_seen_at.label("seen_at"))
    .select_from(with_present_names(seats, seats.c.person))
    .where(seats.c.game.in_(bindparam("games", expanding=True)))
    .order_by(seats.c.seat)
)


def read_games(
    conn: Connection, query: Any, values: Mapping[str, Any] | None = None
) -> list[tuple[Any, tuple[SeatRow, ...]]]:
    """Return the rows of a query based on GAMES_WITH_HEADS, each with its seats."""
    rows = conn.execute(query, values).all()
    if not rows:
        return []
    found: dict[str, list[SeatRow]] = {row.id: [] for row in rows}
    for seat in conn.execute(_SELECT_SEATS_WITH_NAMES, {"games": pad_to_power_of_two(list(found))}):
        # Only a bot's name is stored with its seat.
        name = seat.name if seat.person is None else seat.present_name
        row = SeatRow(seat.seat, seat.person, name, seat.colour, seat.bot, seat.place, seat.seen_at or 0)
        found[seat.game].append(row)
    return [(row, tuple(found[row.id])) for row in rows]


def decode_game(row: Any, seated: tuple[SeatRow, ...]) -> GameRow:
    """Return the game in a row; raise ValueError if the row cannot be decoded."""
    columns = row._mapping
    summary = GameSummary(
        **{name: columns[name] for name in SUMMARY_COLUMNS},
        result=orjson.loads(row.result) if row.result is not None else None,
        options=orjson.loads(row.options),
        seats=seated,
    )
    return GameRow(
        **{name: columns[name] for name in (*GAME_COLUMNS, *HEAD_COLUMNS)},
        options=orjson.loads(row.founded),
        terms=orjson.loads(row.terms),
        summary=summary,
    )
