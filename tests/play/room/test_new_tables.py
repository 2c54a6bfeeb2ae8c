"""The creator of a table enters it at once, without reading back from the store what was just written."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from app.play.room.audience_frames import state_frame
from app.play.room.room import Room
from app.play.room.rooms import MAX_CACHED_NEW_TABLES, NEW_TABLE_CACHE_TTL_MS
from tests.play.stage import Stage

_READ = (
    ("log", "read_game"),
    ("log", "read_entries"),
    ("chat", "read_lines"),
    ("chat", "read_mutes"),
    ("due", "schedule"),
)


def count_reads(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the store's queries for a table, its log and its chat."""
    asked: Counter[str] = Counter()

    def counted(part: object, name: str) -> Any:
        ask = getattr(part, name)

        async def count(*given: Any) -> Any:
            asked[name] += 1
            return await ask(*given)

        return count

    for of, name in _READ:
        part = getattr(stage.store, of)
        monkeypatch.setattr(part, name, counted(part, name))
    return asked


def describe(room: Room) -> Any:
    return msgspec.to_builtins(state_frame(room.table, None))


async def test_a_table_created_here_is_entered_without_a_query(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count_reads(stage, monkeypatch)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann)
    await ann.enter(game)
    await bo.enter(game)
    assert not asked
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert (await ann.room()).table.status == "running"


async def test_a_remembered_table_equals_the_stored_one(stage: Stage) -> None:
    terms_json: dict[str, Any] = {
        "title": "At eight",
        "clock": {"kind": "turn", "seconds": 60},
        "bots": ["sailor"],
    }
    ann = stage.guest("ann")
    game = await stage.open_table(ann, players=3, **terms_json)
    rooms = stage.game_server.rooms
    new = await rooms.get(game)
    assert new is not None
    stage.clock.advance(120)
    assert rooms.evict(stage.clock.now()) == 1
    read = await rooms.get(game)
    assert read is not None
    assert read is not new
    assert describe(new) == describe(read)
    assert (new.row, new.commands, new.history) == (read.row, read.commands, read.history)


async def test_a_table_is_read_from_the_store_after_a_few_seconds(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    asked = count_reads(stage, monkeypatch)
    stage.clock.advance(NEW_TABLE_CACHE_TTL_MS / 1000 + 1)
    await ann.enter(game)
    assert asked["read_game"] == asked["read_entries"] == asked["read_lines"] == 1


async def test_a_table_that_another_worker_has_is_read_from_the_store(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    bo = shared_stage.guest("bo", await shared_stage.add_worker())
    await bo.enter(game)
    await bo.sit()
    await bo.send("chat", text="Ahoy")
    await ann.enter(game)
    assert [seat.person for seat in (await ann.room()).table.seats] == ["p_bo", None]
    assert [line["text"] for line in ann.listener.of_kind("chat") if "text" in line] == ["Ahoy"]


async def test_before_the_start_seated_players_read_what_a_visitor_writes(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann)
    await ann.enter(game)
    await ann.sit()
    await bo.enter(game)
    await bo.send("chat", text="Are you there?")
    assert [line["text"] for line in ann.listener.of_kind("chat") if "text" in line] == ["Are you there?"]


async def test_a_later_client_receives_the_chat_and_mutes_written_meanwhile(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann)
    await ann.enter(game)
    await ann.sit()
    await ann.send("chat", text="Ahoy")
    await bo.enter(game)
    assert [line["text"] for line in bo.listener.of_kind("chat")] == ["Ahoy"]
    await bo.send("mute", person="p_ann", on=True)
    again = stage.guest("bo")
    await again.enter(game)
    assert again.listener.of_kind("welcome")[0]["you"]["muted"] == ["p_ann"]


async def test_tables_that_are_never_entered_are_forgotten(stage: Stage) -> None:
    ann, rooms = stage.guest("ann"), stage.game_server.rooms
    for _ in range(MAX_CACHED_NEW_TABLES + 3):
        await stage.open_table(ann)
    assert len(rooms._new_tables) == MAX_CACHED_NEW_TABLES
    stage.clock.advance(NEW_TABLE_CACHE_TTL_MS / 1000 + 1)
    rooms.evict(stage.clock.now())
    assert not rooms._new_tables
