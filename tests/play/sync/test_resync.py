"""Lost news between workers: chat lines, lobby lists and entries are read from the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.play.lobby_clients import LobbySubscriber
from app.play.ports import Actor, News, StoreUnavailable
from app.play.room.room import Room
from tests.play.commands.test_play import advance_of
from tests.play.stage import Guest, RecordingListener, Stage
from tests.play.sync.test_workers import start_over_two_workers


async def wait_until(met: Callable[[], object]) -> None:
    for _ in range(6000):
        if met():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def list_line_numbers(guest: Guest) -> list[int]:
    return [line["n"] for line in guest.listener.of_kind("chat")]


async def test_a_missed_chat_line_is_found_by_the_next_number(shared_stage: Stage) -> None:
    ann, bo, wim = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    await ann.send("chat", text="one")
    shared_stage.hub.is_down = True
    await ann.send("chat", text="two")
    shared_stage.hub.is_down = False
    assert list_line_numbers(bo) == [1]
    await ann.send("chat", text="three")
    await wait_until(lambda: len(list_line_numbers(bo)) == 3)
    assert list_line_numbers(bo) == list_line_numbers(wim) == list_line_numbers(ann) == [1, 2, 3]
    await bo.send("chat", text="four")
    assert list_line_numbers(bo) == list_line_numbers(ann) == [1, 2, 3, 4]


async def test_writing_a_line_delivers_missed_lines_first(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.send("chat", text="unheard")
    await bo.send("chat", text="own")
    assert list_line_numbers(bo) == [1, 2]


async def test_after_a_gap_moves_chat_and_lobby_are_sent_at_once(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    looker = LobbySubscriber(Actor(("p_lee",), "lee"), RecordingListener())
    bo.game_server.lobby.enter(looker)
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    await ann.send("chat", text="anybody?")
    cy = shared_stage.guest("cy")
    await cy.enter(await shared_stage.open_table(cy))
    await cy.sit()
    bo.game_server.news.on_news(News("gap", "", "", None))
    bo.game_server.news.on_news(News("gap", "", "", None))
    listener = looker.listener
    assert isinstance(listener, RecordingListener)
    await wait_until(lambda: listener.of_kind("lobby"))
    assert bo.listener.of_kind("events")[-1]["seq"] == ann.listener.of_kind("events")[-1]["seq"]
    assert list_line_numbers(bo) == [1]
    assert [len(message["open"]) for message in listener.of_kind("lobby")] == [1]


async def test_a_gap_is_closed_once_the_store_answers_again(shared_stage: Stage) -> None:
    _, bo, _ = await start_over_two_workers(shared_stage)
    listener = RecordingListener()
    bo.game_server.lobby.enter(LobbySubscriber(Actor(("p_lee",), "lee"), listener))
    real, asked = bo.game_server.lobby.send_lists, 0

    async def fails_once(subscriber: LobbySubscriber) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise StoreUnavailable("away")
        await real(subscriber)

    bo.game_server.lobby.send_lists = fails_once  # type: ignore[method-assign]
    bo.game_server.news.on_news(News("gap", "", "", None))
    await wait_until(lambda: listener.of_kind("lobby"))
    assert asked == 2


async def test_a_command_is_not_refused_because_this_worker_is_behind(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    other = await shared_stage.add_worker()
    bo = await shared_stage.guest("bo", other).enter(game)
    await ann.enter(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await bo.game_server.rooms.compare_heads()
    await bo.sit()
    await bo.send("ready", ready=True)
    await ann.send("start")  # bo is ready, which this worker does not know yet
    await bo.game_server.rooms.compare_heads()
    await bo.open_seal()
    await shared_stage.game_server.rooms.compare_heads()
    assert (await ann.room()).table.status == "running"
    assert await ann.expect_refusal("start") == "started"


async def test_a_move_made_while_a_room_was_being_opened_is_read_once_it_is_followed(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # like a subscription that is not active yet
    await ann.act(advance_of(ann))
    bo.game_server.news.on_news(News("followed", ann.game, "", None))
    await wait_until(lambda: bo.listener.last.get("seq") == ann.listener.last["seq"])
    bo.game_server.news.on_news(News("followed", "no such game", "", None))


async def test_a_room_whose_log_cannot_be_folded_stops_no_other_room_and_is_logged_once(
    shared_stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken, there, _ = await start_over_two_workers(shared_stage)
    (ann, _) = await shared_stage.start_game("cy", "di")
    poisoned, other = await there.room(), await there.game_server.rooms.get(ann.game)
    assert other is not None
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    for guest in (broken, ann):
        await guest.send("close_chat", closed=True)
    shared_stage.hub.is_down = False
    receive = Room.receive_entry

    def fail(room: Room, *given: Any, **named: Any) -> bool:
        if room is poisoned:
            raise KeyError("a hidden card")
        return receive(room, *given, **named)

    monkeypatch.setattr(Room, "receive_entry", fail)
    for _ in range(3):
        await there.game_server.rooms.compare_heads()
    assert [room.table.chat_closed for room in (poisoned, other)] == [False, True]
    # News of such an entry does not stop later news either.
    await broken.send("close_chat", closed=False)
    await ann.send("close_chat", closed=False)
    assert [room.table.chat_closed for room in (poisoned, other)] == [False, False]
    assert poisoned.is_stale
    (line,) = [record.getMessage() for record in caplog.records if "cannot be read" in record.getMessage()]
    assert "KeyError" in line
    assert "hidden card" not in caplog.text
    monkeypatch.undo()
    await there.game_server.rooms.compare_heads()
    assert not poisoned.is_stale
