"""The tables of games: the log and its heads, seats for lists, due work, chat, heartbeat and outages.

Times are milliseconds since 1970. Nothing of the log is ever changed or deleted.
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
    text,
)

metadata = MetaData()

ID = String(40)

games = Table(
    "games",
    metadata,
    Column("id", ID, primary_key=True),
    Column("rules_version", Integer, nullable=False),
    Column("preset", String(40), nullable=False),
    Column("founded", Text, nullable=False),  # the options it was created with: the fold begins with them
    Column("options", Text, nullable=False),  # as they are now: empty seats close up at the start
    Column("terms", Text, nullable=False),
    Column("is_listed", Boolean, nullable=False),
    Column("is_watchable", Boolean, nullable=False),
    Column("server_seed", String(64), nullable=False),
    Column("commitment", String(64), nullable=False),
    Column("creator", ID, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    # What lists show: written with entries other than moves.
    Column("status", String(12), nullable=False),
    Column("players", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("bots", Integer, nullable=False),
    Column("host", ID, nullable=False),
    Column("next_game", ID, nullable=True),
    Column("started_at", BigInteger, nullable=True),
    Column("ended_at", BigInteger, nullable=True),
    Column("result", Text, nullable=True),
    Index("games_by_list", "status", "is_listed", "created_at"),
    Index("games_by_creator", "creator", "status"),
    Index(
        "games_by_next_game",
        "next_game",
        sqlite_where=text("next_game IS NOT NULL"),
        postgresql_where=text("next_game IS NOT NULL"),
    ),
)

# The head: written with every entry, in its transaction. Apart from the game's own row, which is twenty times as
# long and hardly ever changes: the heads of many games share a page, and a batch of moves writes few of them.
heads = Table(
    "heads",
    metadata,
    Column("game", ID, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("to_act", String(20), nullable=False),
    Column("deadline", BigInteger, nullable=True),
    Column("updated_at", BigInteger, nullable=False),
)

headed = games.join(heads, heads.c.game == games.c.id)

log = Table(
    "log",
    metadata,
    # No foreign key: whoever appends has read the game's row, and a check an entry costs as much as the entry.
    Column("game", ID, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("by", String(8), nullable=False),
    Column("at", BigInteger, nullable=False),
    # Each counts once, and no index is needed for that: a number is taken once, and whoever writes the next one has
    # folded all entries before it, with their commands. An index would be as many pages again for every move.
    Column("command", String(40), nullable=True),
    Column("who", ID, nullable=False),
    # Who sat down where, also if they stood up again; moves are not in it and cost nothing for it.
    Index(
        "log_by_sitter",
        "who",
        "game",
        sqlite_where=text("kind = 'seated'"),
        postgresql_where=text("kind = 'seated'"),
    ),
)

seats = Table(
    "seats",
    metadata,
    Column("game", ID, ForeignKey("games.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("person", ID, nullable=True),
    Column("name", String(64), nullable=False),
    Column("colour", String(10), nullable=False),
    Column("bot", String(20), nullable=True),
    Column("place", Integer, nullable=True),
    Index("seats_by_person", "person", "game"),
)

due = Table(
    "due",
    metadata,
    Column("game", ID, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False, default=0),
    Column("n", Integer, nullable=False, default=0),
    Index("due_by_at", "at"),
)

# Rows of any queue that failed (app/play/queues.py); empty unless something is wrong.
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

# Games in which something changed that people who are away may have to be notified of (app/notify). Written in the
# transaction of the entry that changes it; `n` counts the causes, so that one that arrives meanwhile is not lost.
notice_checks = Table(
    "notice_checks",
    metadata,
    Column("game", ID, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("lease_until", BigInteger, nullable=False, default=0),
    Column("n", Integer, nullable=False, default=0),
    Index("notice_checks_by_at", "at"),
)

chat = Table(
    "chat",
    metadata,
    Column("game", ID, ForeignKey("games.id"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("channel", String(12), nullable=False),
    Column("person", ID, nullable=False),
    Column("name", String(64), nullable=False),
    Column("seat", Integer, nullable=True),
    Column("text", Text, nullable=True),
    Column("preset", String(20), nullable=True),
    Column("command", String(40), nullable=False),
    Column("is_deleted", Boolean, nullable=False, default=False),
    Index("chat_by_command", "game", "person", "command", unique=True),
    # For retention: only lines that still have words (the clauses repeat the query's, for SQLite to match them).
    Index(
        "chat_to_forget",
        "at",
        sqlite_where=text("is_deleted IS 0"),
        postgresql_where=text("is_deleted IS FALSE"),
    ),
    Index("chat_by_person", "person"),
)

mutes = Table(
    "mutes",
    metadata,
    Column("game", ID, ForeignKey("games.id"), primary_key=True),
    Column("person", ID, primary_key=True),
    Column("muted", ID, primary_key=True),
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
