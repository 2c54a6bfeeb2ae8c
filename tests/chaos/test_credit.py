"""Short troubles of the store, by a clock that is turned by hand: no turn is lost to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable

import pytest

from app.play.log.entries import Append, Outage
from app.play.log.table import Clocks
from app.play.log.terms import ClockTerms
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.schedule.time_credit import KEPT, Delays
from tests.play.stage import Guest, Stage, open_stage, stored_by

TURN = {"kind": "turn", "seconds": 5}


@pytest.fixture
async def stage(sqlite_url: str) -> AsyncIterator[Stage]:
    async with open_stage(sqlite_url) as opened:
        yield opened


def by_clock(guest: Guest) -> list[int]:
    return [m["seq"] for m in guest.ear.heard if m.get("by") == "clock"]


def kinds(guest: Guest) -> list[str]:
    return [m["kind"] for m in guest.ear.of("table")]


async def test_whoever_saw_a_move_late_has_the_whole_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit took longer than a turn has: the next player's clock ran, and they saw nothing."""
    ann, bo = await stage.game("ann", "bo", clock=TURN, absence=0)
    await ann.act(_first(ann))
    append = stage.store.append

    async def slowly(entry: Append) -> bool:
        stage.clock.pass_seconds(6)
        return await append(entry)

    monkeypatch.setattr(stage.store, "append", stored_by(slowly))
    await ann.act({"type": "end"})
    monkeypatch.undo()
    await stage.game_server.sweeper.sweep()
    assert by_clock(bo) == []
    assert kinds(bo)[-1] == "credited"
    clock = bo.ear.of("table")[-1]["clock"]
    assert clock["at"] + clock["left"][1] >= stage.clock.now() + 5000
    stage.clock.pass_seconds(4)
    await bo.act(_first(bo))  # in time, by its own clock
    assert by_clock(ann) == []


async def test_a_move_that_could_not_be_stored_is_not_too_late_afterwards(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bo = await stage.game("ann", "bo", clock=TURN, absence=0)
    stage.clock.pass_seconds(4.9)

    def away(entry: Append) -> Awaitable[bool]:
        raise StoreUnavailable("away")

    monkeypatch.setattr(stage.store, "append", stored_by(away))
    move = _first(ann)
    with pytest.raises(Refusal, match="try_again"):
        await ann.act(move, id="the-same-command")
    stage.clock.pass_seconds(1.5)
    with pytest.raises(Refusal, match="try_again"):
        await ann.act(move, id="the-same-command")
    monkeypatch.undo()
    stage.clock.pass_seconds(1.5)
    await (
        stage.game_server.sweeper.sweep()
    )  # the store is back, and somebody looks before the player comes again
    assert by_clock(bo) == []
    stage.clock.pass_seconds(0.6)
    await ann.act(move, id="the-same-command")
    assert by_clock(bo) == []
    assert kinds(bo).count("credited") == 1


def _first(guest: Guest) -> dict[str, object]:
    """Any advance, from what this device was told last."""
    for message in reversed(guest.ear.heard):
        if message.get("choices"):
            return next(c["action"] for c in message["choices"] if c["action"]["type"] == "advance")
    raise AssertionError("nothing to choose from")


def test_a_credit_beyond_now_is_not_lost_by_moving_early() -> None:
    clocks = Clocks(ClockTerms(kind="turn", seconds=5), [5000] * 2, 0)
    clocks.go(0, 0, (0,))
    clocks.credit(1000, 6000)
    assert clocks.deadline() == 10_000
    clocks.go(4000, 0, (0,))  # an action within the turn, before the credit is over
    assert clocks.deadline() == 10_000


def test_what_is_waited_for_together_is_one_span() -> None:
    delays = Delays()
    delays.stored(1000, 1900)  # quick enough
    delays.stored(5000, 7000)
    delays.stored(5000, 8000)
    delays.stored(6500, 8500)
    delays.stored(20_000, 30_000)
    assert delays.to_credit(40_000) == [Outage(5000, 8500), Outage(20_000, 30_000)]
    delays.credited()
    assert delays.to_credit(40_000) == []


def test_a_room_without_a_clock_on_a_slow_disk_does_not_grow() -> None:
    """Nobody ever asks it for what it has to give back."""
    delays = Delays()
    for minute in range(10_000):
        delays.stored(60_000 * minute, 60_000 * minute + 2000)
    kept = delays.to_credit(0)
    assert len(kept) == KEPT
    assert kept[-1] == Outage(60_000 * 9999, 60_000 * 9999 + 2000)
