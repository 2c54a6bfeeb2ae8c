"""A new password for a table that has one: the host's, before the start. Only its hash is kept."""

from __future__ import annotations

from app.play.commands import messages as cmd
from app.play.commands.allowance import check_allowance
from app.play.commands.proposal import Ack, Proposal
from app.play.commands.sealing import before_start
from app.play.log.entries import NOBODY
from app.play.log.table import Table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.table_passwords import TablePasswords


async def new_password(
    room: Room,
    actor: Actor,
    command: cmd.NewPassword,
    received: int,
    passwords: TablePasswords,
) -> Ack:
    """Set the password that is asked for from now on; clients that are connected stay. Raises Refusal."""
    password_hash = await passwords.hash(command.password, actor.id)

    def decide(table: Table, asked: Proposal) -> Proposal:
        if table.status == "closed":
            raise Refusal("closed")
        before_start(table)
        if table.host not in asked.actor.ids:
            raise Refusal("not_host")
        if table.terms.password_hash is None:
            raise Refusal("not_locked")
        check_allowance(table, asked.actor.ids)
        # No kind of its own: a worker of the release before folds it too, and lets the old word in a while longer.
        seat = NOBODY if asked.own is None else asked.own
        return asked.writes("host", seat, {"person": table.host, "lock": password_hash})

    return await room.submit(actor, command, received, decide)
