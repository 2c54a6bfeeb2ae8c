"""The sweeper's look against an entry on its way to the disk: in every order of the two the next turn comes.

Both go through a stepped that stops them at each step of theirs, so that all orders are played through.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import delete, select

from app.bus.local import Hub
from app.play.room.room import Room
from app.play.schedule.due import due_at
from app.play.server import GameServer
from app.store.games.tables import due as rows
from tests.play.commands.test_play import choices_of
from tests.play.stage import Stage, exchange, open_stage, stored_by


class SteppedStore:
    """A store whose writes stop before they are done and again before they are answered."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.stops: dict[str, Stop] = {}

    def __getattr__(self, name: str) -> Any:
        stop = self.stops.get(name)
        do = getattr(self._store, name)
        if stop is None or stop.actor is not asyncio.current_task():
            return do

        async def stopping(*args: Any, **named: Any) -> Any:
            if name != "claim_due":  # what comes before a claim does not matter: it may as well begin later
                await stop.here()
            done = await do(*args, **named)
            await stop.here()
            return done

        return stored_by(stopping) if name == "append" else stopping


class Stop:
    """One actor's place to wait; `go` lets it run to its next stop, to its end, or against a lock."""

    def __init__(self) -> None:
        self.actor: asyncio.Task[Any] | None = None
        self._open = asyncio.Semaphore(0)
        self._arrived = asyncio.Event()

    async def here(self) -> None:
        self._arrived.set()
        await self._open.acquire()

    async def go(self, task: asyncio.Task[Any]) -> None:
        self._arrived.clear()
        self._open.release()
        arrival = asyncio.create_task(self._arrived.wait())
        # One that waits for the other's lock arrives nowhere: the order is then another one of the list.
        await asyncio.wait((arrival, task), timeout=0.01, return_when=asyncio.FIRST_COMPLETED)
        arrival.cancel()


def orders(entry: int, look: int) -> Iterator[tuple[str, ...]]:
    """Every order in which the two can take their steps."""
    for places in itertools.combinations(range(entry + look), entry):
        yield tuple("entry" if n in places else "look" for n in range(entry + look))


async def played(
    order: tuple[str, ...],
    game_server: GameServer,
    entry: Callable[[], Awaitable[Any]],
    looking: GameServer,
    writes: str,
) -> None:
    """The entry and the look side by side, step by step in this order."""
    stops = {"entry": Stop(), "look": Stop()}
    store = game_server.store
    stepped = SteppedStore(store)
    stepped.stops = {writes: stops["entry"], "claim_due": stops["look"], "settle_due": stops["look"]}
    for each in (game_server, looking):
        exchange(each, store=stepped)

    async def begun(who: str, work: Callable[[], Awaitable[Any]]) -> Any:
        await stops[who].here()
        return await work()

    tasks = {
        "entry": asyncio.create_task(begun("entry", entry)),
        "look": asyncio.create_task(begun("look", looking.sweeper.sweep)),
    }
    for who, task in tasks.items():
        stops[who].actor = task
    for who in order:
        await stops[who].go(tasks[who])
    while not all(task.done() for task in tasks.values()):  # whoever had to wait for the other's lock
        for who, task in tasks.items():
            if not task.done():
                await stops[who].go(task)
    for each in (game_server, looking):
        exchange(each, store=store)
    for task in tasks.values():
        await task
    while game_server.tasks.running:  # what the other worker's news have begun
        await asyncio.wait(game_server.tasks.running)


async def assert_a_look_comes_in_time(stage: Stage, room: Room) -> None:
    due = due_at(room.table, room.presence, stage.clock.now())
    assert due is not None
    async with stage.store.reading() as run:
        row = (await run.execute(select(rows.c.at, rows.c.lease_until).where(rows.c.game == room.id))).first()
    assert row is not None, "nobody will look"
    assert row.lease_until == 0
    assert row.at <= due, f"the look comes {row.at - due} ms too late"


async def let_a_look_be_due(stage: Stage, room: Room) -> None:
    """Now, and known to the room, as if it had been written down a while ago."""
    stage.clock.pass_seconds(61)
    async with stage.store.writing(durable=False) as run:
        await run.execute(delete(rows))
    await stage.store.wake(room.id, stage.clock.now())
    room.wakeup.note(stage.clock.now(), room.wakeup.sweeps)


@pytest.fixture(params=["alone", "two workers"])
async def looked_at(
    request: pytest.FixtureRequest, ready_url: str
) -> AsyncIterator[tuple[Stage, GameServer]]:
    """A stage, and the server whose sweeper looks: its own, or another worker's."""
    hub = Hub() if request.param == "two workers" else None
    async with open_stage(ready_url, hub=hub, migrate=False) as stage:
        yield stage, stage.game_server if hub is None else await stage.another_worker()


async def test_a_bots_turn_comes_however_entry_and_look_interleave(
    looked_at: tuple[Stage, GameServer],
) -> None:
    stage, looking = looked_at
    (ann,) = await stage.game("ann", bots=["sailor"], absence=60, pace=10_000)
    room = await ann.room()
    for order in orders(3, 4):
        # Paused, with the bot to move and a look that is due: it will find nothing and put its row away.
        while not room.table.bots_to_act():
            await ann.act(choices_of(ann)[-1]["action"])
        await ann.send("consent", to="pause", yes=True)
        await let_a_look_be_due(stage, room)
        await played(
            order, stage.game_server, lambda: ann.send("consent", to="continue", yes=True), looking, "append"
        )
        assert room.table.bots_to_act(), order
        await assert_a_look_comes_in_time(stage, room)
    assert stage.counts.missed_wakeups == 0


async def test_whoever_comes_in_to_watch_bots_wakes_them_however_a_look_interleaves(
    looked_at: tuple[Stage, GameServer],
) -> None:
    stage, looking = looked_at
    (ann,) = await stage.game("ann", bots=["sailor", "sailor"], absence=60, pace=10_000)
    await ann.taken_over()
    room = await ann.room()
    for order in orders(3, 4):
        await ann.go()  # only bots are left: they stand still
        await let_a_look_be_due(stage, room)
        await played(order, stage.game_server, lambda: ann.come(ann.game), looking, "wake")
        await assert_a_look_comes_in_time(stage, room)
    assert stage.counts.missed_wakeups == 0


async def test_whoever_is_to_act_is_looked_at_in_time_after_every_action(
    looked_at: tuple[Stage, GameServer],
) -> None:
    stage, _ = looked_at
    guests = await stage.game("ann", "bo", absence=60)
    room = await guests[0].room()
    for number in range(12):
        stage.clock.pass_seconds(20)
        async with stage.store.writing(durable=False) as run:
            await run.execute(delete(rows))
        room.wakeup.begin_sweep()  # nothing is known of the row any more
        guest = guests[room.table.to_act[0]]
        if number == 6:
            await guest.send("consent", to="pause", yes=True)
        await guest.act(choices_of(guest)[-1 if number % 2 else 0]["action"])
        await assert_a_look_comes_in_time(stage, room)


async def test_a_room_that_nobody_was_going_to_look_at_is_found_and_counted(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor"], options={"first": 1})
    await stage.live(5)
    await stage.game_server.sweeper.find_missed()
    assert await stage.game_server.sweeper.sweep() == 1  # late, but its row is there: that is no fault
    assert stage.counts.missed_wakeups == 0
    await stage.live(5)
    async with stage.store.writing() as run:
        await run.execute(delete(rows))
    for missed in (0, 1):
        await stage.game_server.sweeper.find_missed()
        assert stage.counts.missed_wakeups == missed
    assert await stage.game_server.sweeper.sweep() == 1
    assert ann.ear.of("events")[-1]["by"] == "bot"


@pytest.mark.parametrize("comes_at", [1, 2, 3])
async def test_whoever_comes_in_while_an_entry_is_on_its_way_wakes_the_bots(
    stage: Stage, comes_at: int
) -> None:
    """Nobody was there when it was decided, and nothing was due when they came: only bots, and a takeover."""
    (ann,) = await stage.game("ann", bots=["sailor", "sailor"], pace=10_000)
    room = await ann.room()
    await ann.go()
    stop = Stop()
    stepped = SteppedStore(stage.store)
    stepped.stops = {"append": stop}
    exchange(stage.game_server, store=stepped)

    async def taking_over() -> None:
        await stop.here()
        await ann.taken_over()

    task = stop.actor = asyncio.create_task(taking_over())
    for step in range(4):
        if step == comes_at:
            await stage.guest("wim").come(ann.game)
        await stop.go(task)
    await task
    exchange(stage.game_server, store=stage.store)
    while stage.game_server.tasks.running:
        await asyncio.wait(stage.game_server.tasks.running)
    assert room.table.bots_to_act()
    await assert_a_look_comes_in_time(stage, room)
