"""Tables of the deal of the day: the deals and people's tries. Times are milliseconds since 1970."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text

from app.store.tables.indexes import make_partial_index
from app.store.tables.people import ID_TYPE, metadata

__all__ = ["deal_tries", "deals", "metadata"]

deals = Table(
    "deals",
    metadata,
    Column("day", String(10), primary_key=True),  # 2026-11-17; the key lets only one worker create the deal
    Column("server_seed", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("options", Text, nullable=False),
    Column("opponents", Text, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    # JSON of how the bots did on this deal (app/play/deal/par.py); null until it is computed.
    Column("par", Text, nullable=True),
    Column("par_lease_until", BigInteger, nullable=True),
)

# Written before its game is created, so that concurrent requests of a person start one game. When the game is over,
# any worker computes the result from its log; repeating this is harmless.
deal_tries = Table(
    "deal_tries",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("day", String(10), nullable=False),
    Column("person", ID_TYPE, nullable=False),
    # Number among the person's tries of the day, from 1; number 1 counts.
    Column("n", Integer, nullable=False),
    Column("began_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger, nullable=True),
    Column("score", Integer, nullable=True),  # lower is better (app/play/deal/results.py)
    Column("is_won", Boolean, nullable=True),
    Column("turns", Integer, nullable=True),
    Column("spaces", Integer, nullable=True),  # that all pirates have covered together
    Column("line", Text, nullable=True),  # JSON, one item per turn
    Index("deal_tries_by_person", "day", "person", "n", unique=True),
    Index("deal_tries_by_player", "person"),
    # Only tries without a result, which are few.
    make_partial_index("deal_tries_unsettled", "day", "game", where="ended_at IS NULL"),
)
