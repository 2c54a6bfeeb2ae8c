"""Replace the table of pushes by the outbox, and add the queue of notice checks.

Workers of the previous release read `pushes` before they send any notice. Without the table they send none, so no
notice is sent twice while old and new workers share the database. The record of sent pushes is carried over.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notice_checks",
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
    )
    op.create_index("notice_checks_by_at", "notice_checks", ["at"])
    op.create_table(
        "outbox",
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("channel", sa.String(8), primary_key=True),
        sa.Column("address", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("n", sa.Integer, nullable=False, server_default="1"),
        sa.Column("event", sa.String(12), nullable=False, server_default=""),
        sa.Column("mark", sa.String(100), nullable=False, server_default=""),
        sa.Column("seq", sa.Integer, nullable=False, server_default="0"),
        sa.Column("noted_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("sent_at", sa.BigInteger, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_index("outbox_by_at", "outbox", ["channel", "at"])
    op.create_index("outbox_by_game", "outbox", ["game"])
    not_null = sa.text("next_game IS NOT NULL")
    op.create_index(
        "games_by_next_game", "games", ["next_game"], sqlite_where=not_null, postgresql_where=not_null
    )
    now = int(time.time())
    # A worker of the previous release is sending the pushes under a lease.
    op.execute(
        sa.text(
            "INSERT INTO outbox (player, channel, address, game, at, event, mark, seq, noted_at, sent_at, attempts)"
            " SELECT s.player, 'push', p.subscription, p.game, :now, p.event, p.mark, p.seq, p.at,"
            " CASE WHEN p.sent_at IS NULL AND p.lease_until > :now THEN CAST(:now AS BIGINT) ELSE p.sent_at END,"
            " p.attempts FROM pushes p JOIN push_subscriptions s ON s.id = p.subscription"
        ).bindparams(now=now)
    )
    # People who should get a notice now have no row yet, so every game with a deadline is checked once.
    op.execute(
        sa.text(
            "INSERT INTO notice_checks (game, at, lease_until, n) SELECT g.id, :now, 0, 1 FROM games g"
            " JOIN heads h ON h.game = g.id WHERE g.status IN ('open', 'running') AND h.deadline IS NOT NULL"
        ).bindparams(now=now * 1000)
    )
    op.drop_table("pushes")
    op.drop_table("leases")


def downgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("name", sa.String(20), primary_key=True),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "pushes",
        sa.Column(
            "subscription",
            sa.String(32),
            sa.ForeignKey("push_subscriptions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("game", sa.String(40), primary_key=True),
        sa.Column("event", sa.String(12), nullable=False),
        sa.Column("mark", sa.String(80), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
        sa.Column("sent_at", sa.BigInteger, nullable=True),
    )
    op.create_index("pushes_by_at", "pushes", ["sent_at", "at"])
    # The older release sends unsent notices again.
    op.execute(
        "INSERT INTO pushes (subscription, game, event, mark, seq, body, n, at, expires_at, attempts, lease_until,"
        " sent_at) SELECT o.address, o.game, o.event, o.mark, o.seq, '{}', 1, o.noted_at, o.noted_at + 2419200, 0, 0,"
        " o.sent_at FROM outbox o JOIN push_subscriptions s ON s.id = o.address"
        " WHERE o.channel = 'push' AND o.sent_at IS NOT NULL"
    )
    op.drop_index("games_by_next_game", table_name="games")
    op.drop_table("outbox")
    op.drop_table("notice_checks")
