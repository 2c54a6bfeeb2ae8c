"""The bus says only what another worker wants: counted in messages of a hub that counts as Redis does."""

from __future__ import annotations

import asyncio

from app.bus.local import LocalBus
from app.play.lobby import LobbySubscriber
from app.play.ports import Actor, News
from app.play.schedule.sweeper import HOLDERS_TURN
from app.play.server import GameServer
from tests.play.commands.test_play import choices_of
from tests.play.stage import Ear, Guest, Stage
from tests.play.sync.test_resync import until
from tests.play.sync.test_workers import over_two_workers


def sent_by(game_server: GameServer) -> int:
    assert isinstance(game_server.bus, LocalBus)
    return game_server.bus.counts.sent


def look_on(game_server: GameServer, name: str) -> tuple[LobbySubscriber, Ear]:
    ear = Ear()
    looker = LobbySubscriber(Actor((f"p_{name}",), name), ear)
    game_server.lobby.enter(looker)
    return looker, ear


async def turns(people: list[Guest], count: int) -> None:
    """So many actions of whoever is to act."""
    for _ in range(count):
        table = (await people[0].room()).table
        actor = people[table.to_act[0]]
        await actor.act(choices_of(actor)[-1]["action"])


async def test_of_a_game_that_lives_in_one_worker_the_others_hear_nothing(shared_stage: Stage) -> None:
    ann, bo = await shared_stage.game("ann", "bo")
    other = await shared_stage.another_worker()
    before = sent_by(ann.game_server)
    await turns([ann, bo], 12)
    await ann.send("chat", text="just us")
    ann.game_server.rooms.tell_presence()
    assert sent_by(ann.game_server) == before
    assert other.rooms.loaded(ann.game) is None


async def test_an_entry_is_one_message_to_a_worker_that_has_the_room_and_none_comes_back(
    shared_stage: Stage,
) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    before = sent_by(ann.game_server), sent_by(bo.game_server)
    start = (await ann.room()).table.seq
    await turns([ann, bo], 10)
    assert (await bo.room()).table.seq == (await ann.room()).table.seq == start + 10
    assert sent_by(ann.game_server) + sent_by(bo.game_server) - sum(before) == 10


async def test_whoever_loads_a_room_that_another_has_learns_what_was_not_said(shared_stage: Stage) -> None:
    """What was written between its reading and the other's hearing of it, and who is there."""
    ann, bo = await shared_stage.game("ann", "bo")
    other = await shared_stage.another_worker()
    real, is_held = other.store.entries, asyncio.Event()

    async def slow(*given: object, **named: object) -> object:
        found = await real(*given, **named)  # type: ignore[arg-type]
        if not is_held.is_set():
            is_held.set()
            await turns([ann, bo], 2)  # nobody there to hear it: the room is not in place
        return found

    other.store.entries = slow  # type: ignore[method-assign, assignment]
    try:
        room = await other.rooms.get(ann.game)
    finally:
        other.store.entries = real  # type: ignore[method-assign]
    assert room is not None
    there = await ann.room()
    await until(lambda: room.table.seq == there.table.seq)
    await until(lambda: room.presence.present_seats(room.table, other.clock.now()) == {0, 1})


async def test_a_head_ahead_of_ours_is_read_at_once(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    assert shared_stage.hub is not None
    shared_stage.hub.is_down = True
    await turns([ann, bo][:1] * 2, 1)
    shared_stage.hub.is_down = False
    seq = (await ann.room()).table.seq
    assert (await bo.room()).table.seq == seq - 1
    bo.game_server.news.read(News("head", ann.game, "another", seq))
    room = await bo.room()
    await until(lambda: room.table.seq == seq)


async def test_your_turn_is_told_where_you_look_at_the_lobby_and_nowhere_else(shared_stage: Stage) -> None:
    ann, bo = await shared_stage.game("ann", "bo")
    second, third = await shared_stage.another_worker(), await shared_stage.another_worker()
    looker, ear = look_on(second, "bo")
    _, stranger = look_on(third, "lee")
    before = sent_by(ann.game_server)
    seat = (await ann.room()).table.to_act
    while (await ann.room()).table.to_act == seat:
        await turns([ann, bo], 1)
    assert sent_by(ann.game_server) == before + 1
    assert [row["room"]["id"] for row in ear.of("room")] == [ann.game]
    assert (ear.last["list"], ear.last["room"]["my_turn"]) == ("mine", seat == (0,))
    assert not stranger.heard, "a stranger sees no difference"
    second.lobby.leave(looker)
    await turns([ann, bo], 8)
    assert sent_by(ann.game_server) == before + 1


async def test_the_end_of_a_game_is_told_to_every_lobby_once(shared_stage: Stage) -> None:
    ann, bo, _ = await over_two_workers(shared_stage)
    _, near = look_on(bo.game_server, "lee")
    _, far = look_on(await shared_stage.another_worker(), "kim")
    await ann.send("act", action={"type": "resign"}, version=(await ann.room()).table.seq)
    assert (await bo.room()).table.is_over
    for ear in (near, far):
        assert [frame["list"] for frame in ear.of("gone")] == ["open", "watch"]


async def test_what_strangers_do_not_see_is_no_row(shared_stage: Stage) -> None:
    ann = shared_stage.guest("ann")
    game = await shared_stage.open_table(ann)
    await ann.come(game)
    await ann.sit()
    other = await shared_stage.another_worker()
    _, ear = look_on(other, "lee")
    await ann.send("ready", ready=True)
    await ann.send("ready", ready=False)
    assert not ear.heard
    await (await shared_stage.guest("bo").come(game)).sit()
    assert [frame["t"] for frame in ear.heard] == ["gone", "gone"], "the last seat is taken"


async def test_due_work_is_left_to_the_worker_where_the_people_are(shared_stage: Stage) -> None:
    """Else whoever polled first would load the room as well, and hear all of its entries from then on."""
    ann, _ = await shared_stage.game("ann", "bo")
    other = await shared_stage.another_worker()
    here, now = ann.game_server, shared_stage.clock.now()
    await here.context.store.wake(ann.game, now)
    assert await other.sweeper.loop.claim() == []
    assert [due.game for due in await here.sweeper.loop.claim()] == [ann.game]


async def test_due_work_of_a_worker_that_died_is_taken_after_a_while(shared_stage: Stage) -> None:
    ann, _ = await shared_stage.game("ann", "bo")
    other = await shared_stage.another_worker()
    await ann.game_server.context.store.wake(ann.game, shared_stage.clock.now())
    shared_stage.clock.pass_seconds(HOLDERS_TURN / 1000)
    assert [due.game for due in await other.sweeper.loop.claim()] == [ann.game]


async def test_a_table_whose_people_have_no_socket_waits_for_no_other_worker(shared_stage: Stage) -> None:
    """They play by requests: both workers have the room, and neither leaves a bot's turn to the other."""
    ann, bo = await shared_stage.game("ann", "bo")
    other = await shared_stage.another_worker()
    phone = await shared_stage.guest("ann", other).come(ann.game)
    await ann.game_server.context.store.wake(ann.game, shared_stage.clock.now())
    for guest in (ann, bo):
        await guest.go()
    assert await ann.game_server.sweeper.loop.claim() == [], "somebody is at the other worker"
    await phone.go()
    assert [due.game for due in await ann.game_server.sweeper.loop.claim()] == [ann.game]
