"""A seat that does not open its seal: how long a table waits, and what its host can do."""

from __future__ import annotations

from typing import Any

import pytest

from app import rules
from tests.play.commands.sealed_tables import end_and_verify, seat_players
from tests.play.stage import Guest, Stage

DAYS = {"kind": "days", "days": 14}
HALF_HOUR = 1800
HALF_DAY = 12 * 3600


async def test_by_correspondence_a_person_who_was_never_there_has_a_day(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo", clock=DAYS)
    await bo.leave()
    await stage.advance_clock(10)
    await ann.send_only("start")
    assert ann.listener.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_DAY
    await ann.open_seal()
    await stage.advance_and_sweep(HALF_DAY - 60)
    assert ann.listener.last["kind"] == "opened"
    await stage.advance_and_sweep(120)
    assert ann.listener.last["kind"] == "asked"
    assert ann.listener.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_DAY
    await stage.advance_and_sweep(HALF_DAY - 60)
    assert ann.listener.last["kind"] == "asked"
    await stage.advance_and_sweep(120)
    assert (ann.listener.last["kind"], ann.listener.last["table"]["void_why"]) == ("voided", "late")


async def test_by_correspondence_a_person_who_was_there_has_an_hour(stage: Stage) -> None:
    """Attack: a stranger who sits down and never opens must not block the table for days."""
    ann, _ = await seat_players(stage, "ann", "stranger", clock=DAYS)
    await ann.send_only("start")
    await ann.open_seal()
    await stage.advance_and_sweep(HALF_HOUR - 60)
    assert ann.listener.last["kind"] == "opened"
    await stage.advance_and_sweep(120)
    assert ann.listener.last["kind"] == "asked"
    assert ann.listener.last["table"]["opening"]["until"] == stage.clock.now() + 1000 * HALF_HOUR
    await stage.advance_and_sweep(HALF_HOUR + 60)
    frame = ann.listener.last
    assert (frame["kind"], frame["table"]["void_why"], frame["table"]["opening"]) == ("voided", "late", None)
    assert frame["table"]["seats"][1]["person"] is None
    read = await play_with_another(stage, ann)
    assert read.void_rounds[0].missing == (1,)


async def test_a_player_who_enters_and_does_not_open_gets_the_short_wait(stage: Stage) -> None:
    ann, bo = await seat_players(stage, "ann", "bo", clock=DAYS)
    await bo.leave()
    await stage.advance_clock(10)
    await ann.send_only("start")
    await ann.open_seal()
    await stage.advance_and_sweep(3600)
    assert ann.listener.last["kind"] == "opened"
    await stage.guest("bo").enter(ann.game)
    await stage.advance_and_sweep(1)
    assert ann.listener.last["kind"] == "asked"


async def test_a_stranger_does_not_shorten_a_players_wait(stage: Stage) -> None:
    ann, bo, _ = await seat_players(stage, "ann", "bo", "stranger", clock=DAYS)
    await bo.leave()
    await stage.advance_clock(10)
    await ann.send_only("start")
    await ann.open_seal()
    await stage.advance_and_sweep(2 * HALF_HOUR)
    assert ann.listener.last["kind"] == "opened"
    await ann.send("remove", seat=2)
    assert ann.listener.last["table"]["seats"][1]["person"] == "p_bo"


async def play_with_another(stage: Stage, host: Guest) -> rules.Record:
    """Seat another player and play the game to its end."""
    cy = await stage.guest("cy").enter(host.game)
    await cy.sit()
    await cy.send("ready", ready=True)
    await host.send("start")
    return await end_and_verify(host, cy)


@pytest.mark.parametrize("clock", [DAYS, {"kind": "none"}])
async def test_the_host_removes_a_seat_that_does_not_open(stage: Stage, clock: dict[str, Any]) -> None:
    ann, stranger = await seat_players(stage, "ann", "stranger", clock=clock)
    await ann.send_only("start")
    await ann.open_seal()
    assert await ann.expect_refusal("remove", seat=1) == "opening"  # its browser has 20 seconds
    await stage.advance_clock(20)
    assert await stranger.expect_refusal("remove", seat=0) == "opening"
    assert await ann.expect_refusal("remove", seat=0) == "opening"  # has opened
    await ann.send("remove", seat=1)
    frame = ann.listener.last
    assert (frame["kind"], frame["why"], frame["table"]["void_why"]) == ("left", "removed", "left")
    assert frame["removed_until"] == stage.clock.now(), "may come back at once"
    assert frame["table"]["seals"][0] in ann.keeper.nonces  # `open` carried the next seal
    read = await play_with_another(stage, ann)
    assert [(each.missing, each.nonces[1]) for each in read.void_rounds] == [((1,), None)]


async def test_a_player_removed_from_two_rounds_cannot_sit_there_again(stage: Stage) -> None:
    ann, stranger = await seat_players(stage, "ann", "stranger", clock=DAYS)
    for number in range(2):
        await ann.send_only("start")
        await ann.open_seal()
        await stage.advance_clock(20)
        await ann.send("remove", seat=1)
        if number == 0:
            await stranger.sit()
            await stranger.send("ready", ready=True)
    assert await stranger.expect_refusal("sit") == "missed_twice"


async def test_only_the_host_removes_during_a_round(stage: Stage) -> None:
    ann, bo, _ = await seat_players(stage, "ann", "bo", "cy", clock=DAYS)
    await ann.send_only("start")
    await ann.open_seal()
    await stage.advance_clock(20)
    assert await bo.expect_refusal("remove", seat=2) == "not_host"
