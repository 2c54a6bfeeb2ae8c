"""The tables of people: players, their sessions and accounts, what they block, report and want to hear of.

Times are whole seconds since 1970. Secrets (sessions, codes, tokens) are kept as SHA-256 only: they
are random and long, so a stolen database opens no session; passwords are argon2id.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
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
    case,
    func,
    null,
    or_,
)
from sqlalchemy.sql.expression import ColumnElement, FromClause

metadata = MetaData()

ID = String(32)
HASH = String(64)
_Serial = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER

players = Table(
    "players",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("skeleton", String(96), nullable=False),
    Column("is_account", Boolean, nullable=False, default=False),
    Column("is_bot", Boolean, nullable=False, default=False),
    Column("claimed_by", ID, ForeignKey("players.id"), nullable=True),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger, nullable=True),
    Column("changed_at", BigInteger, nullable=True),  # when somebody was last renamed, claimed or deleted
    Index("players_by_change", "changed_at"),
    Index("players_by_skeleton", "skeleton", "seen_at"),
    Index("players_by_claim", "claimed_by"),
    Index("players_by_seen", "is_account", "seen_at"),
)

# What somebody is called now: a claimed guest as the account, nobody deleted.
_owners = players.alias("owners")
present_name = case(
    (or_(players.c.deleted_at.is_not(None), _owners.c.deleted_at.is_not(None)), null()),
    else_=func.coalesce(_owners.c.name, players.c.name),
)


def with_present_names(table: FromClause, person: ColumnElement[str]) -> FromClause:
    """Rows of this table, so that `present_name` of that person can be asked with them."""
    named = table if table is players else table.outerjoin(players, players.c.id == person)
    return named.outerjoin(_owners, _owners.c.id == players.c.claimed_by)


sessions = Table(
    "sessions",
    metadata,
    Column("hash", HASH, primary_key=True),
    Column("player", ID, ForeignKey("players.id"), nullable=False),
    Column("device", String(80), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("came_from", String(64), nullable=True),  # a keyed hash of the address it was last seen from
    Index("sessions_by_player", "player"),
    Index("sessions_by_seen", "seen_at"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("login", String(96), nullable=False, unique=True),
    Column("password", String(200), nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("hash", HASH, primary_key=True),
    Column("player", ID, ForeignKey("players.id"), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Index("recovery_codes_by_player", "player"),
)

resume_codes = Table(
    "resume_codes",
    metadata,
    Column("hash", HASH, primary_key=True),
    Column("player", ID, ForeignKey("players.id"), nullable=False),
    Column("room", String(64), nullable=True),
    Column("expires_at", BigInteger, nullable=False),
    Index("resume_codes_by_player", "player"),
    Index("resume_codes_by_expiry", "expires_at"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("hash", HASH, primary_key=True),
    Column("player", ID, ForeignKey("players.id"), nullable=False),
    Column("label", String(80), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Index("tokens_by_player", "player"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("blocked", ID, ForeignKey("players.id"), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Index("blocks_by_blocked", "blocked"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("reporter", ID, nullable=False),
    Column("reported", ID, nullable=False),
    Column("room", String(64), nullable=True),
    Column("reason", String(32), nullable=False),
    Column("words", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("settled_at", BigInteger, nullable=True),
    Index("reports_by_reported", "reported"),
    Index("reports_by_reporter", "reporter", "at"),
)

bans = Table(
    "bans",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("player", ID, nullable=True),
    Column("address", String(64), nullable=True),
    Column("reason", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=True),
    Column("came_from", JSON, nullable=True),  # where the player's sessions came from, as they note it
    Index("bans_by_player", "player"),
    sqlite_autoincrement=True,  # a number stands in the audit log, and on an operator's note: it is not used again
)

audit = Table(
    "audit",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("at", BigInteger, nullable=False),
    Column("actor", String(80), nullable=False),
    Column("deed", String(40), nullable=False),
    Column("subject", String(96), nullable=False),
    Column("detail", JSON, nullable=False),
    Index("audit_by_at", "at"),
)

# Somebody who is being erased: gone already, but their name and words still stand in some games.
erasures = Table(
    "erasures",
    metadata,
    Column("player", ID, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("done_to", String(40), nullable=False),  # games up to this id are done
    Column("without_trace", Boolean, nullable=False),  # whoever never sat leaves no row
)

notices = Table(
    "notices",
    metadata,
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("email", String(254), nullable=True),
    Column("email_confirmed_at", BigInteger, nullable=True),
    Column("confirm_hash", HASH, nullable=True),
    Column("confirm_sent_at", BigInteger, nullable=True),
    Column("stop_token", String(64), nullable=False),
    Column("webhook", String(500), nullable=True),
    Column("webhook_key", String(64), nullable=True),
    Column("webhook_failures", Integer, nullable=False, default=0),
    Column("language", String(8), nullable=False, default="en"),
    Column("told_at", BigInteger, nullable=False, default=0),
    Column("told_of", JSON, nullable=False),
    Index("notices_by_stop_token", "stop_token", unique=True),
)
