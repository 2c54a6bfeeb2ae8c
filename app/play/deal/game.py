"""A game of the deal: the player on the first seat, the day's bots on the others, started by its first entry."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.commands.seating import pick_bot_name
from app.play.deal.days import Deal
from app.play.engines import CURRENT_RULES_VERSION, DEAL_RULES_VERSIONS
from app.play.log.entries import NO_SEAT, Entry, GameRow
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.log.terms import COLOURS, Terms
from app.play.ports import Actor, GameExists, StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.server import GameServer

# Without a clock, absences and hints.
_DEAL_TERMS = Terms(visibility="unlisted", spectators=True, absence=0, hints=False)


def build_deal_game(
    person: str, deal: Deal, now: int, game: str, version: int = DEAL_RULES_VERSIONS[CURRENT_RULES_VERSION]
) -> tuple[GameRow, Entry]:
    """Return the row and the first entry of a game. All chance is derived from the deal, so it is equal for all."""
    seats: list[dict[str, Any]] = [{"seat": 0, "person": person, "colour": COLOURS[0]}]
    for seat, level in enumerate(deal.opponents, 1):
        name = pick_bot_name(level, seat, [taken.get("name") for taken in seats])
        seats.append({"seat": seat, "bot": level, "name": name, "colour": COLOURS[seat]})
    row = GameRow(
        id=game,
        rules_version=version,
        options=deal.options,
        terms=msgspec.to_builtins(_DEAL_TERMS),
        server_seed=deal.server_seed,
        commitment=deal.commitment,
        creator=person,
        created_at=now,
        seq=1,
        updated_at=now,
    )
    entry = Entry(
        game, 1, "created", NO_SEAT, {"deal": deal.day, "seats": seats}, "person", now, None, person
    )
    table = Table.from_row(row)
    fold(table, entry)
    to_act = ",".join(map(str, table.to_act))
    return msgspec.structs.replace(row, status=table.status, to_act=to_act, summary=table.summary()), entry


async def create_deal_game(
    game_server: GameServer, actor: Actor, deal: Deal, game: str, max_unfinished: int
) -> None:
    """Create the game of a try under the id that was recorded for it; a no-op if the game exists.

    `most` is how many unfinished games this person may have created. Raises Refusal.
    """
    version = DEAL_RULES_VERSIONS[game_server.new_table_version]
    row, entry = build_deal_game(actor.id, deal, game_server.clock.now(), game, version)
    # Bots move when the game is due; the player has no deadline.
    due = row.created_at if row.to_act != "0" else None
    try:
        game_server.names.add({actor.id: actor.name})
        is_made = await game_server.store.log.create(row, entry, (actor.ids, max_unfinished), due=due)
    except GameExists:
        return
    except StoreUnavailable:
        raise Unconfirmed from None
    if not is_made:
        raise Refusal("too_many_rooms")
    game_server.announce_table(row, entry, due)
    if due is not None:
        game_server.sweep_alarm.nudge(due)
