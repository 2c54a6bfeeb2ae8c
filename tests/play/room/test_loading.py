"""All clients reconnect at once: rooms are loaded a few at a time, and other games continue meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from app.admission import MAX_STEPS
from app.play.log.entries import Entry
from app.play.log.reading import MAX_CONCURRENT_LOG_READS
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.room.rooms import NEW_TABLE_CACHE_TTL_MS
from tests.play.stage import Stage

ROOMS = 30


async def count_iterations(iteration: list[int]) -> None:
    while True:
        iteration[0] += 1
        await asyncio.sleep(0)


async def open_tables(stage: Stage) -> list[str]:
    host = stage.guest("ann")
    games = [await stage.open_table(host) for _ in range(ROOMS)]
    stage.clock.advance(NEW_TABLE_CACHE_TTL_MS / 1000 + 1)  # newer tables would not be read from the store
    return games


async def test_many_rooms_are_read_a_few_at_a_time_and_folded_over_several_iterations(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = await open_tables(stage)
    iteration, folded, reading, most = [0], Counter[int](), 0, 0
    load, entries = Room.load_entries, stage.store.log.read_entries

    def noted_load(room: Room, some: list[Entry]) -> None:
        folded[iteration[0]] += 1
        load(room, some)

    async def noted_entries(*asked: Any) -> list[Entry]:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        try:
            return await entries(*asked)
        finally:
            reading -= 1

    monkeypatch.setattr(Room, "load_entries", noted_load)
    monkeypatch.setattr(stage.store.log, "read_entries", noted_entries)
    counting = asyncio.create_task(count_iterations(iteration))
    rooms = await asyncio.gather(*map(stage.game_server.rooms.get, games))
    counting.cancel()
    assert [room and room.id for room in rooms] == games
    assert max(folded.values()) <= MAX_STEPS
    assert most == MAX_CONCURRENT_LOG_READS


async def test_clients_of_unreadable_rooms_are_told_to_try_again_and_can_enter_later(stage: Stage) -> None:
    games = await open_tables(stage)
    former = stage.store.log.read_entries

    async def away(*asked: Any) -> list[Entry]:
        raise StoreUnavailable("away")

    stage.store.log.read_entries = away  # type: ignore[method-assign, assignment]
    answers = await asyncio.gather(*map(stage.game_server.rooms.get, games), return_exceptions=True)
    assert {each.code for each in answers if isinstance(each, Refusal)} == {"try_again"}
    assert len(answers) == sum(isinstance(each, Refusal) for each in answers)
    stage.store.log.read_entries = former  # type: ignore[method-assign]
    rooms = await asyncio.gather(*map(stage.game_server.rooms.get, games))
    assert None not in rooms


async def test_of_two_people_who_take_one_seat_at_once_only_one_gets_it(stage: Stage) -> None:
    host = stage.guest("ann")
    game = await stage.open_table(host)
    people = [await stage.guest(name).enter(game) for name in ("bo", "cy")]
    answers = await asyncio.gather(*(each.sit(seat=0) for each in people), return_exceptions=True)
    assert [getattr(each, "code", "seated") for each in answers] == ["seated", "seat_taken"]
    room = stage.game_server.rooms.get_loaded(game)
    assert room is not None
    assert room.table.seats[0].person == "p_bo"
