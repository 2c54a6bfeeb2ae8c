"""The short way of an action: what keeps it off that way, and that it ends as the long one does."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson
import pytest

from app.bus.local import Hub
from app.play.commands import messages as cmd
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.ack import Ack
from app.play.room.acting import act_now
from app.play.room.lock import Lock
from app.play.room.room import Room
from app.play.room.subscribers import Subscribers
from app.store.games import SqlGameStore
from tests.play.stage import Guest, Stage, new_id, open_stage


class Answers(list[Ack | Refusal]):
    """What was answered; `first` waits for it."""

    def __init__(self) -> None:
        self._come = asyncio.Event()

    def append(self, answer: Ack | Refusal) -> None:
        super().append(answer)
        self._come.set()

    async def first(self) -> Ack | Refusal:
        await self._come.wait()
        return self[0]


async def acting(guest: Guest, answers: Answers, **changed: Any) -> bool:
    """The first thing this guest may do, sent the short way."""
    room = await guest.room()
    choice = room.table.rules.choices(room.table.position, room.table.to_act[0])[0]["action"]
    fields = {"do": "act", "id": new_id(), "version": room.table.seq, "action": choice, **changed}
    command = cmd.decode(orjson.dumps(fields))
    assert isinstance(command, cmd.Act)
    return act_now(room, guest.subscriber, command, guest.game_server.clock.now(), answers.append)


async def test_it_is_told_when_it_is_on_disk_and_not_before(sqlite_url: str) -> None:
    async with open_stage(sqlite_url) as stage:
        ann, ben = await stage.game("ann", "ben")
        answers = Answers()
        told, seq = len(ben.ear.heard), (await ann.room()).table.seq
        assert await acting(ann, answers)
        assert not answers
        assert len(ben.ear.heard) == told
        done = await answers.first()
        assert isinstance(done, Ack)
        assert done.seq == seq + 1
        assert done.in_frame
        assert ben.ear.last["seq"] == seq + 1
        assert "ack" not in ben.ear.last
        assert ann.ear.last["ack"].startswith("command-")


async def test_whatever_is_not_plain_goes_the_long_way(stage: Stage) -> None:
    ann, ben = await stage.game("ann", "ben")
    room, answers = await ann.room(), Answers()
    seq = room.table.seq
    assert not await acting(ann, answers, version=seq + 1)  # has seen more than this room
    assert not await acting(ann, answers, action={"type": "retreat", "from": 36})  # would be refused
    assert not await acting(ben, answers, action={"type": "end"})  # not in turn
    assert not await acting(await stage.guest("cyd").come(ann.game), answers)  # sits nowhere
    room.is_stale = True
    assert not await acting(ann, answers)
    room.is_stale = False
    known = new_id()
    await ann.act(room.table.rules.choices(room.table.position, 0)[0]["action"], id=known)
    assert not await acting(ann, answers, id=known)  # the first answer is looked up
    assert await acting(ann, answers)
    assert not await acting(ann, answers)  # one is on its way
    await answers.first()
    assert room.table.seq == seq + 2
    assert len(answers) == 1


async def test_a_store_that_fails_is_answered_and_the_room_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ben = await stage.game("ann", "ben")
    room, answers, append = await ann.room(), Answers(), stage.store.append

    async def fail(_: Any) -> bool:
        raise StoreUnavailable("away")

    seq = room.table.seq
    with monkeypatch.context() as patch:
        patch.setattr(stage.store, "append", fail)
        assert await acting(ann, answers)
        refused = await answers.first()
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.why) == ("try_again", "unconfirmed")
    assert stage.store.append == append
    assert room.table.seq == seq
    assert room.is_stale
    await ann.act(room.table.rules.choices(room.table.position, 0)[0]["action"])  # reads on first
    assert room.table.seq == seq + 1
    assert not room.is_stale


@pytest.mark.parametrize("where", ["prepare", "frames_of", "append"])
async def test_a_fault_on_the_way_to_the_log_does_not_lock_the_room(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    ann, ben = await stage.game("ann", "ben")
    room, answers, seq = await ann.room(), Answers(), (await ann.room()).table.seq
    planted = {"prepare": Room, "frames_of": Subscribers, "append": SqlGameStore}[where]

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(planted, where, fail)
        with pytest.raises(RuntimeError, match="planted"):
            await acting(ann, answers)
    assert not room.lock.is_locked
    assert not answers
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
        answers = Answers()
        twin = Guest(stage, "ann", game_server)
        elsewhere.enter(twin.subscriber, stage.clock.now())
        choice = elsewhere.table.rules.choices(elsewhere.table.position, 0)[0]["action"]
        again = cmd.Act.of(new_id(), elsewhere.table.seq, choice)
        assert act_now(elsewhere, twin.subscriber, again, stage.clock.now(), answers.append)
        refused = await answers.first()
        assert isinstance(refused, Refusal)
        assert refused.code == "game_over"
        assert elsewhere.table.seq == room.table.seq
        await game_server.close()


async def test_a_gate_lets_one_pass_at_a_time_in_order() -> None:
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


async def test_a_gate_whose_next_one_gives_up_at_that_moment_is_handed_on() -> None:
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
