"""Tables of people: players, sessions, accounts, blocks, reports, bans and notices.

Times are seconds since 1970. Sessions, codes and tokens are stored as SHA-256 hashes. They are random and long, so a
stolen database opens no session. Passwords are hashed with argon2id.
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
    false,
    func,
    null,
    or_,
)
from sqlalchemy.sql.expression import ColumnElement, FromClause

from app.store.tables.indexes import make_partial_index

metadata = MetaData()

ID_TYPE = String(32)
HASH_TYPE = String(64)
_Serial = BigInteger().with_variant(Integer, "sqlite")  # SQLite auto-increments INTEGER columns only

players = Table(
    "players",
    metadata,
    Column("id", ID_TYPE, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("skeleton", String(96), nullable=False),
    Column("is_account", Boolean, nullable=False, default=False),
    Column("is_bot", Boolean, nullable=False, default=False),
    Column("claimed_by", ID_TYPE, ForeignKey("players.id"), nullable=True),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("deleted_at", BigInteger, nullable=True),
    Column("changed_at", BigInteger, nullable=True),  # when the player was last renamed, claimed or deleted
    Index("players_by_change", "changed_at"),
    Index("players_by_skeleton", "skeleton", "seen_at"),
    # Without unclaimed guests, which SQLite would otherwise scan for rows to delete.
    make_partial_index("players_by_account", "claimed_by", where="claimed_by IS NOT NULL"),
    # For retention: only guests that can be erased.
    make_partial_index(
        "players_to_forget",
        "seen_at",
        where="is_account IS FALSE AND claimed_by IS NULL AND deleted_at IS NULL",
    ),
)

# The current name of a player: for a claimed guest that of the account, for a deleted player NULL.
_owners = players.alias("owners")
present_name = case(
    (or_(players.c.deleted_at.is_not(None), _owners.c.deleted_at.is_not(None)), null()),
    else_=func.coalesce(_owners.c.name, players.c.name),
)

present_seen_at = func.coalesce(_owners.c.seen_at, players.c.seen_at)  # seconds


def with_present_names(table: FromClause, person: ColumnElement[str]) -> FromClause:
    """Return a join of the table that makes the `present_…` expressions of the person in this column available."""
    joined = table if table is players else table.outerjoin(players, players.c.id == person)
    return joined.outerjoin(_owners, _owners.c.id == players.c.claimed_by)


sessions = Table(
    "sessions",
    metadata,
    Column("hash", HASH_TYPE, primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), nullable=False),
    Column("device", String(80), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("came_from", String(64), nullable=True),  # keyed hash of the address it was last seen from
    Index("sessions_by_player", "player"),
    Index("sessions_by_seen", "seen_at"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("login", String(96), nullable=False, unique=True),
    Column("password", String(200), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("device_epoch", Integer, nullable=False, server_default="0"),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("hash", HASH_TYPE, primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Index("recovery_codes_by_player", "player"),
)

resume_codes = Table(
    "resume_codes",
    metadata,
    Column("hash", HASH_TYPE, primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), nullable=False),
    Column("room", String(64), nullable=True),
    Column("expires_at", BigInteger, nullable=False),
    Index("resume_codes_by_player", "player"),
    Index("resume_codes_by_expiry", "expires_at"),
)

tokens = Table(
    "tokens",
    metadata,
    Column("hash", HASH_TYPE, primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), nullable=False),
    Column("label", String(80), nullable=False),
    Column("made_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Index("tokens_by_player", "player"),
)

blocks = Table(
    "blocks",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("blocked", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("at", BigInteger, nullable=False),
    Index("blocks_by_blocked", "blocked"),
)

reports = Table(
    "reports",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("reporter", ID_TYPE, nullable=False),
    Column("reported", ID_TYPE, nullable=False),
    Column("room", String(64), nullable=True),
    Column("reason", String(32), nullable=False),
    Column("words", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("settled_at", BigInteger, nullable=True),
    Index("reports_by_reported", "reported"),
    Index("reports_by_reporter", "reporter", "at"),
    Index("reports_by_settled", "settled_at"),
)

bans = Table(
    "bans",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("player", ID_TYPE, nullable=True),
    Column("address", String(64), nullable=True),
    Column("reason", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=True),
    Column("came_from", JSON, nullable=True),  # `came_from` of the player's sessions
    Index("bans_by_player", "player"),
    Index("bans_by_until", "until"),
    sqlite_autoincrement=True,  # ids appear in the audit log and must not be reused
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

# People who are being erased: hidden already, but their names and chat lines are still in some games.
erasures = Table(
    "erasures",
    metadata,
    Column("player", ID_TYPE, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("done_to", String(40), nullable=False),  # games up to this id are processed
    Column(
        "without_trace", Boolean, nullable=False
    ),  # delete the row in `players` if they never sat at a table
)

notices = Table(
    "notices",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("email", String(254), nullable=True),
    Column("email_confirmed_at", BigInteger, nullable=True),
    Column("confirm_hash", HASH_TYPE, nullable=True),
    Column("confirm_sent_at", BigInteger, nullable=True),
    Column("stop_token", String(64), nullable=False),
    Column("webhook", String(500), nullable=True),
    Column("webhook_key", String(64), nullable=True),
    Column("webhook_failures", Integer, nullable=False, default=0),
    Column("language", String(8), nullable=False, default="en"),
    Column("told_at", BigInteger, nullable=False, default=0),
    Column("told_of", JSON, nullable=False),
    # Evaluated by the switchboard (app/notify/switchboard.py).
    Column("switches", JSON, nullable=True),  # event to bool; a missing event is on
    Column("zone", String(64), nullable=True),
    Column("quiet_from", Integer, nullable=True),  # minutes of the day in that zone
    Column("quiet_to", Integer, nullable=True),
    Column("digest_at", Integer, nullable=True),  # minute of the day; NULL for single notices
    Column("digested_on", String(10), nullable=True),
    Column("every_channel", Boolean, nullable=False, server_default=false()),
    Column("webhook_form", String(12), nullable=False, server_default="plain"),
    Index("notices_by_stop_token", "stop_token", unique=True),
    # For retention: only unconfirmed addresses.
    make_partial_index(
        "notices_to_forget", "confirm_sent_at", where="email IS NOT NULL AND email_confirmed_at IS NULL"
    ),
)

# Switches for one game, which override the person's general ones.
game_switches = Table(
    "game_switches",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("switches", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("game_switches_by_at", "at"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("inviter", ID_TYPE, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("invitations_by_player", "player", "at"),
    Index("invitations_by_at", "at"),
    Index("invitations_by_inviter", "inviter"),
)

# The server's identity for push services. Browsers get the newest key; older keys serve older subscriptions.
vapid_keys = Table(
    "vapid_keys",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("private", String(64), nullable=False),
    Column("public", String(100), nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

# A browser's push subscription. It is deleted with the session in which it was created.
push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", ID_TYPE, primary_key=True),
    Column("player", ID_TYPE, ForeignKey("players.id"), nullable=False),
    Column("session", HASH_TYPE, ForeignKey("sessions.hash", ondelete="CASCADE"), nullable=False),
    Column("endpoint", String(1000), nullable=False),
    Column("p256dh", String(100), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("key", Integer, nullable=False),  # number of the VAPID key it was created with
    Column("takes_silent", Boolean, nullable=False),  # whether a notice can be withdrawn there
    Column("made_at", BigInteger, nullable=False),
    Column("refused_at", BigInteger, nullable=True),  # 401 or 403, which point to our key or clock
    Column("rests_until", BigInteger, nullable=False, server_default="0"),
    Index("push_subscriptions_by_player", "player"),
    Index("push_subscriptions_by_session", "session"),
    Index("push_subscriptions_by_endpoint", "endpoint", unique=True),
)

# The outbox: one row per person, game and channel address, due at `at`. It records what the address was last notified
# of (`event`, `mark`), but no text: title, name and language are read when the notice is sent. A row is deleted when
# nothing is pending for the person in that game.
outbox = Table(
    "outbox",
    metadata,
    Column("player", ID_TYPE, ForeignKey("players.id"), primary_key=True),
    Column("channel", String(8), primary_key=True),  # push, or letter (e-mail and webhook)
    Column("address", ID_TYPE, primary_key=True),  # subscription of a push; empty for a letter
    Column("game", String(40), primary_key=True),  # empty for a summary of several games
    Column("at", BigInteger, nullable=False),  # when to decide about it next
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    Column("n", Integer, nullable=False, server_default="1"),  # counts causes, as in notice_checks
    Column("event", String(12), nullable=False, server_default=""),
    Column("mark", String(100), nullable=False, server_default=""),  # distinguishes this turn from the next
    Column("seq", Integer, nullable=False, server_default="0"),
    Column("noted_at", BigInteger, nullable=False, server_default="0"),  # when `event` was first due
    Column("sent_at", BigInteger, nullable=True),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Index("outbox_by_at", "channel", "at"),
    Index("outbox_by_game", "game"),
)
