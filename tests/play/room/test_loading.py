"""Everybody comes back at once: rooms are loaded a few at a time, and moves elsewhere go on meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from app.play.log.entries import Entry
from app.play.log.reading import ROOMS_AT_ONCE, Turns
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from tests.play.stage import Stage

ROOMS = 30


async def turn_counter(turn: list[int]) -> None:
    while True:
        turn[0] += 1
        await asyncio.sleep(0)


async def tables(stage: Stage) -> list[str]:
    host = stage.guest("ann")
    return [await stage.open_table(host) for _ in range(ROOMS)]


async def test_one_of_a_crowd_goes_on_in_each_turn_of_the_loop() -> None:
    turns, turn, passed = Turns(), [0], Counter[int]()
    counting = asyncio.create_task(turn_counter(turn))

    async def come() -> None:
        await turns.next()
        passed[turn[0]] += 1

    await asyncio.gather(*(come() for _ in range(20)))
    assert sum(passed.values()) == 20
    assert set(passed.values()) == {1}
    await come()  # and again after nobody waited
    counting.cancel()


async def test_whoever_gives_up_does_not_hold_up_the_others() -> None:
    turns = Turns()
    waiting = [asyncio.create_task(turns.next()) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[1].cancel()
    await asyncio.wait_for(waiting[2], 5)
    await asyncio.wait_for(turns.next(), 5)


async def test_many_rooms_are_loaded_a_few_at_a_time_and_one_a_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = await tables(stage)
    turn, folded, reading, most = [0], Counter[int](), 0, 0
    load, entries = Room.load, stage.store.entries

    def noted_load(room: Room, some: list[Entry]) -> None:
        folded[turn[0]] += 1
        load(room, some)

    async def noted_entries(*asked: Any) -> list[Entry]:
        nonlocal reading, most
        reading += 1
        most = max(most, reading)
        try:
            return await entries(*asked)
        finally:
            reading -= 1

    monkeypatch.setattr(Room, "load", noted_load)
    monkeypatch.setattr(stage.store, "entries", noted_entries)
    counting = asyncio.create_task(turn_counter(turn))
    rooms = await asyncio.gather(*map(stage.game_server.rooms.get, games))
    counting.cancel()
    assert [room and room.id for room in rooms] == games
    assert set(folded.values()) == {1}
    assert most == ROOMS_AT_ONCE


async def test_a_crowd_that_cannot_be_read_is_told_to_try_again_and_then_comes_in(stage: Stage) -> None:
    games = await tables(stage)
    former = stage.store.entries

    async def away(*asked: Any) -> list[Entry]:
        raise StoreUnavailable("away")

    stage.store.entries = away  # type: ignore[method-assign, assignment]
    answers = await asyncio.gather(*map(stage.game_server.rooms.get, games), return_exceptions=True)
    assert {each.code for each in answers if isinstance(each, Refusal)} == {"try_again"}
    assert len(answers) == sum(isinstance(each, Refusal) for each in answers)
    stage.store.entries = former  # type: ignore[method-assign]
    rooms = await asyncio.gather(*map(stage.game_server.rooms.get, games))
    assert None not in rooms


async def test_of_two_who_want_one_seat_in_the_same_turn_one_has_it(stage: Stage) -> None:
    host = stage.guest("ann")
    game = await stage.open_table(host)
    people = [await stage.guest(name).come(game) for name in ("bo", "cy")]
    answers = await asyncio.gather(*(each.sit(seat=0) for each in people), return_exceptions=True)
    assert [getattr(each, "code", "seated") for each in answers] == ["seated", "seat_taken"]
    room = stage.game_server.rooms.loaded(game)
    assert room is not None
    assert room.table.seats[0].person == "p_bo"
