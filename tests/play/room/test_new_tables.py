"""Whoever opens a table comes to it at once: nothing is read from the store that was written a moment ago."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import pytest

from app.play.room.broadcast import state_frame
from app.play.room.room import Room
from app.play.room.rooms import MOST_NEW, NEW
from tests.play.stage import Stage

_READ = ("game", "entries", "chat", "mutes", "wake")


def count_reads(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the store is asked for what a table consists of."""
    asked: Counter[str] = Counter()

    def counted(name: str) -> Any:
        ask = getattr(stage.store, name)

        async def count(*given: Any) -> Any:
            asked[name] += 1
            return await ask(*given)

        return count

    for name in _READ:
        monkeypatch.setattr(stage.store, name, counted(name))
    return asked


def shown(room: Room) -> Any:
    return msgspec.to_builtins(state_frame(room.table, None))


async def test_a_table_made_here_is_entered_without_asking_the_store(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = count_reads(stage, monkeypatch)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann)
    await ann.come(game)
    await bo.come(game)
    assert not asked
    for guest in (ann, bo):
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send("start")
    assert (await ann.room()).table.status == "running"


async def test_it_is_the_same_table_as_the_one_that_is_read(stage: Stage) -> None:
    wishes: dict[str, Any] = {
        "title": "At eight",
        "clock": {"kind": "turn", "seconds": 60},
        "bots": ["sailor"],
    }
    ann = stage.guest("ann")
    game = await stage.open_table(ann, players=3, **wishes)
    rooms = stage.game_server.rooms
    new = await rooms.get(game)
    assert new is not None
    stage.clock.pass_seconds(120)
    assert rooms.evict(stage.clock.now()) == 1
    read = await rooms.get(game)
    assert read is not None
    assert read is not new
    assert shown(new) == shown(read)
    assert (new.row, new.commands, new.history) == (read.row, read.commands, read.history)


async def test_seconds_later_it_is_read(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    asked = count_reads(stage, monkeypatch)
    stage.clock.pass_seconds(NEW / 1000 + 1)
    await ann.come(game)
    assert asked["game"] == asked["entries"] == asked["chat"] == 1


async def test_one_that_another_worker_has_is_read_as_it_stands(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    bo = shared_stage.guest("bo", await shared_stage.another_worker())
    await bo.come(game)
    await bo.sit()
    await bo.send("chat", text="Ahoy")
    await ann.come(game)
    assert [seat.person for seat in (await ann.room()).table.seats] == ["p_bo", None]
    assert [line["text"] for line in ann.ear.of("chat") if "text" in line] == ["Ahoy"]


async def test_what_was_said_and_muted_since_is_told_to_whoever_comes_later(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann)
    await ann.come(game)
    await ann.sit()
    await ann.send("chat", text="Ahoy")
    await bo.come(game)
    assert [line["text"] for line in bo.ear.of("chat")] == ["Ahoy"]
    await bo.send("mute", person="p_ann", on=True)
    again = stage.guest("bo")
    await again.come(game)
    assert again.ear.of("welcome")[0]["you"]["muted"] == ["p_ann"]


async def test_tables_to_which_nobody_comes_are_not_kept(stage: Stage) -> None:
    ann, rooms = stage.guest("ann"), stage.game_server.rooms
    for _ in range(MOST_NEW + 3):
        await stage.open_table(ann)
    assert len(rooms._made) == MOST_NEW
    stage.clock.pass_seconds(NEW / 1000 + 1)
    rooms.evict(stage.clock.now())
    assert not rooms._made
