"""The command that replaces a table's password: for the host, before the start."""

from __future__ import annotations

from app.play.commands import messages as cmd
from app.play.commands.entry_limits import check_entry_limit
from app.play.commands.request import Ack, Decision, Request
from app.play.commands.sealing import require_not_started
from app.play.log.entries import NO_SEAT
from app.play.log.table import Table
from app.play.presence import Presence
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.room.submit import submit
from app.play.table_passwords import TablePasswords


async def set_new_password(room: Room, request: Request[cmd.NewPassword], passwords: TablePasswords) -> Ack:
    """Replace the password; connected clients stay. Raises Refusal."""
    password_hash = await passwords.hash(request.command.password, request.actor.id)

    def decide(table: Table, request: Request[cmd.NewPassword], presence: Presence) -> Decision:
        if table.status == "closed":
            raise Refusal("closed")
        require_not_started(table)
        if table.host not in request.actor.ids:
            raise Refusal("not_host")
        if table.terms.password_hash is None:
            raise Refusal("not_locked")
        check_entry_limit(table, request.actor.ids)
        # A new password has no entry kind of its own: it is a `host` entry with a lock.
        seat = table.seat_of(request.actor.ids)
        return Decision(
            "host", NO_SEAT if seat is None else seat, {"person": table.host, "lock": password_hash}
        )

    return await submit(room, request, decide)
