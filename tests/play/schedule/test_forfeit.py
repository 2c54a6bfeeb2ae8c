"""A bot gives up a game that would never end; nobody's seat is given up for them; people give up for good."""

from __future__ import annotations

import pytest

from app import rules
from app.play.log.reading import record_of
from app.play.schedule import forfeit
from tests.play.stage import Guest, Stage, laid

ROUNDS = 12


@pytest.fixture(autouse=True)
def short_of_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forfeit, "MOST_ACTIONS", 9)  # three turns of three actions


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


async def test_a_game_that_every_person_has_resigned_ends_at_once(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["sailor", "sailor"], pace=800)
    await bo.act({"type": "resign"})
    await stage.pass_time(0)
    assert not (await ann.room()).table.is_over
    await ann.act({"type": "resign"})
    moves = stage.counts.kinds.count("action")
    await stage.pass_time(0)  # no bot's pace has to go by
    table = (await ann.room()).table
    assert stage.counts.kinds.count("action") == moves
    assert table.status == "finished"
    assert table.result == {"winner": None, "places": [3, 4, 1, 1], "reason": "resigned"}
    told = ann.ear.last
    assert told["table"]["server_seed"] == table.server_seed
    assert told["view"]["seed"] is not None
    row = await stage.store.game(ann.game)
    assert row is not None
    assert row.summary is not None
    assert (row.status, row.to_act, row.summary.result) == ("finished", "", table.result)
    assert [seat.place for seat in row.summary.seats] == [3, 4, 1, 1]
    record = record_of(row, await stage.store.entries(ann.game), stage.game_server.names)
    assert rules.verify(rules.record_from_json(record)).winner is None
    for places in ([4, 3, 1, 1], [1, 1, 3, 4], None):
        wrong = {**record, "result": {**record["result"], "places": places}}
        with pytest.raises(rules.BadRecord):
            rules.verify(rules.record_from_json(wrong))
    with pytest.raises(rules.BadRecord):  # one person less has given up
        rules.verify(rules.record_from_json({**record, "actions": record["actions"][:-1]}))


async def test_it_ends_even_where_everybody_has_gone_or_the_game_was_paused(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor", "sailor"])
    await ann.send("consent", to="pause", yes=True)
    assert (await ann.room()).table.is_paused
    await ann.act({"type": "resign"})
    await ann.go()
    await stage.pass_time(0)
    assert (await ann.room()).table.result == {"winner": None, "places": [3, 1, 1], "reason": "resigned"}


async def test_who_is_away_or_taken_over_has_not_given_up_and_bots_wait_for_them(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["sailor"], absence=10, pace=0)
    room = await ann.room()
    while room.table.to_act != (1,):
        offered = room.table.rules.choices(laid(room), 0)
        if room.table.to_act == (0,):
            await ann.act(offered[0]["action"])
        await stage.pass_time(0)
    await bo.go()
    await stage.pass_time(11)
    await ann.send("vote", seat=1, choice="bot")
    await ann.act({"type": "resign"})
    await ann.go()
    seq = room.table.seq
    for _ in range(5):
        await stage.pass_time(60)
    assert (room.table.status, room.table.seq) == ("running", seq)  # with nobody there, bots wait
    assert not forfeit.have_all_resigned(room.table)
    watcher = await stage.guest("cyd").come(ann.game)
    await stage.pass_time(1)
    assert room.table.seq > seq  # they play for whoever is here
    await watcher.go()
    await bo.come(ann.game)
    await bo.send("return")
    assert room.table.status == "running"
