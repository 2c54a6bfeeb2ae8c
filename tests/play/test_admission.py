"""Admission control: connecting clients do not delay running games, measured in steps instead of time."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from app.admission import BUDGET_SECONDS, IDLE_BUDGET_SECONDS, MAX_STEPS, AdmissionQueue, _queues
from app.play import join
from app.play.room.room import Room
from app.play.room.rooms import NEW_TABLE_CACHE_TTL_MS
from tests.play.stage import Stage


class Work:
    """A CPU clock that only steps advance."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0.0
        self.done = 0

    def clock(self) -> float:
        return self.now

    def step(self) -> None:
        self.done += 1
        self.now += self.seconds


@pytest.mark.parametrize("share", [0.25, 0.5, 1.0, 5.0])
async def test_an_action_waits_for_no_more_steps_than_fit_into_an_iteration(share: float) -> None:
    work = Work(share * BUDGET_SECONDS)
    queue, waited = AdmissionQueue(work.clock), []
    for _ in range(1000):
        queue.run(work.step, is_new=True)
    while queue.waiting:
        before = work.done
        queue.has_action = True
        await asyncio.sleep(0)  # a received frame would be handled next, after this iteration
        waited.append(work.done - before)
    fitting = max(1, round(1 / share))
    assert max(waited[1:]) <= fitting
    assert min(waited[5:-1]) >= fitting // 2, "as many are admitted as fit"
    assert work.done == 1000


async def test_steps_that_continue_in_a_task_count_too(stage: Stage) -> None:
    work, iteration, passed = Work(BUDGET_SECONDS / 3), [0], Counter[int]()
    queue = AdmissionQueue(work.clock)

    async def count() -> None:
        while True:
            iteration[0] += 1
            await asyncio.sleep(0)

    async def come() -> None:
        await queue.wait()
        queue.has_action = True
        passed[iteration[0]] += 1
        work.step()

    counting = asyncio.create_task(count())
    await asyncio.gather(*(come() for _ in range(200)))
    counting.cancel()
    first = min(passed)
    assert sum(passed.values()) == 200
    assert max(amount for number, amount in passed.items() if number > first + 3) <= 4


async def test_actions_leave_less_of_an_iteration_for_new_clients() -> None:
    work = Work(BUDGET_SECONDS / 8)
    queue = AdmissionQueue(work.clock)
    for _ in range(400):
        queue.run(work.step)
    for _ in range(20):
        await asyncio.sleep(0)
    before = work.done
    for _ in range(20):
        work.now += BUDGET_SECONDS  # the actions alone use up the budget of the iteration
        queue.has_action = True
        await asyncio.sleep(0)
    assert work.done - before <= 80
    assert work.done > before, "new clients are still admitted"


async def test_more_steps_are_admitted_while_no_game_is_active() -> None:
    work = Work(BUDGET_SECONDS * 4)
    queue = AdmissionQueue(work.clock)
    for _ in range(300):
        queue.run(work.step)
    at_once = []
    for number in range(60):
        before = work.done
        queue.has_action = number >= 30
        await asyncio.sleep(0)
        at_once.append(work.done - before)
    assert max(at_once[20:30]) == IDLE_BUDGET_SECONDS / (BUDGET_SECONDS * 4) == 4
    assert max(at_once[35:]) == 1, "new clients give way as soon as a player acts"


async def test_the_number_of_steps_per_iteration_is_bounded() -> None:
    work = Work(0.0)
    queue = AdmissionQueue(work.clock)
    for _ in range(300):
        queue.run(work.step)
    for _ in range(10):
        before = work.done
        await asyncio.sleep(0)
        assert work.done - before <= MAX_STEPS


async def test_clients_that_have_begun_go_before_new_ones() -> None:
    work, order = Work(BUDGET_SECONDS), list[str]()
    queue = AdmissionQueue(work.clock)

    def step(name: str) -> None:
        order.append(name)
        work.step()

    for number in range(20):
        queue.run(lambda number=number: step(f"new {number}"), is_new=True)  # type: ignore[misc]
    begun = len(order)
    queue.run(lambda: step("begun"))
    for _ in range(40):
        await asyncio.sleep(0)
    assert order.index("begun") == begun
    assert [name for name in order if name != "begun"] == [f"new {number}" for number in range(20)]


async def test_a_single_client_is_admitted_at_once() -> None:
    work = Work(0.0)
    queue = AdmissionQueue(work.clock)
    queue.run(work.step, is_new=True)
    assert work.done == 1
    coming = queue.wait()
    with pytest.raises(StopIteration):
        coming.send(None)


async def test_failed_and_cancelled_steps_do_not_block_the_queue() -> None:
    work, errors = Work(BUDGET_SECONDS), list[str]()
    queue, loop = AdmissionQueue(work.clock), asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: errors.append(str(context["exception"])))

    def fail() -> None:
        raise RuntimeError("no luck")

    for _ in range(10):
        queue.run(work.step)
    queue.run(fail)
    gone, other = (asyncio.create_task(queue.wait()) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    queue.run(work.step)
    await asyncio.wait_for(other, 5)
    for _ in range(20):
        await asyncio.sleep(0)
    assert (work.done, errors) == (11, ["no luck"])


async def test_a_hundred_reconnecting_clients_are_admitted_a_few_per_iteration(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("ann")
    games = [await stage.open_table(host, players=3) for _ in range(50)]
    people = [stage.guest(f"p{number}") for number in range(100)]
    for person in people:
        await stage.register(person.actor)
    stage.clock.advance(NEW_TABLE_CACHE_TTL_MS / 1000 + 1)
    work, iteration, steps = Work(BUDGET_SECONDS / 2), [0], Counter[int]()
    load, greet, queue = Room.load_entries, join._greet, AdmissionQueue(work.clock)

    def noted_load(*given: object) -> None:
        steps[iteration[0]] += 1
        work.step()
        load(*given)  # type: ignore[arg-type]

    def noted_greet(*given: object) -> None:
        steps[iteration[0]] += 1
        work.step()
        greet(*given)  # type: ignore[arg-type]

    async def count() -> None:
        while True:
            iteration[0] += 1
            queue.has_action = True  # a player acts in every iteration
            await asyncio.sleep(0)

    monkeypatch.setattr(Room, "load_entries", noted_load)
    monkeypatch.setattr(join, "_greet", noted_greet)
    monkeypatch.setitem(_queues, asyncio.get_running_loop(), queue)
    counting = asyncio.create_task(count())
    await asyncio.gather(*(person.enter(games[number % 50]) for number, person in enumerate(people)))
    counting.cancel()
    assert sum(steps.values()) == 150
    assert max(steps.values()) <= MAX_STEPS
    assert sorted(steps.values())[-15] <= 4, "once the length of a step is known"
