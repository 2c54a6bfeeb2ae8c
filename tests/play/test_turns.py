"""A crowd at the door does not hold up those who play: counted in steps, not in time."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from app.play import join
from app.play.room.room import Room
from app.play.room.rooms import NEW
from app.play.turns import ALONE, BUDGET, MOST, Turns, _of_loops
from tests.play.stage import Stage


class Work:
    """A processor's clock that only steps move on."""

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
async def test_somebody_who_plays_waits_for_no_more_steps_than_fit_into_a_turn(share: float) -> None:
    work = Work(share * BUDGET)
    turns, waited = Turns(work.clock), []
    for _ in range(1000):
        turns.do(work.step, is_new=True)
    while turns.waiting:
        before = work.done
        turns.is_played = True
        await asyncio.sleep(0)  # as a frame that has come in: it is next after what this turn has begun
        waited.append(work.done - before)
    fitting = max(1, round(1 / share))
    assert max(waited[1:]) <= fitting
    assert min(waited[5:-1]) >= fitting // 2, "and no fewer come in than do fit"
    assert work.done == 1000


async def test_steps_that_go_on_in_a_task_count_as_well(stage: Stage) -> None:
    work, turn, passed = Work(BUDGET / 3), [0], Counter[int]()
    turns = Turns(work.clock)

    async def count() -> None:
        while True:
            turn[0] += 1
            await asyncio.sleep(0)

    async def come() -> None:
        await turns.next()
        turns.is_played = True
        passed[turn[0]] += 1
        work.step()

    counting = asyncio.create_task(count())
    await asyncio.gather(*(come() for _ in range(200)))
    counting.cancel()
    first = min(passed)
    assert sum(passed.values()) == 200
    assert max(amount for number, amount in passed.items() if number > first + 3) <= 4


async def test_what_was_played_in_a_turn_leaves_less_for_newcomers() -> None:
    work = Work(BUDGET / 8)
    turns = Turns(work.clock)
    for _ in range(400):
        turns.do(work.step)
    for _ in range(20):
        await asyncio.sleep(0)
    before = work.done
    for _ in range(20):
        work.now += BUDGET  # actions alone would fill the turn
        turns.is_played = True
        await asyncio.sleep(0)
    assert work.done - before <= 80
    assert work.done > before, "they are not shut out"


async def test_while_nobody_plays_more_come_in_at_once() -> None:
    work = Work(BUDGET * 4)
    turns = Turns(work.clock)
    for _ in range(300):
        turns.do(work.step)
    at_once = []
    for number in range(60):
        before = work.done
        turns.is_played = number >= 30
        await asyncio.sleep(0)
        at_once.append(work.done - before)
    assert max(at_once[20:30]) == ALONE / (BUDGET * 4) == 4
    assert max(at_once[35:]) == 1, "as soon as somebody acts they give way"


async def test_however_short_steps_seem_there_are_only_so_many_in_a_turn() -> None:
    work = Work(0.0)
    turns = Turns(work.clock)
    for _ in range(300):
        turns.do(work.step)
    for _ in range(10):
        before = work.done
        await asyncio.sleep(0)
        assert work.done - before <= MOST


async def test_whoever_has_begun_goes_before_whoever_is_new() -> None:
    work, order = Work(BUDGET), list[str]()
    turns = Turns(work.clock)

    def step(name: str) -> None:
        order.append(name)
        work.step()

    for number in range(20):
        turns.do(lambda number=number: step(f"new {number}"), is_new=True)  # type: ignore[misc]
    begun = len(order)
    turns.do(lambda: step("begun"))
    for _ in range(40):
        await asyncio.sleep(0)
    assert order.index("begun") == begun
    assert [name for name in order if name != "begun"] == [f"new {number}" for number in range(20)]


async def test_somebody_who_comes_alone_waits_for_no_turn() -> None:
    work = Work(0.0)
    turns = Turns(work.clock)
    turns.do(work.step, is_new=True)
    assert work.done == 1
    coming = turns.next()
    with pytest.raises(StopIteration):
        coming.send(None)


async def test_a_step_that_fails_and_one_whose_person_is_gone_hold_up_nobody() -> None:
    work, told = Work(BUDGET), list[str]()
    turns, loop = Turns(work.clock), asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: told.append(str(context["exception"])))

    def fail() -> None:
        raise RuntimeError("no luck")

    for _ in range(10):
        turns.do(work.step)
    turns.do(fail)
    gone, other = (asyncio.create_task(turns.next()) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    turns.do(work.step)
    await asyncio.wait_for(other, 5)
    for _ in range(20):
        await asyncio.sleep(0)
    assert (work.done, told) == (11, ["no luck"])


async def test_a_hundred_people_who_come_back_are_let_in_a_few_in_a_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("ann")
    games = [await stage.open_table(host, players=3) for _ in range(50)]
    people = [stage.guest(f"p{number}") for number in range(100)]
    for person in people:
        await stage.enrol(person.actor)
    stage.clock.pass_seconds(NEW / 1000 + 1)
    work, turn, steps = Work(BUDGET / 2), [0], Counter[int]()
    load, greet, turns = Room.load, join._greet, Turns(work.clock)

    def noted_load(*given: object) -> None:
        steps[turn[0]] += 1
        work.step()
        load(*given)  # type: ignore[arg-type]

    def noted_greet(*given: object) -> None:
        steps[turn[0]] += 1
        work.step()
        greet(*given)  # type: ignore[arg-type]

    async def count() -> None:
        while True:
            turn[0] += 1
            turns.is_played = True  # somebody acts all the time
            await asyncio.sleep(0)

    monkeypatch.setattr(Room, "load", noted_load)
    monkeypatch.setattr(join, "_greet", noted_greet)
    monkeypatch.setitem(_of_loops, asyncio.get_running_loop(), turns)
    counting = asyncio.create_task(count())
    await asyncio.gather(*(person.come(games[number % 50]) for number, person in enumerate(people)))
    counting.cancel()
    assert sum(steps.values()) == 150
    assert max(steps.values()) <= MOST
    assert sorted(steps.values())[-15] <= 4, "once the length of a step is known"
