"""Tables of ratings, a projection of finished rated games. Times are milliseconds since 1970.

Games are processed in the order of (ended_at, id). `rating_changes` keeps the figures before and after each game, so
that the newest games can be undone when an earlier one turns up late.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, Integer, String, Table, false

from app.store.tables.indexes import make_partial_index
from app.store.tables.people import ID_TYPE
from app.store.tables.practice import metadata

__all__ = ["metadata", "rating_changes", "rating_cursor", "rating_settings", "ratings"]

# The present figures: those after the person's latest game in `rating_changes`.
ratings = Table(
    "ratings",
    metadata,
    Column("person", ID_TYPE, primary_key=True),
    Column("pool", String(16), primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("games", Integer, nullable=False),
    Column("best", Integer, nullable=True),  # highest number shown without "?"
    Column("last_at", BigInteger, nullable=False),
    # With everything that decides who is on a leaderboard, so that people who stopped playing cost little.
    Index("ratings_by_pool", "pool", "mu", "last_at", "sigma", "games"),
)

rating_changes = Table(
    "rating_changes",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("person", ID_TYPE, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("pool", String(16), nullable=False),
    Column("ended_at", BigInteger, nullable=False),
    Column("company", String(64), nullable=False),  # digest of the pool and the people of the game
    Column("rank", Integer, nullable=False),
    Column("timed_out", Boolean, nullable=False),  # lost a correspondence game by time
    Column("weight", Double, nullable=False),
    Column("void", String(24), nullable=True),  # why the game does not count
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double, nullable=False),
    Column("mu", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    # Number of the game among those that count for the person in this pool, from 1; null if it does not count.
    Column("games", Integer, nullable=True),
    Column("best", Integer, nullable=True),
    Index("rating_changes_by_person", "person", "pool", "games"),
    Index("rating_changes_by_end", "ended_at", "game"),
    Index("rating_changes_by_company", "company", "ended_at"),
    make_partial_index("rating_changes_timed_out", "person", "ended_at", where="timed_out IS TRUE"),
)

# One row: the last game that was processed, and the lease of the only worker that may process the next.
rating_cursor = Table(
    "rating_cursor",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("ended_at", BigInteger, nullable=False),
    Column("game", String(40), nullable=False),
    Column("model", Integer, nullable=False),  # version of the figures (app/ratings/model.py)
    Column("games", BigInteger, nullable=False),  # processed so far; the cost of an export
    Column("lease_until", BigInteger, nullable=False),
    Column("holder", String(40), nullable=False),
)

rating_settings = Table(
    "rating_settings",
    metadata,
    Column("person", ID_TYPE, primary_key=True),
    Column(
        "hides_ratings", Boolean, nullable=False, server_default=false()
    ),  # the person sees no rating anywhere
    Column("is_withheld", Boolean, nullable=False, server_default=false()),  # from the public file
)
