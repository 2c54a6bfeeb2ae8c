"""Tables with sealed seats: seated, played to the end, with their records."""

from __future__ import annotations

from typing import Any

from app import rules
from app.play.log.reading import record_of
from app.play.log.table import Table
from tests.play.stage import Guest, Stage


async def seated(stage: Stage, *names: str, **wishes: Any) -> list[Guest]:
    """Everybody sits and is ready; nobody has started."""
    guests = [stage.guest(name) for name in names]
    bots = len(wishes.get("bots", []))
    game = await stage.open_table(guests[0], players=len(names) + bots, **wishes)
    for guest in guests:
        await guest.come(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    return guests


async def table_of(guest: Guest) -> Table:
    return (await guest.room()).table


async def record(guest: Guest) -> dict[str, Any]:
    room = await guest.room()
    return record_of(room.row, await guest.game_server.store.entries(guest.game), guest.game_server.names)


async def ended(*guests: Guest) -> rules.Record:
    """All but the first resign; the record, which must hold."""
    for guest in guests[1:]:
        await guest.act({"type": "resign"})
    read = rules.record_from_json(await record(guests[0]))
    rules.verify(read, scheme=(await table_of(guests[0])).scheme)
    return read
