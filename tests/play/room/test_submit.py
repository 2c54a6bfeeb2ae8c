"""The path of a command: an action needs no task, a command that waits has one, and the lock is always released."""

from __future__ import annotations

import asyncio
import gc
from functools import partial
from typing import Any

import pytest

from app.bus.local import Hub
from app.play.commands import messages as cmd
from app.play.commands.play import act, close_chat, decide_change
from app.play.commands.request import Ack, Request
from app.play.outcome import Outcome
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal, Unconfirmed
from app.play.room import submit as submitting
from app.play.room.room import Lock, Room
from app.play.room.submit import begin_sweep, submit
from app.play.room.subscribers import Subscribers
from tests.choices import choices_of
from tests.play.stage import Guest, Stage, append_with, new_command_id, open_stage, position_of


def first_choice(room: Room) -> dict[str, Any]:
    action: dict[str, Any] = choices_of(position_of(room), room.table.to_act[0])[0]["action"]
    return action


async def start_action(guest: Guest, **changed: Any) -> Outcome[Ack]:
    """Send the first choice of the seat to act, from this guest."""
    room = await guest.room()
    fields = {"command": new_command_id(), "version": room.table.seq, "action": first_choice(room), **changed}
    return submit(room, Request(guest.actor, cmd.Act.from_json(**fields), guest.game_server.clock.now()), act)


def start_closing_chat(guest: Guest, room: Room, *, closed: bool) -> Outcome[Ack]:
    """Close or open the chat, as this guest."""
    command = cmd.CloseChat(id=new_command_id(), closed=closed)
    request = Request(guest.actor, command, guest.game_server.clock.now())
    return submit(room, request, partial(decide_change, close_chat))


async def wait_for(done: Outcome[Ack]) -> Ack:
    return await done


async def wait_for_refusal(done: Outcome[Ack]) -> str:
    with pytest.raises(Refusal) as refusal:
        await done
    return refusal.value.code


async def test_an_action_is_sent_only_after_it_is_on_disk(sqlite_url: str) -> None:
    async with open_stage(sqlite_url) as stage:
        ann, ben = await stage.start_game("ann", "ben")
        received, seq = len(ben.listener.received), (await ann.room()).table.seq
        done = await start_action(ann)
        assert not done.done()
        assert len(ben.listener.received) == received
        ack = await done
        assert ack.seq == seq + 1
        assert ack.in_frame
        assert ben.listener.last["seq"] == seq + 1
        assert "ack" not in ben.listener.last
        assert ann.listener.last["ack"].startswith("command-")


async def test_actions_and_refusals_leave_no_reference_cycles(stage: Stage) -> None:
    """The server collects garbage rarely (`app/serve.py`), because rooms make few cycles."""
    ann, ben = await stage.start_game("ann", "ben")
    room = await ann.room()
    seen: dict[str, int] = {}

    def count(*wanted: str) -> None:
        for each in gc.garbage:
            if type(each).__name__ in wanted:
                seen[type(each).__name__] = seen.get(type(each).__name__, 0) + 1

    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for _ in range(10):
            guest = ann if room.table.to_act[0] == 0 else ben
            await (await start_action(guest))
            outcome = await start_action(guest, version=1)  # refused
            assert isinstance(outcome.exception(), Refusal)
            del outcome
        gc.collect()
        count("Outcome", "Refusal")
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert seen == {}


async def test_an_action_and_a_refusal_need_no_task(stage: Stage) -> None:
    ann, ben = await stage.start_game("ann", "ben")
    tasks, room = stage.game_server.tasks, await ann.room()
    done = await start_action(ann)
    assert not tasks.running
    await done
    for wrong in (
        await start_action(ben, action={"type": "retreat", "from": 36}),  # the rules refuse it
        await start_action(await stage.guest("cyd").enter(ann.game)),  # has no seat
        await start_action(ann, version=1),  # has an old version
    ):
        assert wrong.done()
        with pytest.raises(Refusal):
            wrong.result()
    known = new_command_id()
    first = await (await start_action(ann, command=known))
    again = await start_action(ann, command=known)
    assert again.done()
    assert again.result() == Ack(first.seq, False)
    assert await wait_for_refusal(await start_action(ben, command=known)) == "id_taken"
    assert not tasks.running
    assert not room.lock.is_locked


async def test_a_command_that_must_read_first_waits_in_a_task(stage: Stage) -> None:
    ann, _ben = await stage.start_game("ann", "ben")
    tasks, room = stage.game_server.tasks, await ann.room()
    seq = room.table.seq
    room.is_stale = True
    done = await start_action(ann)
    assert len(tasks.running) == 1
    assert room.lock.is_locked
    assert (await done).seq == seq + 1
    assert not room.is_stale
    ahead = await start_action(ann, version=room.table.seq + 1)  # has a later version than this room
    assert len(tasks.running) == 1
    assert (await ahead).seq == seq + 2
    assert not room.lock.is_locked


async def test_commands_in_a_busy_room_run_in_order(stage: Stage) -> None:
    ann, ben = await stage.start_game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    first = await start_action(ann)
    second, third = start_closing_chat(ben, room, closed=True), start_closing_chat(ann, room, closed=True)
    gone = asyncio.create_task(wait_for(start_closing_chat(ann, room, closed=False)))
    last = await start_action(ben, version=seq, action={"type": "resign"})
    await asyncio.sleep(0)
    assert not stage.game_server.tasks.running
    gone.cancel()  # while it waits for the lock: it is withdrawn
    assert (await first).seq == seq + 1
    assert await wait_for_refusal(second) == "not_host"
    assert (await third).seq == seq + 2
    assert (await last).seq == seq + 3
    assert room.table.is_over
    assert gone.cancelled()
    assert not room.lock.is_locked


async def test_a_command_is_executed_even_if_its_caller_stops_waiting(stage: Stage) -> None:
    ann, ben = await stage.start_game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    done = asyncio.create_task(wait_for(await start_action(ann)))
    await asyncio.sleep(0)
    done.cancel()  # during the commit, as when a request is cut off
    await ben.send("act", version=seq + 1, action={"type": "resign"})
    assert room.table.seq == seq + 2
    assert [entry.kind for entry in await stage.store.log.read_entries(ann.game, seq)] == ["action", "action"]


async def test_a_failing_store_is_a_refusal_and_the_room_continues(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ben = await stage.start_game("ann", "ben")
    room, append = await ann.room(), stage.store.log.append

    async def fail(_: Any) -> bool:
        raise StoreUnavailable("away")

    seq = room.table.seq
    with monkeypatch.context() as patch:
        patch.setattr(stage.store.log, "append", append_with(fail))
        done = await start_action(ann)
        with pytest.raises(Unconfirmed):
            await done
    assert stage.store.log.append == append
    assert room.table.seq == seq
    assert room.is_stale
    await ann.act(first_choice(room))  # reads the log first
    assert room.table.seq == seq + 1
    assert not room.is_stale


@pytest.mark.parametrize(
    "where",
    ["_is_ready", "_find_known_ack", "_prepare_append", "build_frames", "append", "_commit", "send_entry"],
)
async def test_an_exception_anywhere_in_a_command_does_not_leave_the_room_locked(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    ann, ben = await stage.start_game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq
    planted: Any = {"build_frames": Subscribers, "send_entry": Subscribers, "append": stage.store.log}.get(
        where, submitting
    )

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr(planted, where, fail)
        with pytest.raises(RuntimeError, match="planted"):
            await (await start_action(ann))
    assert not room.lock.is_locked
    async with asyncio.timeout(20):  # ends the test if the room stays locked
        await ben.send("act", version=seq, action={"type": "resign"})
    assert room.table.is_over


async def test_a_command_that_loses_races_to_another_worker_is_retried(sqlite_url: str) -> None:
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        ann, _ben = await stage.start_game("ann", "ben")
        game_server = await stage.add_worker()
        room = await ann.room()
        elsewhere = await game_server.rooms.get(ann.game)
        assert elsewhere is not None
        # The other worker's room does not receive what ours stores now.
        game_server.rooms.get_loaded = lambda game: None  # type: ignore[method-assign]
        command = cmd.Act.from_json(new_command_id(), room.table.seq, {"type": "resign"})
        await submit(room, Request(ann.actor, command, stage.clock.now()), act)
        twin = Guest(stage, "ann", game_server)
        elsewhere.enter(twin.subscriber, stage.clock.now())
        again = cmd.Act.from_json(new_command_id(), elsewhere.table.seq, first_choice(elsewhere))
        assert (
            await wait_for_refusal(submit(elsewhere, Request(twin.actor, again, stage.clock.now()), act))
            == "game_over"
        )
        assert elsewhere.table.seq == room.table.seq
        await game_server.close()


async def test_the_lock_is_granted_to_one_waiter_at_a_time_in_order() -> None:
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
    assert lock.is_locked  # passed on directly, so that no newcomer can take it
    await asyncio.gather(*walkers, return_exceptions=True)
    assert passed == [0, 2, 3]
    assert not lock.is_locked


async def test_a_lock_granted_to_a_cancelled_waiter_passes_to_the_next() -> None:
    lock, passed = Lock(), list[int]()

    async def walk(number: int) -> None:
        async with lock:
            passed.append(number)

    lock.try_acquire()
    walkers = [asyncio.create_task(walk(number)) for number in range(2)]
    await asyncio.sleep(0)
    lock.release()  # grants the lock to the first waiter ...
    walkers[0].cancel()  # ... which is cancelled at the same moment
    await asyncio.gather(*walkers, return_exceptions=True)
    assert passed == [1]
    assert not lock.is_locked


async def test_a_cancelled_waiter_is_skipped() -> None:
    lock, passed = Lock(), list[int]()

    async def walk(number: int) -> None:
        async with lock:
            passed.append(number)

    lock.try_acquire()
    walkers = [asyncio.create_task(walk(number)) for number in range(2)]
    await asyncio.sleep(0)
    walkers[0].cancel()  # it will notice in the next iteration ...
    lock.release()  # ... but the lock is released in this one
    first, second = await asyncio.gather(*walkers, return_exceptions=True)
    assert isinstance(first, asyncio.CancelledError)
    assert second is None
    assert passed == [1]
    assert not lock.is_locked


async def test_closing_answers_the_reading_and_the_waiting_command(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = await stage.start_game("ann", "ben")
    room, seq = await ann.room(), (await ann.room()).table.seq

    async def hang() -> None:
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr(Room, "read_new_entries", lambda room: hang())
        room.is_stale = True
        reading = await start_action(ann)
        waiting = await start_action(ben, action={"type": "resign"})
        await asyncio.sleep(0)
        assert room.lock.is_locked
        room.is_stale = False
        await stage.game_server.tasks.cancel()
    assert await wait_for_refusal(reading) == "try_again"
    assert (await waiting).seq == seq + 1
    assert not room.lock.is_locked


async def test_a_sweep_cancelled_while_waiting_for_the_lock_changes_nothing(stage: Stage) -> None:
    ann, _ben = await stage.start_game("ann", "ben")
    room = await ann.room()
    done, sweeps = await start_action(ann), room.wakeup.sweeps
    sweep = asyncio.create_task(begin_sweep(room, stage.clock.now()))
    await asyncio.sleep(0)
    sweep.cancel()
    await done
    with pytest.raises(asyncio.CancelledError):
        await sweep
    assert room.wakeup.sweeps == sweeps
    assert not room.lock.is_locked
