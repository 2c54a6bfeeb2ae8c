"""News are published only to workers that follow the topic; the hub counts messages as Redis does."""

from __future__ import annotations

import asyncio

from app.bus.local import LocalBus
from app.play.lobby_clients import LobbySubscriber
from app.play.ports import Actor, News
from app.play.server import GameServer
from app.play.sweep.sweeper import HOLDER_PRIORITY_MS
from tests.play.commands.test_play import choices_of
from tests.play.stage import Guest, RecordingListener, Stage
from tests.play.sync.test_resync import wait_until
from tests.play.sync.test_workers import start_over_two_workers


def count_sent(game_server: GameServer) -> int:
    assert isinstance(game_server.bus, LocalBus)
    return game_server.bus.counts.sent


def enter_lobby(game_server: GameServer, name: str) -> tuple[LobbySubscriber, RecordingListener]:
    listener = RecordingListener()
    looker = LobbySubscriber(Actor((f"p_{name}",), name), listener)
    game_server.lobby.enter(looker)
    return looker, listener


async def play_actions(people: list[Guest], count: int) -> None:
    """Play this many actions, each by the player to act."""
    for _ in range(count):
        table = (await people[0].room()).table
        actor = people[table.to_act[0]]
        await actor.act(choices_of(actor)[-1]["action"])


async def test_other_workers_receive_no_news_of_a_game_they_do_not_have(shared_stage: Stage) -> None:
    ann, bo = await shared_stage.start_game("ann", "bo")
    other = await shared_stage.add_worker()
    before = count_sent(ann.game_server)
    await play_actions([ann, bo], 12)
    await ann.send("chat", text="just us")
    ann.game_server.rooms.publish_presence()
    assert count_sent(ann.game_server) == before
    assert other.rooms.get_loaded(ann.game) is None


async def test_an_entry_is_one_message_per_holder_without_a_reply(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    before = count_sent(ann.game_server), count_sent(bo.game_server)
    start = (await ann.room()).table.seq
    await play_actions([ann, bo], 10)
    assert (await bo.room()).table.seq == (await ann.room()).table.seq == start + 10
    assert count_sent(ann.game_server) + count_sent(bo.game_server) - sum(before) == 10


async def test_a_worker_that_loads_a_shared_room_reads_unpublished_entries(shared_stage: Stage) -> None:
    """It receives entries stored after it read the log and before others knew that it follows, and the presence."""
    ann, bo = await shared_stage.start_game("ann", "bo")
    other = await shared_stage.add_worker()
    real, is_held = other.store.log.read_entries, asyncio.Event()

    async def slow(*given: object, **named: object) -> object:
        found = await real(*given, **named)  # type: ignore[arg-type]
        if not is_held.is_set():
            is_held.set()
            await play_actions([ann, bo], 2)  # not received: the other worker's room is not loaded yet
        return found

    other.store.log.read_entries = slow  # type: ignore[method-assign, assignment]
    try:
        room = await other.rooms.get(ann.game)
    finally:
        other.store.log.read_entries = real  # type: ignore[method-assign]
    assert room is not None
    there = await ann.room()
    await wait_until(lambda: room.table.seq == there.table.seq)
    await wait_until(lambda: room.presence.list_present_seats(room.table, other.clock.now()) == {0, 1})


async def test_news_of_a_later_head_makes_the_room_read_its_log(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await play_actions([ann, bo][:1] * 2, 1)
    shared_stage.hub.is_down = False
    seq = (await ann.room()).table.seq
    assert (await bo.room()).table.seq == seq - 1
    bo.game_server.news.on_news(News("head", ann.game, "another", seq))
    room = await bo.room()
    await wait_until(lambda: room.table.seq == seq)


async def test_a_change_of_turn_is_sent_only_to_workers_with_the_player_in_the_lobby(
    shared_stage: Stage,
) -> None:
    ann, bo = await shared_stage.start_game("ann", "bo")
    second, third = await shared_stage.add_worker(), await shared_stage.add_worker()
    looker, listener = enter_lobby(second, "bo")
    _, stranger = enter_lobby(third, "lee")
    before = count_sent(ann.game_server)
    seat = (await ann.room()).table.to_act
    while (await ann.room()).table.to_act == seat:
        await play_actions([ann, bo], 1)
    assert count_sent(ann.game_server) == before + 1
    assert [row["room"]["id"] for row in listener.of_kind("room")] == [ann.game]
    assert (listener.last["list"], listener.last["room"]["my_turn"]) == ("mine", seat == (0,))
    assert not stranger.received, "the public row does not change"
    second.lobby.leave(looker)
    await play_actions([ann, bo], 8)
    assert count_sent(ann.game_server) == before + 1


async def test_the_end_of_a_game_reaches_every_lobby_once(shared_stage: Stage) -> None:
    ann, bo, _ = await start_over_two_workers(shared_stage)
    _, near = enter_lobby(bo.game_server, "lee")
    _, far = enter_lobby(await shared_stage.add_worker(), "kim")
    await ann.send("act", action={"type": "resign"}, version=(await ann.room()).table.seq)
    assert (await bo.room()).table.is_over
    for listener in (near, far):
        assert [frame["list"] for frame in listener.of_kind("gone")] == ["open", "watch"]


async def test_entries_that_public_lists_do_not_show_send_no_row(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.enter(game)
    await ann.sit()
    other = await shared_stage.add_worker()
    _, listener = enter_lobby(other, "lee")
    await ann.send("ready", ready=True)
    await ann.send("ready", ready=False)
    assert not listener.received
    await (await shared_stage.guest("bo").enter(game)).sit()
    assert [frame["t"] for frame in listener.received] == ["gone", "gone"], "the last seat is taken"


async def test_due_work_is_left_to_the_worker_with_the_clients(shared_stage: Stage) -> None:
    """Otherwise the first worker to poll would load the room too, and receive all of its entries from then on."""
    ann, _ = await shared_stage.start_game("ann", "bo")
    other = await shared_stage.add_worker()
    here, now = ann.game_server, shared_stage.clock.now()
    await here.context.store.due.schedule(ann.game, now)
    assert await other.sweeper.loop.claim() == []
    assert [due.game for due in await here.sweeper.loop.claim()] == [ann.game]


async def test_due_work_of_a_worker_that_died_is_taken_after_a_while(shared_stage: Stage) -> None:
    ann, _ = await shared_stage.start_game("ann", "bo")
    other = await shared_stage.add_worker()
    await ann.game_server.context.store.due.schedule(ann.game, shared_stage.clock.now())
    shared_stage.clock.advance(HOLDER_PRIORITY_MS / 1000)
    assert [due.game for due in await other.sweeper.loop.claim()] == [ann.game]


async def test_a_table_without_sockets_waits_for_no_other_worker(shared_stage: Stage) -> None:
    """The players use HTTP requests: both workers have the room, and neither leaves a bot's turn to the other."""
    ann, bo = await shared_stage.start_game("ann", "bo")
    other = await shared_stage.add_worker()
    phone = await shared_stage.guest("ann", other).enter(ann.game)
    await ann.game_server.context.store.due.schedule(ann.game, shared_stage.clock.now())
    for guest in (ann, bo):
        await guest.leave()
    assert await ann.game_server.sweeper.loop.claim() == [], "the other worker has a client"
    await phone.leave()
    assert [due.game for due in await ann.game_server.sweeper.loop.claim()] == [ann.game]
