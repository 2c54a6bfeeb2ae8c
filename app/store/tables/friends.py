"""Tables of friends: friendships, requests, private notes about people, and what friends may see.

Times are seconds since 1970.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, String, Table, false

from app.store.tables.indexes import make_partial_index
from app.store.tables.people import ID_TYPE, metadata

__all__ = ["friend_requests", "friend_settings", "friendships", "metadata", "player_notes"]

# Two rows for each friendship, one for each side, so that a list of friends is one range of the primary key.
friendships = Table(
    "friendships",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("friend", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("since", BigInteger, nullable=False),
    Index("friendships_by_friend", "friend"),
)

# A request stays when it is declined, so that the asker sees no difference and cannot ask again at once.
friend_requests = Table(
    "friend_requests",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("asked", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column(
        "declined_at", BigInteger, nullable=True
    ),  # by an answer or by a block; the asker never learns of it
    Column("is_withdrawn", Boolean, nullable=False, server_default=false()),
    Index("friend_requests_by_asked", "asked", "at"),
    Index("friend_requests_by_at", "at"),
)

player_notes = Table(
    "player_notes",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),  # the author, and only reader
    Column("about", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("text", String(500), nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("player_notes_by_about", "about"),
)

# What a player's friends may see. Without a row, nothing.
friend_settings = Table(
    "friend_settings",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("shows_online", Boolean, nullable=False),  # that they are online, and where they play
    Column("shows_seen", Boolean, nullable=False),
    Column("seen_at", BigInteger, nullable=True),  # only while `shows_seen`; deleted by retention
    # For retention: only rows with a time to be deleted.
    make_partial_index("friend_settings_to_forget", "seen_at", where="seen_at IS NOT NULL"),
)
