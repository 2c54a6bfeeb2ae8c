"""Tables of practice: people's mistakes, which come back as puzzles, and the games to search for them.

Times are seconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table

from app.store.tables.indexes import make_partial_index
from app.store.tables.people import ID_TYPE, metadata

__all__ = ["metadata", "mistake_searches", "mistakes"]

# A turn of a finished game that its player should have played better. The puzzle is made from the game's log.
mistakes = Table(
    "mistakes",
    metadata,
    Column("person", ID_TYPE, primary_key=True),
    Column("game", String(40), primary_key=True),
    # Actions before the turn, as in the replay.
    Column("step", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    # Chances in 1/10,000, after the best turn and after the one played.
    Column("best", Integer, nullable=False),
    Column("played", Integer, nullable=False),
    Column("found_at", BigInteger, nullable=False),
    Column("due_at", BigInteger, nullable=True),  # NULL once it was solved often enough
    Column("stage", Integer, nullable=False),  # times solved in a row
    Column("tries", Integer, nullable=False),
    Index("mistakes_by_due", "person", "due_at"),
    Index("mistakes_by_found", "found_at"),
)

# A queue: games that a person asked to be searched. A row stays afterwards, so that no game is searched twice.
mistake_searches = Table(
    "mistake_searches",
    metadata,
    Column("person", ID_TYPE, primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("asked_at", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    Column("done_at", BigInteger, nullable=True),
    make_partial_index("mistake_searches_open", "asked_at", where="done_at IS NULL"),
    Index("mistake_searches_by_asked", "asked_at"),
)
