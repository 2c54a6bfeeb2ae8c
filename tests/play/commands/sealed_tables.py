"""Helpers for tables with sealed seats: seating players, ending games, reading records."""

from __future__ import annotations

from typing import Any

from app import rules
from app.play.log.reading import build_record
from app.play.log.table import Table
from tests.play.stage import Guest, Stage


async def seat_players(stage: Stage, *names: str, **terms_json: Any) -> list[Guest]:
    """Seat players who are all ready; the game is not started."""
    guests = [stage.guest(name) for name in names]
    bots = len(terms_json.get("bots", []))
    game = await stage.open_table(guests[0], players=len(names) + bots, **terms_json)
    for guest in guests:
        await guest.enter(game)
        await guest.sit()
        await guest.send("ready", ready=True)
    return guests


async def get_table(guest: Guest) -> Table:
    return (await guest.room()).table


async def read_record(guest: Guest) -> dict[str, Any]:
    room = await guest.room()
    return build_record(
        room.row, await guest.game_server.store.log.read_entries(guest.game), guest.game_server.names
    )


async def end_and_verify(*guests: Guest) -> rules.Record:
    """Let all but the first resign; verify and return the record."""
    for guest in guests[1:]:
        await guest.act({"type": "resign"})
    read = rules.record_from_json(await read_record(guests[0]))
    rules.verify(read, scheme=(await get_table(guests[0])).chance_scheme)
    return read
