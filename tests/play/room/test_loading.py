"""Everybody comes back at once: rooms are loaded a few at a time, and moves elsewhere go on meanwhile."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from app.play.log.entries import Entry
from app.play.log.reading import ROOMS_AT_ONCE
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.play.room.rooms import NEW
from app.play.turns import MOST
from tests.play.stage import Stage

ROOMS = 30


async def turn_counter(turn: list[int]) -> None:
    while True:
        turn[0] += 1
        await asyncio.sleep(0)


async def tables(stage: Stage) -> list[str]:
    host = stage.guest("ann")
    games = [await stage.open_table(host) for _ in range(ROOMS)]
    stage.clock.pass_seconds(NEW / 1000 + 1)  # what was made just now would not be read at all
    return games


async def test_many_rooms_are_read_a_few_at_a_time_and_not_all_folded_in_one_turn(
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
    assert max(folded.values()) <= MOST
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
