"""Who is online: sockets and requests of this worker, and of others through the bus; and when they were last seen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

import pytest

from app.bus.local import Hub, LocalBus
from app.bus.redis_bus import RedisBus
from app.play.ports import StoreUnavailable
from app.web.online import LINGER_SECONDS, OnlinePeople


class Worker:
    """The online people of one worker, with a clock set by the test."""

    def __init__(self) -> None:
        self.now = 1000
        self.recorded: list[tuple[list[str], int]] = []
        self.is_store_down = False
        self.people = OnlinePeople(lambda: self.now, self._record)

    async def _record(self, people: Collection[str], now: int) -> None:
        if self.is_store_down:
            raise StoreUnavailable
        self.recorded.append((sorted(people), now))


async def test_a_person_is_online_while_a_socket_is_open_and_for_a_while_afterwards() -> None:
    worker = Worker()
    people = worker.people
    assert not people.is_online("ann")
    people.open_socket("ann")
    people.open_socket("ann")
    worker.now += 10_000
    await people.sweep()
    people.close_socket("ann")
    worker.now += LINGER_SECONDS + 1
    await people.sweep()
    assert people.is_online("ann"), "one page is still open"
    people.close_socket("ann")
    worker.now += LINGER_SECONDS - 1
    await people.sweep()
    assert people.is_online("ann"), "the next page may be loading"
    worker.now += 1
    await people.sweep()
    assert not people.is_online("ann")
    assert len(people) == 0


async def test_requests_keep_a_person_online() -> None:
    worker = Worker()
    for name in ("ann", "bo"):
        worker.people.note_request(name)
    worker.now += LINGER_SECONDS - 1
    worker.people.note_request("ann")
    worker.now += 2
    await worker.people.sweep()
    assert (worker.people.is_online("ann"), worker.people.is_online("bo")) == (True, False)


async def test_coming_and_leaving_is_recorded_once_and_again_after_an_outage() -> None:
    worker = Worker()
    worker.people.note_request("ann")
    worker.is_store_down = True
    with pytest.raises(StoreUnavailable):
        await worker.people.sweep()
    worker.is_store_down = False
    await worker.people.sweep()
    await worker.people.sweep()
    assert worker.recorded == [(["ann"], 1000)]
    worker.now += LINGER_SECONDS
    await worker.people.sweep()
    assert worker.recorded[1:] == [(["ann"], 1000 + LINGER_SECONDS)]
    worker.people.open_socket("bo")
    worker.now += 500
    await worker.people.close()
    assert worker.recorded[2:] == [(["bo"], worker.now)]


async def test_a_thousand_people_are_recorded_in_bounded_batches() -> None:
    worker = Worker()
    for number in range(1200):
        worker.people.note_request(f"p{number}")
    await worker.people.sweep()
    assert [len(people) for people, _ in worker.recorded] == [500, 500, 200]


async def test_other_workers_know_who_is_online_without_a_query() -> None:
    hub, here, there = Hub(), Worker(), Worker()
    for worker in (here, there):
        bus = LocalBus(hub)
        await bus.open()
        worker.people.use_topics(bus)
    there.people.open_socket("ann")
    assert here.people.is_online("ann")
    there.people.close_socket("ann")
    there.now += LINGER_SECONDS
    await there.people.sweep()
    assert not here.people.is_online("ann")


async def test_people_of_a_killed_worker_go_offline_within_seconds(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.bus.redis_bus._PROBE_SECONDS", 0.1)
    here, there = Worker(), Worker()
    buses = [RedisBus(redis_url), RedisBus(redis_url)]
    for worker, bus in zip((here, there), buses, strict=True):
        await bus.open()
        worker.people.use_topics(bus)
    there.people.open_socket("ann")
    await until(lambda: here.people.is_online("ann"))
    for task in buses[1]._tasks:  # as after SIGKILL: nothing is announced any more
        task.cancel()
    await asyncio.gather(*buses[1]._tasks, return_exceptions=True)
    await until(lambda: not here.people.is_online("ann"))
    await buses[0].close()


async def until(is_met: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_met():  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.02)
