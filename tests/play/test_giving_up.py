"""A bot gives up a game that would never end; nobody's seat is given up for them."""

from __future__ import annotations

import pytest

from app.play import giving_up
from tests.play.stage import Guest, Stage, laid

ROUNDS = 12


@pytest.fixture(autouse=True)
def short_of_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(giving_up, "MOST_ACTIONS", 9)  # three turns of three actions


async def wait_for(stage: Stage, ann: Guest) -> None:
    """Ann ends her turns at once, whoever else is here plays."""
    for _ in range(ROUNDS):
        room = await ann.room()
        for _ in range(ROUNDS):
            if room.table.is_over:
                return
            if room.table.to_act == (0,) and room.table.seats[0].bot is None:
                break
            await stage.pass_time(1)
        if laid(room).taken == 0:
            first = next(choice for choice in room.table.rules.legal(laid(room), 0))
            await ann.act(room.table.rules.action_to_json(first))
        if not room.table.is_over and room.table.to_act == (0,):
            await ann.act({"type": "end"})


@pytest.mark.parametrize(("level", "gives_up"), [("mate", True), ("cabin-boy", False)])
async def test_a_bot_gives_up_after_more_turns_than_any_game_takes(
    stage: Stage, level: str, gives_up: bool
) -> None:
    (ann,) = await stage.game("ann", preset="tortuga", bots=[level], pace=0)
    await wait_for(stage, ann)
    table = (await ann.room()).table
    assert table.is_over is gives_up
    if gives_up:
        assert table.result is not None
        assert (table.result["winner"], table.result["reason"]) == (0, "resigned")


async def test_a_bot_on_somebody_elses_seat_never_does(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", preset="tortuga", absence=10, pace=0)
    await bo.go()
    room = await ann.room()
    first = next(choice for choice in room.table.rules.legal(laid(room), 0))
    await ann.act(room.table.rules.action_to_json(first))
    await ann.act({"type": "end"})
    await stage.pass_time(11)
    await ann.send("vote", seat=1, choice="bot")
    await wait_for(stage, ann)
    assert not (await ann.room()).table.is_over
