"""Fair shares of the bots' processes: whatever one caller has queued, another's request is served next."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from app.bots.fair_queue import FairQueue, QueueFull, Share


class Line:
    """Requests at a queue; the order in which they were served."""

    def __init__(self, slots: int = 1, capacity: int = 200) -> None:
        self.queue = FairQueue(slots, capacity)
        self.served: list[str] = []
        self.fractions: dict[str, float] = {}
        self.refused: list[str] = []
        self._gate = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def ask(self, *names: str, share: Callable[[str], Share] = lambda name: (name.split()[0],)) -> None:
        """Requests such as "greedy 3", each of the share that its name begins with, in this order."""
        for name in names:
            self._tasks.append(asyncio.create_task(self._one(name, share(name))))
            await asyncio.sleep(0)

    async def _one(self, name: str, share: Share) -> None:
        try:
            async with self.queue.slot(share) as fraction:
                self.served.append(name)
                self.fractions[name] = fraction
                await self._gate.wait()
        except QueueFull:
            self.refused.append(name)

    async def serve(self) -> list[str]:
        """Let all of them through, one after the other; their order."""
        self._gate.set()
        await asyncio.gather(*self._tasks)
        return self.served


GREEDY = [f"greedy {n}" for n in range(36)]


async def test_a_bystander_is_served_next_whatever_the_greedy_one_has_queued() -> None:
    line = Line()
    await line.ask(*GREEDY, "bystander")
    assert (await line.serve())[:2] == ["greedy 0", "bystander"]


async def test_a_bystander_who_asks_again_and_again_takes_turns_with_the_greedy_one() -> None:
    line = Line()
    await line.ask(*GREEDY, *(f"bystander {n}" for n in range(3)))
    order = [name.split()[0] for name in await line.serve()]
    assert order[:7] == ["greedy", "bystander"] * 3 + ["greedy"]
    assert order.count("greedy") == len(GREEDY)


async def test_a_stream_of_newcomers_does_not_starve_those_who_wait() -> None:
    """A new caller comes with every turn; the second request of the first caller is served nonetheless."""
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


async def test_guests_of_one_network_share_what_one_account_has() -> None:
    """Nine guests behind one address, each with four requests, and one account."""
    line = Line()

    def share(name: str) -> Share:
        return ("203.0.113.9", name.split()[0]) if name.startswith("guest") else (name.split()[0],)

    await line.ask(*(f"guest-{n} {k}" for k in range(4) for n in range(9)), "ann 0", "ann 1", share=share)
    order = await line.serve()
    assert order[1] == "ann 0"
    assert order[3] == "ann 1"
    first = {name.split()[0] for name in order[:11] if name.startswith("guest")}
    assert len(first) == 9, "and among themselves the guests take turns"


async def test_a_full_queue_drops_the_longest_backlog_and_takes_the_bystander_in() -> None:
    line = Line(capacity=36)
    await line.ask(*GREEDY, "bystander", "greedy 36")
    assert line.refused == ["greedy 35", "greedy 36"]
    assert "bystander" in await line.serve()


async def test_a_queue_full_of_equals_refuses_the_newcomer() -> None:
    line = Line(capacity=4)
    await line.ask("a", "b", "c", "d", "e")
    assert line.refused == ["e"]
    await line.serve()


async def test_the_fraction_of_a_request_is_that_of_its_share() -> None:
    """The greedy one's thoughts become short, the bystander's does not."""
    line = Line()
    await line.ask(*GREEDY, "bystander")
    await line.serve()
    assert line.fractions["bystander"] == pytest.approx(1 / 2)
    assert line.fractions["greedy 1"] == pytest.approx(1 / 35), "alone again, with 35 requests left"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_caller_that_goes_away_leaves_its_place_to_the_next(order: tuple[int, int]) -> None:
    line = Line()
    await line.ask("a", "b", "c")
    for number in order:
        line._tasks[number].cancel()
    await asyncio.sleep(0)
    line._gate.set()
    await asyncio.gather(*line._tasks, return_exceptions=True)
    assert line.served == ["a", "c"]
    line._tasks.clear()
    await line.ask("d")
    assert await line.serve() == ["a", "c", "d"]


@pytest.mark.parametrize("seed", range(5))
async def test_no_slot_is_lost_whoever_comes_goes_or_is_dropped(seed: int) -> None:
    chance = random.Random(seed)
    queue, running, most, outcomes = FairQueue(2, 12), 0, 0, 0
    tasks: list[asyncio.Task[None]] = []

    async def one(share: Share) -> None:
        nonlocal running, most, outcomes
        try:
            async with queue.slot(share):
                running += 1
                most = max(most, running)
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
    assert most == 2
    assert (running, queue._free, queue._root.active, queue._root.waiting_count) == (0, 2, 0, 0)
    async with queue.slot(("late",)), queue.slot(("later",)):
        pass
