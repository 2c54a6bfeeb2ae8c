"""A seat that does not open its seal: how long a table waits, and what its host can do."""

from __future__ import annotations

from typing import Any

import pytest

from app import rules
from tests.play.commands.sealed_tables import ended, seated
from tests.play.stage import Guest, Stage

DAYS = {"kind": "days", "days": 14}
HALF_HOUR = 1800
HALF_DAY = 12 * 3600


async def test_by_correspondence_a_person_who_was_never_there_has_a_day(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo", clock=DAYS)
    await bo.go()
    await stage.live(10)
    await ann.plainly("start")
    assert ann.ear.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_DAY
    await ann.open()
    await stage.pass_time(HALF_DAY - 60)
    assert ann.ear.last["kind"] == "opened"
    await stage.pass_time(120)
    assert ann.ear.last["kind"] == "asked"
    assert ann.ear.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_DAY
    await stage.pass_time(HALF_DAY - 60)
    assert ann.ear.last["kind"] == "asked"
    await stage.pass_time(120)
    assert (ann.ear.last["kind"], ann.ear.last["table"]["void_why"]) == ("voided", "late")


async def test_by_correspondence_a_person_who_was_there_has_an_hour(stage: Stage) -> None:
    """A stranger who sits down and never opens does not freeze the table for days."""
    ann, _ = await seated(stage, "ann", "stranger", clock=DAYS)
    await ann.plainly("start")
    await ann.open()
    await stage.pass_time(HALF_HOUR - 60)
    assert ann.ear.last["kind"] == "opened"
    await stage.pass_time(120)
    assert ann.ear.last["kind"] == "asked"
    assert ann.ear.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_HOUR
    await stage.pass_time(HALF_HOUR + 60)
    told = ann.ear.last
    assert (told["kind"], told["table"]["void_why"], told["table"]["opening"]) == ("voided", "late", None)
    assert told["table"]["seats"][1]["person"] is None
    read = await begin_with_another(stage, ann)
    assert read.void_rounds[0].missing == (1,)


async def test_whoever_comes_to_the_table_and_does_not_open_is_waited_for_no_longer(stage: Stage) -> None:
    ann, bo = await seated(stage, "ann", "bo", clock=DAYS)
    await bo.go()
    await stage.live(10)
    await ann.plainly("start")
    await ann.open()
    await stage.pass_time(3600)
    assert ann.ear.last["kind"] == "opened"
    await stage.guest("bo").come(ann.game)
    await stage.pass_time(1)
    assert ann.ear.last["kind"] == "asked"


async def test_somebody_asleep_is_not_hurried_by_a_stranger(stage: Stage) -> None:
    ann, bo, _ = await seated(stage, "ann", "bo", "stranger", clock=DAYS)
    await bo.go()
    await stage.live(10)
    await ann.plainly("start")
    await ann.open()
    await stage.pass_time(2 * HALF_HOUR)
    assert ann.ear.last["kind"] == "opened"
    await ann.send("remove", seat=2)
    assert ann.ear.last["table"]["seats"][1]["person"] == "p_bo"


async def begin_with_another(stage: Stage, host: Guest) -> rules.Record:
    """Somebody else takes the free seat, and the game is played to its end."""
    cy = await stage.guest("cy").come(host.game)
    await cy.sit()
    await cy.send("ready", ready=True)
    await host.send("start")
    return await ended(host, cy)


@pytest.mark.parametrize("clock", [DAYS, {"kind": "none"}])
async def test_the_host_removes_a_seat_that_does_not_open(stage: Stage, clock: dict[str, Any]) -> None:
    ann, stranger = await seated(stage, "ann", "stranger", clock=clock)
    await ann.plainly("start")
    await ann.open()
    assert await ann.refused("remove", seat=1) == "opening"  # its browser has 20 seconds
    await stage.live(20)
    assert await stranger.refused("remove", seat=0) == "opening"
    assert await ann.refused("remove", seat=0) == "opening"  # has opened
    await ann.send("remove", seat=1)
    told = ann.ear.last
    assert (told["kind"], told["why"], told["table"]["void_why"]) == ("left", "removed", "left")
    assert told["table"]["seals"][0] in ann.keeper.nonces  # `open` carried the next seal
    read = await begin_with_another(stage, ann)
    assert [(each.missing, each.nonces[1]) for each in read.void_rounds] == [((1,), None)]


async def test_whoever_is_removed_from_two_rounds_may_not_sit_there_again(stage: Stage) -> None:
    ann, stranger = await seated(stage, "ann", "stranger", clock=DAYS)
    for number in range(2):
        await ann.plainly("start")
        await ann.open()
        await stage.live(20)
        await ann.send("remove", seat=1)
        if number == 0:
            await stranger.sit()
            await stranger.send("ready", ready=True)
    assert await stranger.refused("sit") == "missed_twice"


async def test_only_the_host_removes_during_a_round(stage: Stage) -> None:
    ann, bo, _ = await seated(stage, "ann", "bo", "cy", clock=DAYS)
    await ann.plainly("start")
    await ann.open()
    await stage.live(20)
    assert await bo.refused("remove", seat=2) == "not_host"
