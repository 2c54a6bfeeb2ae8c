"""A rematch: a new table for the same people, named by an entry in the log of the old one.

The new table's id follows from the old one's, so that simultaneous requests, also at several workers, meet at one row.
The row is stored first, then the entry that names it. After a crash in between the next request finds the row again;
without one the row's due work closes it as an empty table.
"""

from __future__ import annotations

from collections.abc import Callable

from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack, Proposal, seated
from app.play.create import derive_game_id, new_rematch
from app.play.log.entries import Entry, GameRow
from app.play.log.table import Table
from app.play.ports import Actor, GameExists, StoreUnavailable
from app.play.refusals import Raced, Refusal, Unconfirmed
from app.play.room.room import Room
from app.play.schedule.due import EMPTY

Announce = Callable[[GameRow, Entry, int | None], None]
_MAX_ATTEMPTS = 5  # a row that was closed before an entry named it uses one up


class _AlreadyNamed(Exception):
    """The log names the next table already."""


async def rematch(
    room: Room,
    actor: Actor,
    command: cmd.Rematch,
    received: int,
    version: int,
    secret: str,
    announce: Announce,
) -> Ack:
    """Create the next table, or answer with the one that exists. Raises Refusal."""
    table = room.table
    if table.seat_of(actor.ids) is None:
        raise Refusal("not_seated")
    if table.deal is not None:
        raise Refusal("deal_alone")
    if not table.is_over or table.started_at is None:
        raise Refusal("not_over")
    if table.next_game is not None:
        return Ack(table.rematch_seq, False)  # the same answer for the life of the game
    due = received + EMPTY
    try:
        row, entry = await _store_next(room, actor, received, version, secret, due)
    except StoreUnavailable:
        raise Unconfirmed from None
    if entry is not None:  # whichever request names it: only this one knows that its log has this entry alone
        announce(row, entry, due)

    def decide(present: Table, asked: Proposal) -> Proposal:
        if present.next_game is not None:
            raise _AlreadyNamed
        return asked.writes("rematch", seated(asked), {"game": row.id, "commitment": row.commitment})

    try:
        return await room.submit(actor, command, received, decide)
    except _AlreadyNamed:
        return Ack(room.table.rematch_seq, False)


async def _store_next(
    room: Room, actor: Actor, now: int, version: int, secret: str, due: int
) -> tuple[GameRow, Entry | None]:
    """Return the row of the next table, and its first entry if this request has stored it."""
    store = room.context.store
    for attempt in range(_MAX_ATTEMPTS):
        game = derive_game_id(secret, f"rematch|{room.id}|{attempt}")
        row, entry = new_rematch(room.table, actor, now, version, game)
        try:
            await store.create(row, entry, due=due)
        except GameExists:
            stored = await store.game(game)
            if stored is not None and stored.status == "open":
                return stored, None
        else:
            return row, entry
    raise Raced
