"""Short outages and delays of the store, with a manual clock: no player loses time to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable

import pytest

from app.bus.local import Hub
from app.play.log.clocks import ClockTerms
from app.play.log.entries import Append, Outage
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.schedule.time_credit import MAX_SPANS, RESEND_MS, StoreDelays
from tests.play.stage import Guest, Stage, append_with, open_stage

TURN = {"kind": "turn", "seconds": 5}


@pytest.fixture
async def stage(sqlite_url: str) -> AsyncIterator[Stage]:
    async with open_stage(sqlite_url) as opened:
        yield opened


def list_clock_moves(guest: Guest) -> list[int]:
    return [m["seq"] for m in guest.listener.received if m.get("by") == "clock"]


def kinds(guest: Guest) -> list[str]:
    return [m["kind"] for m in guest.listener.of_kind("table")]


async def test_a_slow_commit_does_not_shorten_the_next_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit takes longer than a turn: the next player's clock ran before they received the action."""
    ann, bo = await stage.start_game("ann", "bo", clock=TURN, absence=0)
    await ann.act(_first(ann))
    append = stage.store.log.append

    async def slowly(entry: Append) -> bool:
        stage.clock.advance(6)
        return await append(entry)

    monkeypatch.setattr(stage.store.log, "append", append_with(slowly))
    await ann.act({"type": "end"})
    monkeypatch.undo()
    await stage.game_server.sweeper.sweep()
    assert list_clock_moves(bo) == []
    assert kinds(bo)[-1] == "credited"
    clock = bo.listener.of_kind("table")[-1]["clock"]
    assert clock["at"] + clock["left"][1] >= stage.clock.now() + 5000
    stage.clock.advance(4)
    await bo.act(_first(bo))  # in time, by bo's own clock
    assert list_clock_moves(ann) == []


async def test_a_move_that_could_not_be_stored_is_not_too_late_afterwards(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock=TURN, absence=0)
    stage.clock.advance(4.9)

    monkeypatch.setattr(stage.store.log, "append", append_with(away))
    move = _first(ann)
    with pytest.raises(Refusal, match="try_again"):
        await ann.act(move, id="the-same-command")
    stage.clock.advance(1.5)
    with pytest.raises(Refusal, match="try_again"):
        await ann.act(move, id="the-same-command")
    monkeypatch.undo()
    stage.clock.advance(1.5)
    await stage.game_server.sweeper.sweep()  # the store is back, and a sweep comes before the player's retry
    assert list_clock_moves(bo) == []
    stage.clock.advance(0.6)
    await ann.act(move, id="the-same-command")
    assert list_clock_moves(bo) == []
    assert kinds(bo).count("credited") == 1


def away(_: Append) -> Awaitable[bool]:
    raise StoreUnavailable("away")


async def credits_of(stage: Stage, game: str) -> list[int]:
    """Return the lengths of the credited spans in milliseconds."""
    entries = await stage.store.log.read_entries(game)
    return [e.body["ended"] - e.body["began"] for e in entries if e.kind == "credited"]


async def left(guest: Guest) -> int:
    """Return the milliseconds that the first seat has left."""
    clocks = (await guest.room()).table.clocks
    assert clocks is not None
    return clocks.since + clocks.left[0] - guest.game_server.clock.now()


@pytest.mark.parametrize("is_read_by", ["the next command", "a comparison of heads"])
async def test_a_failure_while_no_clock_runs_is_not_credited(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_read_by: str
) -> None:
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 3600}, absence=0)
    for guest in (ann, bo):
        await guest.send("consent", to="pause", yes=True)
    with monkeypatch.context() as patch:
        patch.setattr(stage.store.log, "append", append_with(away))
        with pytest.raises(Refusal, match="try_again"):
            await ann.send("consent", to="continue", yes=True)
    await stage.advance_clock(100)
    if is_read_by == "a comparison of heads":
        await (await ann.room()).catch_up()
    for guest in (ann, bo):
        await guest.send("consent", to="continue", yes=True)
    before = await left(ann)
    await stage.advance_clock(1000)
    await ann.act(_first(ann))
    assert await credits_of(stage, ann.game) == []
    assert await left(ann) == before - 1_000_000


async def test_restarts_in_a_row_are_credited_by_one_entry(stage: Stage) -> None:
    """Sweeps and refused commands in between write no credit; one credit precedes the next entry."""
    ann, bo = await stage.start_game("ann", "bo", clock={"kind": "days", "days": 1})
    before = await left(ann)
    head = (await ann.room()).table.seq
    for _ in range(5):
        await restart(stage, 60)
        await stage.game_server.store.due.schedule(ann.game, stage.clock.now())
        await stage.game_server.sweeper.sweep()
        assert await bo.expect_refusal("act", version=head, action=_first(ann)) == "not_your_turn"
        await stage.advance_clock(600)
    await ann.act(_first(ann))
    assert await credits_of(stage, ann.game) == [300_000]
    assert await left(ann) == before - 5 * 600_000
    assert [e.kind for e in (await stage.store.log.read_entries(ann.game))[-2:]] == ["credited", "action"]
    await ann.act({"type": "end"})
    assert len(await credits_of(stage, ann.game)) == 1


async def test_no_time_is_credited_twice(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """An outage of the worker overlaps with a command that could not be stored."""
    ann, _ = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 3600}, absence=0)
    before, move = await left(ann), _first(ann)
    await stage.advance_clock(10)
    with monkeypatch.context() as patch:
        patch.setattr(stage.store.log, "append", append_with(away))
        with pytest.raises(Refusal, match="try_again"):
            await ann.act(move, id="the-same-command")
    await restart(stage, 60)
    await ann.act(move, id="the-same-command")
    spent = before - await left(ann)
    assert 10_000 - RESEND_MS <= spent <= 10_000
    assert len(await credits_of(stage, ann.game)) == 1


async def test_an_outage_before_a_slow_commit_is_not_lost(stage: Stage) -> None:
    ann, _ = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 3600}, absence=0)
    before = await left(ann)
    room = await ann.room()
    await stage.advance_clock(10)
    room.delays.on_stored(stage.clock.now() - 5000, stage.clock.now())
    await restart(stage, 60)
    await ann.act(_first(ann))
    assert await credits_of(stage, ann.game) == [65_000]
    assert await left(ann) == before - 5000


async def test_two_workers_credit_an_outage_once(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second worker has not received the first one's credit when it handles a command."""
    async with open_stage(sqlite_url, hub=Hub()) as stage:
        ann, bo = await stage.start_game("ann", "bo", clock={"kind": "turn", "seconds": 3600}, absence=0)
        before = await left(ann)
        other = await stage.add_worker()
        twin = await stage.guest("ann", other).enter(ann.game)
        await stage.store.heartbeats.record(stage.clock.now(), 10**15)
        stage.clock.advance(60)
        for worker in (stage.game_server, other):
            await worker.outage_tracker.record_heartbeat()
        monkeypatch.setattr(other.bus, "_handler", lambda news: None)
        await ann.act(_first(ann))
        head = (await ann.room()).table.seq
        assert await bo.expect_refusal("act", version=head, action=_first(ann)) == "not_your_turn"
        await twin.act(_first(ann), version=head)
        assert await credits_of(stage, ann.game) == [60_000]
        assert await left(twin) == before
        await other.close()


async def restart(stage: Stage, seconds: float) -> None:
    """Simulate an outage of all workers for this time."""
    await stage.store.heartbeats.record(stage.clock.now(), 10**15)
    stage.clock.advance(seconds)
    await stage.game_server.outage_tracker.record_heartbeat()


def _first(guest: Guest) -> dict[str, object]:
    """Return an advance from the last choices that were sent."""
    for message in reversed(guest.listener.received):
        if message.get("choices"):
            return next(c["action"] for c in message["choices"] if c["action"]["type"] == "advance")
    raise AssertionError("nothing to choose from")


def test_a_credit_beyond_now_is_not_lost_by_moving_early() -> None:
    clocks = ClockTerms(kind="turn", seconds=5).start_clocks(2, 0)
    clocks.run(0, 0, (0,))
    clocks.credit_time(1000, 6000)
    assert clocks.deadline() == 10_000
    clocks.run(4000, 0, (0,))  # an action within the turn, before the end of the credited span
    assert clocks.deadline() == 10_000


def test_overlapping_delays_are_one_span() -> None:
    delays = StoreDelays()
    delays.on_stored(1000, 1900)  # quick enough
    delays.on_stored(5000, 7000)
    delays.on_stored(5000, 8000)
    delays.on_stored(6500, 8500)
    delays.on_stored(20_000, 30_000)
    assert delays.spans == [Outage(5000, 8500), Outage(20_000, 30_000)]
    delays.on_credited()
    assert delays.spans == []


def test_a_room_without_a_clock_on_a_slow_disk_does_not_grow() -> None:
    """Its delays are never credited."""
    delays = StoreDelays()
    for minute in range(10_000):
        delays.on_stored(60_000 * minute, 60_000 * minute + 2000)
    assert len(delays.spans) == MAX_SPANS
    assert delays.spans[-1] == Outage(60_000 * 9999, 60_000 * 9999 + 2000)


def test_a_log_that_can_be_read_but_not_written_is_one_outage() -> None:
    """A full disk: every command reads the log, cannot be stored and is resent some seconds later."""
    delays = StoreDelays()
    for at in (10_000, 20_000, 40_000):
        delays.on_failed(at)
        delays.on_recovered(at + 100, is_timed=True)
    assert delays.spans == [Outage(10_000, 40_100 + RESEND_MS)]
    delays.on_failed(120_000)
    delays.on_recovered(121_000, is_timed=True)
    assert len(delays.spans) == 2, "a player thought in between, so it is another outage"
