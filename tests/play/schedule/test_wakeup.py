"""A sweep concurrent with an entry that is being stored: in every interleaving the next due work is scheduled.

Both use a store that stops them at each of their steps, so that all interleavings can be run.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import delete, select

from app.bus.local import Hub
from app.play.ports import StoreUnavailable
from app.play.room.room import Room
from app.play.schedule.due import next_due_at
from app.play.server import GameServer
from app.store.tables.games import due as rows
from tests.databases import begin, connect
from tests.play.commands.test_play import choices_of
from tests.play.stage import Stage, append_with, open_stage, replace_ports


class SteppedStore:
    """A store whose writes stop before they are done and again before they return."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.stops: dict[str, Stop] = {}

    def __getattr__(self, part: str) -> Any:
        return SteppedPart(getattr(self._store, part), self.stops)


class SteppedPart:
    def __init__(self, part: Any, stops: dict[str, Stop]) -> None:
        self._part = part
        self._stops = stops

    def __getattr__(self, name: str) -> Any:
        stop = self._stops.get(name)
        do = getattr(self._part, name)
        if stop is None or stop.actor is not asyncio.current_task():
            return do

        async def stopping(*args: Any, **named: Any) -> Any:
            if name != "claim":  # a stop before a claim is the same as starting the sweep later
                await stop.wait_here()
            done = await do(*args, **named)
            await stop.wait_here()
            return done

        return append_with(stopping) if name == "append" else stopping


class Stop:
    """The stop of one task; `resume` runs it to its next stop, to its end, or until it waits for a lock."""

    def __init__(self) -> None:
        self.actor: asyncio.Task[Any] | None = None
        self._open = asyncio.Semaphore(0)
        self._arrived = asyncio.Event()

    async def wait_here(self) -> None:
        self._arrived.set()
        await self._open.acquire()

    async def resume(self, task: asyncio.Task[Any]) -> None:
        self._arrived.clear()
        self._open.release()
        arrival = asyncio.create_task(self._arrived.wait())
        # A task that waits for the other's lock does not arrive; that interleaving is another one of the list.
        await asyncio.wait((arrival, task), timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        arrival.cancel()


def interleavings(entry: int, sweep: int) -> Iterator[tuple[str, ...]]:
    """Yield every interleaving of the steps of the two."""
    for places in itertools.combinations(range(entry + sweep), entry):
        yield tuple("entry" if n in places else "sweep" for n in range(entry + sweep))


async def run_interleaved(
    order: tuple[str, ...],
    game_server: GameServer,
    entry: Callable[[], Awaitable[Any]],
    sweeping: GameServer,
    writes: str,
) -> None:
    """Run the entry and the sweep concurrently, step by step in this order."""
    stops = {"entry": Stop(), "sweep": Stop()}
    store = game_server.store
    stepped = SteppedStore(store)
    stepped.stops = {writes: stops["entry"], "claim": stops["sweep"], "settle": stops["sweep"]}
    for server in (game_server, sweeping):
        replace_ports(server, store=stepped)

    async def start_stopped(who: str, work: Callable[[], Awaitable[Any]]) -> Any:
        await stops[who].wait_here()
        return await work()

    tasks = {
        "entry": asyncio.create_task(start_stopped("entry", entry)),
        "sweep": asyncio.create_task(start_stopped("sweep", sweeping.sweeper.sweep)),
    }
    for who, task in tasks.items():
        stops[who].actor = task
    for who in order:
        await stops[who].resume(tasks[who])
    while not all(task.done() for task in tasks.values()):  # one may have waited for the other's lock
        for who, task in tasks.items():
            if not task.done():
                await stops[who].resume(task)
    for server in (game_server, sweeping):
        replace_ports(server, store=store)
    for task in tasks.values():
        await task
    while game_server.tasks.running:  # started by the other worker's news
        await asyncio.wait(game_server.tasks.running)


async def assert_sweep_comes_in_time(stage: Stage, room: Room) -> None:
    due = next_due_at(room.table, room.presence, stage.clock.now())
    assert due is not None
    async with connect(stage.store.database) as run:
        row = (await run.execute(select(rows.c.at, rows.c.lease_until).where(rows.c.game == room.id))).first()
    assert row is not None, "there is no due row"
    assert row.lease_until == 0
    assert row.at <= due, f"the sweep comes {row.at - due} ms too late"


async def make_sweep_due(stage: Stage, room: Room) -> None:
    """Set the due row to the present time, and let the room know it."""
    stage.clock.advance(61)
    async with begin(stage.store.database) as run:
        await run.execute(delete(rows))
    await stage.store.due.schedule(room.id, stage.clock.now())
    room.wakeup.set_row_time(stage.clock.now(), room.wakeup.sweeps)


@pytest.fixture(params=["alone", "two workers"])
async def swept_stage(
    request: pytest.FixtureRequest, ready_url: str
) -> AsyncIterator[tuple[Stage, GameServer]]:
    """Return a stage, and the server that sweeps: the stage's own, or another worker."""
    hub = Hub() if request.param == "two workers" else None
    async with open_stage(ready_url, hub=hub, migrate=False) as stage:
        yield stage, stage.game_server if hub is None else await stage.add_worker()


async def test_a_bot_moves_however_entry_and_sweep_interleave(
    swept_stage: tuple[Stage, GameServer],
) -> None:
    stage, sweeping = swept_stage
    (ann,) = await stage.start_game("ann", bots=["sailor"], absence=60, pace=10_000)
    room = await ann.room()
    for order in interleavings(3, 4):
        # Paused, with the bot to move and a sweep that is due: the sweep finds nothing and clears the row.
        while not room.table.list_bots_to_act():
            await ann.act(choices_of(ann)[-1]["action"])
        await ann.send("consent", to="pause", yes=True)
        await make_sweep_due(stage, room)
        await run_interleaved(
            order, stage.game_server, lambda: ann.send("consent", to="continue", yes=True), sweeping, "append"
        )
        assert room.table.list_bots_to_act(), order
        await assert_sweep_comes_in_time(stage, room)
    assert stage.metrics.missed_wakeups == 0


async def test_a_new_spectator_resumes_bots_however_a_sweep_interleaves(
    swept_stage: tuple[Stage, GameServer],
) -> None:
    stage, sweeping = swept_stage
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"], absence=60, pace=10_000)
    await ann.hand_seat_to_bot()
    room = await ann.room()
    for order in interleavings(3, 4):
        await ann.leave()  # the bots alone stand still
        await make_sweep_due(stage, room)
        await run_interleaved(order, stage.game_server, lambda: ann.enter(ann.game), sweeping, "schedule")
        await assert_sweep_comes_in_time(stage, room)
    assert stage.metrics.missed_wakeups == 0


async def test_the_player_to_act_is_checked_in_time_after_every_action(
    swept_stage: tuple[Stage, GameServer],
) -> None:
    stage, _ = swept_stage
    guests = await stage.start_game("ann", "bo", absence=60)
    room = await guests[0].room()
    for number in range(12):
        stage.clock.advance(20)
        async with begin(stage.store.database) as run:
            await run.execute(delete(rows))
        room.wakeup.begin_sweep()  # the row's time is unknown now
        guest = guests[room.table.to_act[0]]
        if number == 6:
            await guest.send("consent", to="pause", yes=True)
        await guest.act(choices_of(guest)[-1 if number % 2 else 0]["action"])
        await assert_sweep_comes_in_time(stage, room)


async def test_an_overdue_room_without_a_due_row_is_found_and_counted(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor"], options={"first": 1})
    await stage.advance_clock(5)
    await stage.game_server.sweeper.find_missed_wakeups()
    assert await stage.game_server.sweeper.sweep() == 1  # late, but with a due row, which is not a defect
    assert stage.metrics.missed_wakeups == 0
    await stage.advance_clock(5)
    async with begin(stage.store.database) as run:
        await run.execute(delete(rows))
    for missed in (0, 1):
        await stage.game_server.sweeper.find_missed_wakeups()
        assert stage.metrics.missed_wakeups == missed
    assert await stage.game_server.sweeper.sweep() == 1
    assert ann.listener.of_kind("events")[-1]["by"] == "bot"


@pytest.mark.parametrize("comes_at", [1, 2, 3])
async def test_a_spectator_who_enters_during_a_commit_resumes_the_bots(stage: Stage, comes_at: int) -> None:
    """The entry is decided in a deserted room, and nothing is due when the spectator enters, before the commit."""
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"], pace=10_000)
    room = await ann.room()
    await ann.leave()
    stop = Stop()
    stepped = SteppedStore(stage.store)
    stepped.stops = {"append": stop}
    replace_ports(stage.game_server, store=stepped)

    async def take_over() -> None:
        await stop.wait_here()
        await ann.hand_seat_to_bot()

    task = stop.actor = asyncio.create_task(take_over())
    for step in range(4):
        if step == comes_at:
            await stage.guest("wim").enter(ann.game)
        await stop.resume(task)
    await task
    replace_ports(stage.game_server, store=stage.store)
    while stage.game_server.tasks.running:
        await asyncio.wait(stage.game_server.tasks.running)
    assert room.table.list_bots_to_act()
    await assert_sweep_comes_in_time(stage, room)


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_client_that_enters_while_the_due_row_is_written_is_checked_in_time(
    stage: Stage, is_answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"], absence=60, pace=10_000)
    await ann.hand_seat_to_bot()
    room = await ann.room()
    await ann.leave()  # the bots alone stand still
    async with begin(stage.store.database) as run:
        await run.execute(delete(rows))
    room.wakeup.begin_sweep()  # the row's time is unknown now
    is_writing, may_answer, wake = asyncio.Event(), asyncio.Event(), stage.store.due.schedule

    async def slow_schedule(game: str, at: int) -> None:
        monkeypatch.setattr(stage.store.due, "schedule", wake)  # only the first one is slow
        if is_answered:
            await wake(game, at)
        is_writing.set()
        await may_answer.wait()
        if not is_answered:
            raise StoreUnavailable("away")

    monkeypatch.setattr(stage.store.due, "schedule", slow_schedule)
    first = asyncio.create_task(stage.guest("wim").enter(ann.game))
    await is_writing.wait()
    await stage.guest("xia").enter(ann.game)  # another client enters meanwhile
    may_answer.set()
    await first
    await assert_sweep_comes_in_time(stage, room)
    await ann.enter(ann.game)
    await ann.send("return")
    await assert_sweep_comes_in_time(stage, room)
