"""A game of the deal: the person on the first seat, the day's bots on the others, begun by its first entry."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.commands.seating import bot_name
from app.play.deal.days import Deal
from app.play.engines import DEALT
from app.play.log.entries import NOBODY, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.log.terms import COLOURS, Terms
from app.play.ports import Actor, GameExists, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.server import GameServer

# Nobody is waited for, nothing runs out, no bot takes over, nobody advises.
_TERMS = Terms(visibility="unlisted", spectators=True, absence=0, hints=False)


def new_deal_game(person: str, deal: Deal, now: int, game: str) -> tuple[GameRow, Entry]:
    """The game and its first entry. All that chance decides follows from the deal: it is the same for everybody."""
    seats: list[dict[str, Any]] = [{"seat": 0, "person": person, "colour": COLOURS[0]}]
    for seat, level in enumerate(deal.opponents, 1):
        name = bot_name(level, seat, [each.get("name") for each in seats])
        seats.append({"seat": seat, "bot": level, "name": name, "colour": COLOURS[seat]})
    row = GameRow(
        id=game,
        rules_version=DEALT,
        options=deal.options,
        terms=msgspec.to_builtins(_TERMS),
        server_seed=deal.server_seed,
        commitment=deal.commitment,
        creator=person,
        created_at=now,
        seq=1,
        updated_at=now,
    )
    entry = Entry(game, 1, "created", NOBODY, {"deal": deal.day, "seats": seats}, "person", now, None, person)
    table = Table.of(row)
    fold(table, entry)
    to_act = ",".join(map(str, table.to_act))
    return msgspec.structs.replace(row, status=table.status, to_act=to_act, summary=table.summary()), entry


async def begin(game_server: GameServer, actor: Actor, deal: Deal, game: str, most: int) -> None:
    """Makes the game of a try, under the id that was noted for it; one that is there already stays as it is.

    `most` is how many unfinished games this person may have created. Raises Refusal.
    """
    row, entry = new_deal_game(actor.id, deal, game_server.clock.now(), game)
    due = (
        row.created_at if row.to_act != "0" else None
    )  # bots move when it is due; the person has no deadline
    try:
        game_server.names.take({actor.id: actor.name})
        is_made = await game_server.store.create(row, entry, (actor.ids, most), due=due)
    except GameExists:
        return
    except StoreUnavailable:
        raise Unconfirmed from None
    if not is_made:
        raise Refusal("too_many_rooms")
    game_server.announce(row, entry, due)
    if due is not None:
        game_server.schedule.nudge(due)
