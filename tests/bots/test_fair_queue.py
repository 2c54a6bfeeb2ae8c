"""The fair queue: another caller's request is served next, whatever one caller has queued."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from app.bots.fair_queue import FairQueue, QueueFull, Share


class RecordedQueue:
    """A fair queue that records the order in which it serves requests."""

    def __init__(self, slots: int = 1, capacity: int = 200) -> None:
        self.queue = FairQueue(slots, capacity)
        self.served: list[str] = []
        self.fractions: dict[str, float] = {}
        self.refused: list[str] = []
        self._gate = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, *names: str, share: Callable[[str], Share] = lambda name: (name.split()[0],)) -> None:
        """Queue requests such as "greedy 3" in this order; the first word of the name is the share."""
        for name in names:
            self._tasks.append(asyncio.create_task(self._run(name, share(name))))
            await asyncio.sleep(0)

    async def _run(self, name: str, share: Share) -> None:
        try:
            async with self.queue.slot(share) as fraction:
                self.served.append(name)
                self.fractions[name] = fraction
                await self._gate.wait()
        except QueueFull:
            self.refused.append(name)

    async def serve(self) -> list[str]:
        """Serve all requests and return their order."""
        self._gate.set()
        await asyncio.gather(*self._tasks)
        return self.served


GREEDY_REQUESTS = [f"greedy {n}" for n in range(36)]


async def test_a_bystander_is_served_next_regardless_of_a_greedy_callers_backlog() -> None:
    queue = RecordedQueue()
    await queue.ask(*GREEDY_REQUESTS, "bystander")
    assert (await queue.serve())[:2] == ["greedy 0", "bystander"]


async def test_repeated_requests_of_a_bystander_alternate_with_a_greedy_caller() -> None:
    queue = RecordedQueue()
    await queue.ask(*GREEDY_REQUESTS, *(f"bystander {n}" for n in range(3)))
    order = [name.split()[0] for name in await queue.serve()]
    assert order[:7] == ["greedy", "bystander"] * 3 + ["greedy"]
    assert order.count("greedy") == len(GREEDY_REQUESTS)


async def test_a_stream_of_newcomers_does_not_starve_waiting_callers() -> None:
    """A new caller arrives with every grant; the second request of the first caller is still served."""
    queue = FairQueue(1, 200)
    served: list[str] = []

    async def one(name: str, after: str | None) -> None:
        async with queue.slot((name.split()[0],)):
            served.append(name)
            if after is not None:
                tasks.append(
                    asyncio.create_task(one(after, f"new-{len(served)}" if len(served) < 30 else None))
                )
                await asyncio.sleep(0)

    tasks = [asyncio.create_task(one("old 0", "new-0")), asyncio.create_task(one("old 1", None))]
    for task in tasks:
        await task
    assert served.index("old 1") < 10


async def test_guests_of_one_network_share_the_slot_of_one_account() -> None:
    """Nine guests behind one address, each with four requests, and one account."""
    queue = RecordedQueue()

    def share(name: str) -> Share:
        return ("203.0.113.9", name.split()[0]) if name.startswith("guest") else (name.split()[0],)

    await queue.ask(*(f"guest-{n} {k}" for k in range(4) for n in range(9)), "ann 0", "ann 1", share=share)
    order = await queue.serve()
    assert order[1] == "ann 0"
    assert order[3] == "ann 1"
    first = {name.split()[0] for name in order[:11] if name.startswith("guest")}
    assert len(first) == 9, "and among themselves the guests take turns"


async def test_a_full_queue_drops_from_the_longest_backlog_for_a_bystander() -> None:
    queue = RecordedQueue(capacity=36)
    await queue.ask(*GREEDY_REQUESTS, "bystander", "greedy 36")
    assert queue.refused == ["greedy 35", "greedy 36"]
    assert "bystander" in await queue.serve()


async def test_a_queue_full_of_equal_backlogs_refuses_a_newcomer() -> None:
    queue = RecordedQueue(capacity=4)
    await queue.ask("a", "b", "c", "d", "e")
    assert queue.refused == ["e"]
    await queue.serve()


async def test_the_fraction_of_a_request_follows_its_share() -> None:
    """The greedy caller gets a small fraction for each request, the bystander does not."""
    queue = RecordedQueue()
    await queue.ask(*GREEDY_REQUESTS, "bystander")
    await queue.serve()
    assert queue.fractions["bystander"] == pytest.approx(1 / 2)
    assert queue.fractions["greedy 1"] == pytest.approx(1 / 35), "alone again, with 35 requests left"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_cancelled_caller_passes_its_slot_on(order: tuple[int, int]) -> None:
    queue = RecordedQueue()
    await queue.ask("a", "b", "c")
    for number in order:
        queue._tasks[number].cancel()
    await asyncio.sleep(0)
    queue._gate.set()
    await asyncio.gather(*queue._tasks, return_exceptions=True)
    assert queue.served == ["a", "c"]
    queue._tasks.clear()
    await queue.ask("d")
    assert await queue.serve() == ["a", "c", "d"]


@pytest.mark.parametrize("seed", range(5))
async def test_no_slot_is_lost_when_callers_come_go_or_are_dropped(seed: int) -> None:
    chance = random.Random(seed)
    queue, running, max_running, outcomes = FairQueue(2, 12), 0, 0, 0
    tasks: list[asyncio.Task[None]] = []

    async def one(share: Share) -> None:
        nonlocal running, max_running, outcomes
        try:
            async with queue.slot(share):
                running += 1
                max_running = max(max_running, running)
                try:
                    await asyncio.sleep(chance.choice((0, 0, 0.001)))
                finally:
                    running -= 1
        except QueueFull:
            pass
        finally:
            outcomes += 1

    for _ in range(400):
        share = tuple(chance.choice("abc") for _ in range(chance.choice((1, 2, 3))))
        tasks.append(asyncio.create_task(one((*share, "person"))))
        if chance.random() < 0.5:
            await asyncio.sleep(0)
        if chance.random() < 0.3:
            chance.choice(tasks).cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    never_begun = sum(task.cancelled() for task in tasks)
    assert outcomes + never_begun >= len(tasks)
    assert max_running == 2
    assert (running, queue._free, queue._root.active, queue._root.waiting_count) == (0, 2, 0, 0)
    async with queue.slot(("late",)), queue.slot(("later",)):
        pass
