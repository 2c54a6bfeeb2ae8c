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
    false,
    func,
    null,
    or_,
    text,
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
    # Without the unclaimed guests: SQLite would search all of them for those to be deleted.
    Index(
        "players_by_account",
        "claimed_by",
        sqlite_where=text("claimed_by IS NOT NULL"),
        postgresql_where=text("claimed_by IS NOT NULL"),
    ),
    # For retention: only guests that can still be forgotten.
    Index(
        "players_to_forget",
        "seen_at",
        sqlite_where=text("is_account IS 0 AND claimed_by IS NULL AND deleted_at IS NULL"),
        postgresql_where=text("is_account IS FALSE AND claimed_by IS NULL AND deleted_at IS NULL"),
    ),
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
    Column("device_epoch", Integer, nullable=False, server_default="0"),
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
    Index("reports_by_settled", "settled_at"),
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
    Index("bans_by_until", "until"),
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
    # The switchboard (app/notify/switchboard.py): what somebody wants to hear, when, and on how many channels.
    Column("switches", JSON, nullable=True),  # event: whether; one that is not named is wanted
    Column("zone", String(64), nullable=True),
    Column("quiet_from", Integer, nullable=True),  # minutes of the day, in that zone
    Column("quiet_to", Integer, nullable=True),
    Column("digest_at", Integer, nullable=True),  # minute of the day; null: single notices
    Column("digested_on", String(10), nullable=True),
    Column("every_channel", Boolean, nullable=False, server_default=false()),
    Column("webhook_form", String(12), nullable=False, server_default="plain"),
    Index("notices_by_stop_token", "stop_token", unique=True),
    # For retention: only addresses that are not confirmed.
    Index(
        "notices_to_forget",
        "confirm_sent_at",
        sqlite_where=text("email IS NOT NULL AND email_confirmed_at IS NULL"),
        postgresql_where=text("email IS NOT NULL AND email_confirmed_at IS NULL"),
    ),
)

# The same switches for one game: they go before the person's own.
game_switches = Table(
    "game_switches",
    metadata,
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("switches", JSON, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("game_switches_by_at", "at"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("inviter", ID, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index("invitations_by_player", "player", "at"),
    Index("invitations_by_at", "at"),
    Index("invitations_by_inviter", "inviter"),
)

# Who this server is to push services; the newest is given to browsers, older ones serve who subscribed with them.
vapid_keys = Table(
    "vapid_keys",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("private", String(64), nullable=False),
    Column("public", String(100), nullable=False),
    Column("made_at", BigInteger, nullable=False),
)

# A browser that may be pushed to. It goes with the session it was made in, whoever ends that.
push_subscriptions = Table(
    "push_subscriptions",
    metadata,
    Column("id", ID, primary_key=True),
    Column("player", ID, ForeignKey("players.id"), nullable=False),
    Column("session", HASH, ForeignKey("sessions.hash", ondelete="CASCADE"), nullable=False),
    Column("endpoint", String(1000), nullable=False),
    Column("p256dh", String(100), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("key", Integer, nullable=False),  # the number of the VAPID key it was made with
    Column("takes_silent", Boolean, nullable=False),  # whether a notice may be withdrawn there
    Column("made_at", BigInteger, nullable=False),
    Column("refused_at", BigInteger, nullable=True),  # 401 or 403: our key or clock, not the browser
    Column("rests_until", BigInteger, nullable=False, server_default="0"),
    Index("push_subscriptions_by_player", "player"),
    Index("push_subscriptions_by_session", "session"),
    Index("push_subscriptions_by_endpoint", "endpoint", unique=True),
)

# The outbox: one row per person, game and channel address, due at `at`. It names what that address was notified of last
# (`event`, `mark`), and nothing of the notice's text: title, name and language are read when it is sent. Rows go when
# nothing about the game concerns the person any more.
outbox = Table(
    "outbox",
    metadata,
    Column("player", ID, ForeignKey("players.id"), primary_key=True),
    Column("channel", String(8), primary_key=True),  # push, or letter: e-mail and webhook
    Column("address", ID, primary_key=True),  # of a push: its subscription; of a letter: empty
    Column("game", String(40), primary_key=True),  # empty: the summary of several games
    Column("at", BigInteger, nullable=False),  # when to decide about it, or again
    Column("lease_until", BigInteger, nullable=False, server_default="0"),
    Column("n", Integer, nullable=False, server_default="1"),  # counts causes, as in notice_checks
    Column("event", String(12), nullable=False, server_default=""),
    Column("mark", String(100), nullable=False, server_default=""),  # tells this turn from the next
    Column("seq", Integer, nullable=False, server_default="0"),
    Column("noted_at", BigInteger, nullable=False, server_default="0"),  # when `event` was first to be sent
    Column("sent_at", BigInteger, nullable=True),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Index("outbox_by_at", "channel", "at"),
    Index("outbox_by_game", "game"),
)
