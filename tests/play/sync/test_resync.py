"""News between workers that were lost: lines of chat, lobby lists and entries are read anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.play.lobby import LobbySubscriber
from app.play.ports import Actor, News, StoreUnavailable
from tests.play.commands.test_play import advance_of
from tests.play.stage import Ear, Guest, Stage
from tests.play.sync.test_workers import over_two_workers


async def until(met: Callable[[], object]) -> None:
    for _ in range(6000):
        if met():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def lines_of(guest: Guest) -> list[int]:
    return [line["n"] for line in guest.ear.of("chat")]


async def test_a_missed_line_of_chat_is_found_by_the_number_of_the_next(shared_stage: Stage) -> None:
    ann, bo, wim = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    await ann.send("chat", text="one")
    shared_stage.hub.is_down = True
    await ann.send("chat", text="two")
    shared_stage.hub.is_down = False
    assert lines_of(bo) == [1]
    await ann.send("chat", text="three")
    await until(lambda: len(lines_of(bo)) == 3)
    assert lines_of(bo) == lines_of(wim) == lines_of(ann) == [1, 2, 3]
    await bo.send("chat", text="four")
    assert lines_of(bo) == lines_of(ann) == [1, 2, 3, 4]


async def test_a_line_of_ones_own_brings_the_missed_ones_before_it(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await ann.send("chat", text="unheard")
    await bo.send("chat", text="own")
    assert lines_of(bo) == [1, 2]


async def test_after_a_gap_moves_chat_and_lobby_are_told_without_waiting_for_more(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    looker = LobbySubscriber(Actor(("p_lee",), "lee"), Ear())
    bo.game_server.lobby.enter(looker)
    shared_stage.hub.is_down = True
    await ann.act(advance_of(ann))
    await ann.send("chat", text="anybody?")
    cy = shared_stage.guest("cy")
    await cy.come(await shared_stage.open_table(cy))
    await cy.sit()
    bo.game_server.news.read(News("gap", "", "", None))
    bo.game_server.news.read(News("gap", "", "", None))
    ear = looker.listener
    assert isinstance(ear, Ear)
    await until(lambda: ear.of("lobby"))
    assert bo.ear.of("events")[-1]["seq"] == ann.ear.of("events")[-1]["seq"]
    assert lines_of(bo) == [1]
    assert [len(message["open"]) for message in ear.of("lobby")] == [1]


async def test_a_gap_is_closed_once_the_store_answers_again(shared_stage: Stage) -> None:
    _, bo, _ = await over_two_workers(shared_stage)
    ear = Ear()
    bo.game_server.lobby.enter(LobbySubscriber(Actor(("p_lee",), "lee"), ear))
    real, asked = bo.game_server.lobby.tell_lists, 0

    async def fails_once(subscriber: LobbySubscriber) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            raise StoreUnavailable("away")
        await real(subscriber)

    bo.game_server.lobby.tell_lists = fails_once  # type: ignore[method-assign]
    bo.game_server.news.read(News("gap", "", "", None))
    await until(lambda: ear.of("lobby"))
    assert asked == 2


async def test_nobody_is_refused_because_this_worker_has_not_heard_yet(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    other = await shared_stage.another_worker()
    bo = await shared_stage.guest("bo", other).come(game)
    await ann.come(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await bo.game_server.rooms.compare_heads()
    await bo.sit()
    await bo.send("ready", ready=True)
    await ann.send("start")  # bo is ready, and told ann so by another way
    await bo.game_server.rooms.compare_heads()
    await bo.open()
    await shared_stage.game_server.rooms.compare_heads()
    assert (await ann.room()).table.status == "running"
    assert await ann.refused("start") == "started"


async def test_a_move_made_while_a_room_was_being_opened_is_read_once_it_is_followed(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True  # as a subscription that is on its way
    await ann.act(advance_of(ann))
    bo.game_server.news.read(News("followed", ann.game, "", None))
    await until(lambda: bo.ear.last.get("seq") == ann.ear.last["seq"])
    bo.game_server.news.read(News("followed", "no such game", "", None))
