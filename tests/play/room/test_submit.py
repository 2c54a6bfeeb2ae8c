"""The one way in: an action needs no task, whatever must be waited for has one, and the lock is always let go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.bus.local import Hub
from app.play.commands import messages as cmd
from app.play.commands.proposal import Ack
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room.replica import Lock
from app.play.room.room import Room
from app.play.room.subscribers import Subscribers
from tests.play.stage import Guest, Stage, laid, new_id, open_stage, stored_by


def first_choice(room: Room) -> dict[str, Any]:
    action: dict[str, Any] = room.table.rules.choices(laid(room), room.table.to_act[0])[0]["action"]
    return action


async def acting(guest: Guest, **changed: Any) -> asyncio.Future[Ack]:
    """The first thing the seat to act may do, sent by this guest."""
    room = await guest.room()
    fields = {"command": new_id(), "version": room.table.seq, "action": first_choice(room), **changed}
    return room.submit(guest.actor, cmd.Act.of(**fields), guest.game_server.clock.now())


async def refused(done: asyncio.Future[Ack]) -> str:
    with pytest.raises(Refusal) as refusal:
        await done
    return refusal.value.code


async def test_it_is_told_when_it_is_on_disk_and_not_before(sqlite_url: str) -> None:
    async with open_stage(sqlite_url) as stage:
        ann, ben = await stage.game("ann", "ben")
        told, seq = len(ben.ear.heard), (await ann.room()).table.seq
        done = await acting(ann)
        assert not done.done()
        assert len(ben.ear.heard) == told
        ack = await done
        assert ack.seq == seq + 1
        assert ack.in_frame
        assert ben.ear.last["seq"] == seq + 1
        assert "ack" not in ben.ear.last
        assert ann.ear.last["ack"].startswith("command-")


async def test_an_action_and_a_refusal_need_no_task(stage: Stage) -> None:
    ann, ben = await stage.game("ann", "ben")
    tasks, room = stage.game_server.tasks, await ann.room()
    done = await acting(ann)
    assert not tasks.running
    await done
    for wrong in (
        await acting(ben, action={"type": "retreat", "from": 36}),  # the rules refuse it
        await acting(await stage.guest("cyd").come(ann.game)),  # sits nowhere
        await acting(ann, version=1),  # has not seen where the table stands
    ):
        assert wrong.done()
        assert isinstance(wrong.exception(), Refusal)
    known = new_id()
    first = await (await acting(ann, command=known))
    again = await acting(ann, command=known)
    assert again.done()
    assert again.result() == Ack(first.seq, False)
    assert await refused(await acting(ben, command=known)) == "id_taken"
    assert not tasks.running
    assert not room.lock.is_locked


async def test_what_must_be_read_first_is_waited_for_in_a_task(stage: Stage) -> None:
    ann, _ben = await stage.game("ann", "ben")
    tasks, room = stage.game_server.tasks, await ann.room()
    seq = room.table.seq
    room.is_stale = True
    done = await acting(ann)
    assert len(tasks.running) == 1
    assert room.lock.is_locked
    assert (await done).seq == seq + 1
    assert not room.is_stale
    ahead = await acting(ann, version=room.table.seq + 1)  # has seen more than this room
    assert len(tasks.running) == 1
    assert (await ahead).seq == seq + 2
    assert not room.lock.is_locked


async def test_in_a_busy_room_commands_have_their_turns_in_order(stage: Stage) -> None:
    ann, ben = await stage.game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    first = await acting(ann)
    second = room.submit(ben.actor, cmd.CloseChat(id=new_id(), closed=True), stage.clock.now())
    third = room.submit(ann.actor, cmd.CloseChat(id=new_id(), closed=True), stage.clock.now())
    gone = room.submit(ann.actor, cmd.CloseChat(id=new_id(), closed=False), stage.clock.now())
    last = room.submit(ben.actor, cmd.Act.of(new_id(), seq, {"type": "resign"}), stage.clock.now())
    assert not stage.game_server.tasks.running
    gone.cancel()  # before its turn had come: nothing is done
    assert (await first).seq == seq + 1
    assert await refused(second) == "not_host"
    assert (await third).seq == seq + 2
    assert (await last).seq == seq + 3
    assert room.table.is_over
    assert not room.lock.is_locked


async def test_whoever_does_not_wait_for_the_answer_has_acted_all_the_same(stage: Stage) -> None:
    ann, ben = await stage.game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    done = await acting(ann)
    done.cancel()  # on its way to the disk: a request that was cut off
    await ben.send("act", version=seq + 1, action={"type": "resign"})
    assert room.table.seq == seq + 2
    assert [entry.kind for entry in await stage.store.entries(ann.game, seq)] == ["action", "action"]


async def test_a_store_that_fails_is_answered_and_the_room_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ben = await stage.game("ann", "ben")
    room, append = await ann.room(), stage.store.append

    async def fail(_: Any) -> bool:
        raise StoreUnavailable("away")

    seq = room.table.seq
    with monkeypatch.context() as patch:
        patch.setattr(stage.store, "append", stored_by(fail))
        done = await acting(ann)
        assert await refused(done) == "try_again"
        problem = done.exception()
        assert isinstance(problem, Unconfirmed)
    assert stage.store.append == append
    assert room.table.seq == seq
    assert room.is_stale
    await ann.act(first_choice(room))  # reads on first
    assert room.table.seq == seq + 1
    assert not room.is_stale


@pytest.mark.parametrize("where", ["_next", "_append", "frames_of", "append", "_commit", "tell_entry"])
async def test_a_fault_anywhere_on_the_way_does_not_lock_the_room(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    ann, ben = await stage.game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    planted: Any = {"frames_of": Subscribers, "tell_entry": Subscribers, "append": stage.store}.get(
        where, Room
    )

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(planted, where, fail)
        with pytest.raises(RuntimeError, match="planted"):
            await (await acting(ann))
    assert not room.lock.is_locked
    async with asyncio.timeout(20):  # only so that a room that stays locked ends this test
        await ben.send("act", version=seq, action={"type": "resign"})
    assert room.table.is_over


async def test_another_worker_was_faster(sqlite_url: str) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        ann, _ben = await stage.game("ann", "ben")
        game_server = await stage.another_worker()
        room = await ann.room()
        elsewhere = await game_server.rooms.get(ann.game)
        assert elsewhere is not None
        # The other worker's room has not heard of what ours stores now.
        game_server.rooms.loaded = lambda game: None  # type: ignore[method-assign]
        command = cmd.Act.of(new_id(), room.table.seq, {"type": "resign"})
        await room.submit(ann.actor, command, stage.clock.now())
        twin = Guest(stage, "ann", game_server)
        elsewhere.enter(twin.subscriber, stage.clock.now())
        again = cmd.Act.of(new_id(), elsewhere.table.seq, first_choice(elsewhere))
        assert await refused(elsewhere.submit(twin.actor, again, stage.clock.now())) == "game_over"
        assert elsewhere.table.seq == room.table.seq
        await game_server.close()


async def test_a_lock_lets_one_pass_at_a_time_in_order() -> None:
    lock, passed = Lock(), list[int]()

    async def walk(number: int) -> None:
        async with lock:
            passed.append(number)
            await asyncio.sleep(0)

    assert lock.try_acquire()
    assert not lock.try_acquire()
    walkers = [asyncio.create_task(walk(number)) for number in range(4)]
    await asyncio.sleep(0)
    walkers[1].cancel()
    await asyncio.sleep(0)
    assert not passed
    lock.release()
    assert lock.is_locked  # it is handed on, nobody slips in
    await asyncio.gather(*walkers, return_exceptions=True)
    assert passed == [0, 2, 3]
    assert not lock.is_locked


async def test_a_lock_whose_next_one_gives_up_at_that_moment_is_handed_on() -> None:
    lock, passed = Lock(), list[int]()

    async def walk(number: int) -> None:
        async with lock:
            passed.append(number)

    lock.try_acquire()
    walkers = [asyncio.create_task(walk(number)) for number in range(2)]
    await asyncio.sleep(0)
    lock.release()  # the first one's turn has come ...
    walkers[0].cancel()  # ... but it is gone
    await asyncio.gather(*walkers, return_exceptions=True)
    assert passed == [1]
    assert not lock.is_locked
