"""The limit of unfinished tables per person: at the limit, the oldest table without other people is ended."""

from __future__ import annotations

from app.play.commands.request import Decision
from app.play.deal.days import day_of, is_deal_secret
from app.play.engines import ALL_DEAL_RULES_VERSIONS
from app.play.log.entries import NO_SEAT, GameRow
from app.play.log.table import Table
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.submit import add_server_entry
from app.play.server import GameServer

MAX_GAMES_READ = 200  # more than a person may have unfinished


async def end_oldest_table(game_server: GameServer, actor: Actor) -> str | None:
    """End the person's oldest table without other people and return its id; None if there is none."""
    try:
        games = await game_server.store.lists.list_games_of(actor.ids, unfinished=True, limit=MAX_GAMES_READ)
    except StoreUnavailable:
        raise Refusal("try_again") from None
    now = game_server.clock.now()
    for game in sorted(games, key=lambda game: game.created_at):
        if (
            game.creator in actor.ids
            and _can_be_ended(game, now)
            and await _end_table(game_server, game.id, actor)
        ):
            return game.id
    return None


def _can_be_ended(game: GameRow, now: int) -> bool:
    """Return whether the summary shows at most one person; a reserved seat counts as taken.

    A game of the deal of the day is kept until its day is over, because only the first try counts.
    """
    if game.rules_version in ALL_DEAL_RULES_VERSIONS and is_deal_secret(day_of(game.created_at), now):
        return False
    summary = game.summary
    return summary is not None and summary.taken - summary.bots <= 1


async def _end_table(game_server: GameServer, game: str, actor: Actor) -> bool:
    room = await game_server.rooms.get(game)
    if room is None or room.table.is_over:
        return False
    table = room.table
    if not _is_own(table, actor):
        return False
    # A running game is aborted rather than resigned, so that it has no loser.
    ending = (
        Decision("closed", NO_SEAT, {}, "person")
        if table.status == "open"
        else Decision("aborted", NO_SEAT, {})
    )
    return await add_server_entry(room, ending, game_server.clock.now(), table)


def _is_own(table: Table, actor: Actor) -> bool:
    """Return whether no other person has a seat, or a reserved one."""
    people = {seat.person or seat.reserved for seat in table.seats} - {None}
    return people <= set(actor.ids)
