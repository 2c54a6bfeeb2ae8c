"""At the limit of unfinished tables: the oldest one without other people is ended for a new one."""

from __future__ import annotations

from app.play.commands.proposal import Proposal
from app.play.deal.days import day_of, is_sealed
from app.play.engines import DEALT
from app.play.log.entries import GameRow
from app.play.log.table import Table
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.server import GameServer

LOOKED_AT = 200  # more than anybody may have unfinished


async def end_oldest(game_server: GameServer, actor: Actor) -> str | None:
    """The id of the table that was ended; None: other people sit, or are waited for, at all of them."""
    try:
        games = await game_server.store.games_of(actor.ids, unfinished=True, limit=LOOKED_AT)
    except StoreUnavailable:
        raise Refusal("try_again") from None
    now = game_server.clock.now()
    for game in sorted(games, key=lambda game: game.created_at):
        if game.creator in actor.ids and _may_be_ended(game, now) and await _end(game_server, game.id, actor):
            return game.id
    return None


def _may_be_ended(game: GameRow, now: int) -> bool:
    """At most one person is at it, as far as lists know; a seat that is kept for somebody counts as taken.

    A game of the deal of the day stays until its day is over: its first try is the one that counts.
    """
    if game.rules_version == DEALT and is_sealed(day_of(game.created_at), now):
        return False
    summary = game.summary
    return summary is not None and summary.taken - summary.bots <= 1


async def _end(game_server: GameServer, game: str, actor: Actor) -> bool:
    room = await game_server.rooms.get(game)
    if room is None or room.table.is_over:
        return False
    table = room.table
    if not _is_own(table, actor):
        return False
    # A game that never began is closed; one that runs ends without a winner: nobody has given it up.
    ending = Proposal("closed", by="person") if table.status == "open" else Proposal("aborted")
    return await room.add(ending, game_server.clock.now(), table)


def _is_own(table: Table, actor: Actor) -> bool:
    """Nobody else sits there, or has a seat kept."""
    people = {seat.person or seat.reserved for seat in table.seats} - {None}
    return people <= set(actor.ids)
