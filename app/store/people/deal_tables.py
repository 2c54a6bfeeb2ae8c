"""The tables of the deal of the day: what was fixed for each day, and who has tried it how.

Times are milliseconds since 1970, as those of games.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, text

from app.store.people.tables import ID, metadata

__all__ = ["deal_tries", "deals", "metadata"]

deals = Table(
    "deals",
    metadata,
    Column("day", String(10), primary_key=True),  # 2026-11-17: any number of workers make one
    Column("server_seed", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("options", Text, nullable=False),
    Column("opponents", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

# Written before its game, so that two requests of one person at once begin one. How it went is read from the
# game's log when that is over, by any worker and as often as need be.
deal_tries = Table(
    "deal_tries",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("day", String(10), nullable=False),
    Column("person", ID, nullable=False),
    Column("n", Integer, nullable=False),  # the person's tries of that day from 1 on; number 1 counts
    Column("began_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger, nullable=True),
    Column("score", Integer, nullable=True),  # the lower, the better (app/play/deal/results.py)
    Column("is_won", Boolean, nullable=True),
    Column("turns", Integer, nullable=True),
    Column("spaces", Integer, nullable=True),  # how far the pirates came, all together
    Column("line", Text, nullable=True),  # turn by turn
    Index("deal_tries_by_person", "day", "person", "n", unique=True),
    Index("deal_tries_by_player", "person"),
    # Tries without a result: few, however many there ever were.
    Index(
        "deal_tries_unsettled",
        "day",
        "game",
        sqlite_where=text("ended_at IS NULL"),
        postgresql_where=text("ended_at IS NULL"),
    ),
)
