"""The command that creates a rematch: a new table for the same players, named by an entry in the old game's log.

The new table's id is derived from the old one's, so that concurrent requests in any worker create one row. The row is
stored first, then the entry that names it. After a crash in between, the next request finds the row; without another
request the row is closed as an empty table.
"""

from __future__ import annotations

from collections.abc import Callable

from app.play.commands import messages as cmd
from app.play.commands.request import Ack, Decision, Request
from app.play.create import derive_game_id, new_rematch
from app.play.log.entries import Entry, GameRow
from app.play.log.table import Table
from app.play.ports import Actor, GameExists, StoreUnavailable
from app.play.presence import Presence
from app.play.refusals import LostRaces, Refusal, Unconfirmed
from app.play.room.room import Room
from app.play.room.submit import submit
from app.play.schedule.due import EMPTY_TABLE_MS

Announce = Callable[[GameRow, Entry, int | None], None]
_MAX_ATTEMPTS = 5  # one is lost for each row that was closed before an entry named it


class _RematchExists(Exception):
    """The log names the next table already."""


async def create_rematch(
    room: Room,
    request: Request[cmd.Rematch],
    version: int,
    secret: str,
    announce: Announce,
) -> Ack:
    """Create the next table, or acknowledge the one that exists. Raises Refusal."""
    table, actor, received = room.table, request.actor, request.at
    if table.seat_of(actor.ids) is None:
        raise Refusal("not_seated")
    if table.deal is not None:
        raise Refusal("deal_alone")
    if not table.is_over or table.started_at is None:
        raise Refusal("not_over")
    if table.next_game is not None:
        return Ack(table.rematch_seq, False)  # the same answer for the life of the game
    due = received + EMPTY_TABLE_MS
    try:
        row, entry = await _store_next_game(room, actor, received, version, secret, due)
    except StoreUnavailable:
        raise Unconfirmed from None
    if entry is not None:  # this request created the row, so it knows that the log has no other entry
        announce(row, entry, due)

    def decide(present: Table, request: Request[cmd.Rematch], presence: Presence) -> Decision:
        if present.next_game is not None:
            raise _RematchExists
        return Decision(
            "rematch", request.require_seat(present), {"game": row.id, "commitment": row.commitment}
        )

    try:
        return await submit(room, request, decide)
    except _RematchExists:
        return Ack(room.table.rematch_seq, False)


async def _store_next_game(
    room: Room, actor: Actor, now: int, version: int, secret: str, due: int
) -> tuple[GameRow, Entry | None]:
    """Return the row of the next table, and its first entry if this request has stored it."""
    store = room.context.store
    for attempt in range(_MAX_ATTEMPTS):
        game = derive_game_id(secret, f"rematch|{room.id}|{attempt}")
        row, entry = new_rematch(room.table, actor, now, version, game)
        try:
            await store.log.create(row, entry, due=due)
        except GameExists:
            stored = await store.log.read_game(game)
            if stored is not None and stored.status == "open":
                return stored, None
        else:
            return row, entry
    raise LostRaces
