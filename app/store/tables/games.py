"""Tables of games: log, heads, seats, due work, chat, heartbeats and outages.

Times are milliseconds since 1970. Log entries are never changed.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    false,
)

from app.store.tables.indexes import make_partial_index

metadata = MetaData()

ID_TYPE = String(40)
# Written differently, so that a query matches the clause of one partial index only: SQLite, which keeps no statistics,
# would choose between two at random.
RATED_CLAUSE = "is_rated IS TRUE AND status = 'finished'"
UNRATED_CLAUSE = "is_rated AND status = 'finished' AND rated_at IS NULL"

games = Table(
    "games",
    metadata,
    Column("id", ID_TYPE, primary_key=True),
    Column("rules_version", Integer, nullable=False),
    Column("preset", String(40), nullable=False),
    Column("founded", Text, nullable=False),  # the options at creation; folding the log starts with them
    Column("options", Text, nullable=False),  # the current options; empty seats are removed at the start
    Column("terms", Text, nullable=False),
    Column("is_listed", Boolean, nullable=False),
    Column("is_watchable", Boolean, nullable=False),
    Column("server_seed", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("creator", ID_TYPE, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    # Shown in lists. Written with entries other than moves.
    Column("status", String(12), nullable=False),
    Column("players", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("bots", Integer, nullable=False),
    Column("host", ID_TYPE, nullable=False),
    Column("next_game", ID_TYPE, nullable=True),
    Column("started_at", BigInteger, nullable=True),
    Column("ended_at", BigInteger, nullable=True),
    Column("result", Text, nullable=True),
    Column("is_rated", Boolean, nullable=False, server_default=false()),
    Column("rated_at", BigInteger, nullable=True),  # when the ratings took the game in (app/store/ratings)
    # Both in the order of processing: all games that count, and those that the ratings have not taken in yet. The first
    # columns are constant; without them SQLite prefers the index on status.
    make_partial_index("games_rated", "is_rated", "ended_at", "id", where=RATED_CLAUSE),
    make_partial_index("games_to_rate", "rated_at", "ended_at", "id", where=UNRATED_CLAUSE),
    Index("games_by_list", "status", "is_listed", "created_at"),
    Index("games_by_creator", "creator", "status"),
    make_partial_index("games_by_next_game", "next_game", where="next_game IS NOT NULL"),
)

# The head is updated with every entry, in the same transaction. It is separate from the game's row, which is twenty
# times as long and rarely changes: many heads share a page, so a batch of moves writes few pages.
heads = Table(
    "heads",
    metadata,
    Column("game", ID_TYPE, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("to_act", String(20), nullable=False),
    Column("deadline", BigInteger, nullable=True),
    Column("updated_at", BigInteger, nullable=False),
)

games_with_heads = games.join(heads, heads.c.game == games.c.id)

log = Table(
    "log",
    metadata,
    # No foreign key: the writer has read the game's row, and the check would double the cost of an entry.
    Column("game", ID_TYPE, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("by", String(8), nullable=False),
    Column("at", BigInteger, nullable=False),
    # Each command is logged once. No unique index is needed: the writer of a seq has folded all earlier entries with
    # their commands. An index would double the pages written per move.
    Column("command", String(40), nullable=True),
    Column("who", ID_TYPE, nullable=False),
    # Used by workers of release 0.1.0 when they erase a person.
    make_partial_index("log_by_sitter", "who", "game", where="kind = 'seated'"),
)

seats = Table(
    "seats",
    metadata,
    Column("game", ID_TYPE, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("person", ID_TYPE, nullable=True),
    Column("name", String(64), nullable=False),
    Column("colour", String(10), nullable=False),
    Column("bot", String(20), nullable=True),
    Column("place", Integer, nullable=True),
    Index("seats_by_person", "person", "game"),
    # For lists of unfinished games, whatever the number of finished ones.
    make_partial_index("seats_without_place", "person", "game", where="place IS NULL"),
)

due = Table(
    "due",
    metadata,
    Column("game", ID_TYPE, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False, default=0),
    Column("n", Integer, nullable=False, default=0),
    Index("due_by_at", "at"),
)

# Failed rows of all queues (app/play/queues.py); normally empty.
queue_failures = Table(
    "queue_failures",
    metadata,
    Column("queue", String(40), primary_key=True),
    Column("key", String(120), primary_key=True),
    Column("attempts", Integer, nullable=False),
    Column("retry_at", BigInteger, nullable=False),
    Column("set_aside_at", BigInteger, nullable=True),
    Column("error", String(200), nullable=False),
    Column("first_at", BigInteger, nullable=False),
)

# Games with a change that people may have to be notified of (app/notify). Written in the transaction of the change. `n`
# counts the causes, so that one that occurs during a check is not lost.
notice_checks = Table(
    "notice_checks",
    metadata,
    Column("game", ID_TYPE, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False, default=0),
    Column("n", Integer, nullable=False, default=0),
    Index("notice_checks_by_at", "at"),
)

chat = Table(
    "chat",
    metadata,
    Column("game", ID_TYPE, ForeignKey("games.id"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("channel", String(12), nullable=False),
    Column("person", ID_TYPE, nullable=False),
    Column("name", String(64), nullable=False),
    Column("seat", Integer, nullable=True),
    Column("text", Text, nullable=True),
    Column("preset", String(20), nullable=True),
    Column("command", String(40), nullable=False),
    Column("is_deleted", Boolean, nullable=False, default=False),
    Index("chat_by_command", "game", "person", "command", unique=True),
    # For retention: only lines that are not blank.
    make_partial_index("chat_to_forget", "at", where="is_deleted IS FALSE"),
    Index("chat_by_person", "person"),
)

mutes = Table(
    "mutes",
    metadata,
    Column("game", ID_TYPE, ForeignKey("games.id"), primary_key=True),
    Column("person", ID_TYPE, primary_key=True),
    Column("muted", ID_TYPE, primary_key=True),
    Index("mutes_by_person", "person"),
    Index("mutes_by_muted", "muted"),
)

heartbeats = Table(
    "beats",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
)

outages = Table(
    "outages",
    metadata,
    Column("began", BigInteger, primary_key=True, autoincrement=False),
    Column("ended", BigInteger, nullable=False),
)
