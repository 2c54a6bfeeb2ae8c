"""A rematch: a new table for the same people, named by an entry in the log of the old one."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack, Proposal, seated
from app.play.create import new_rematch
from app.play.log.entries import Entry, GameRow
from app.play.log.table import Table
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.room import Room
from app.play.schedule.due import EMPTY

_log = logging.getLogger("cartagena.rematch")

Announce = Callable[[GameRow, Entry], None]
CloseRoom = Callable[[str, str], Awaitable[bool]]


class _AlreadyMade(Exception):
    """Somebody else's offer was first."""


async def rematch(
    room: Room,
    actor: Actor,
    command: cmd.Rematch,
    received: int,
    version: int,
    announce: Announce,
    close_room: CloseRoom,
) -> Ack:
    """The next table, made by whoever asks first; everybody else gets the same. Raises Refusal."""
    table = room.table
    if table.seat_of(actor.ids) is None:
        raise Refusal("not_seated")
    if table.deal is not None:
        raise Refusal("deal_alone")
    if not table.is_over or table.started_at is None:
        raise Refusal("not_over")
    if table.next_game is not None:
        return Ack(table.rematch_seq, False)  # the same answer for the life of the game
    # First the table, then the entry that names it: a crash in between leaves one that nobody knows of.
    row, entry = new_rematch(table, actor, received, version)
    try:
        await room.context.store.create(row, entry, due=row.created_at + EMPTY)
    except StoreUnavailable:
        raise Unconfirmed from None

    def decide(present: Table, asked: Proposal) -> Proposal:
        if present.next_game is not None:
            raise _AlreadyMade
        return asked.writes("rematch", seated(asked), {"game": row.id, "commitment": row.commitment})

    try:
        ack = await room.submit(actor, command, received, decide)
    except _AlreadyMade:
        ack = Ack(room.table.rematch_seq, False)
    except Refusal:
        if not room.is_stale:  # else the entry may be on disk, and this table be the next one
            await _clear_away(room, close_room, row.id)
        raise
    if room.table.next_game != row.id:  # somebody's was first, or this very command on another worker
        await _clear_away(room, close_room, row.id)
        return ack
    announce(row, entry)
    return ack


async def _clear_away(room: Room, close_room: CloseRoom, game: str) -> None:
    """A table that no entry names is nobody's: it must not wait in the lobby for people."""
    try:
        await close_room(game, "another rematch was first")
    except Refusal:
        _log.warning("a table made for a rematch of %s stays until it is forgotten", room.id)
