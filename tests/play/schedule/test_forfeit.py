"""Forfeits: a bot resigns a game that would not end, but never for a person; a game that all people resigned ends."""

from __future__ import annotations

import pytest

from app import rules
from app.play.log.reading import build_record
from app.play.schedule import forfeit
from tests.choices import choices_of
from tests.play.stage import Guest, Stage, position_of

ROUNDS = 12


@pytest.fixture(autouse=True)
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forfeit, "MAX_BOT_ACTIONS", 9)  # three turns of three actions


async def pass_turns(stage: Stage, ann: Guest) -> None:
    """Let Ann end each of her turns at once, and the bots play."""
    for _ in range(ROUNDS):
        room = await ann.room()
        for _ in range(ROUNDS):
            if room.table.is_over:
                return
            if room.table.to_act == (0,) and room.table.seats[0].bot is None:
                break
            await stage.advance_and_sweep(1)
        if position_of(room).actions_taken == 0:
            first = next(choice for choice in room.table.rules.legal(position_of(room), 0))
            await ann.act(room.table.rules.action_to_json(first))
        if not room.table.is_over and room.table.to_act == (0,):
            await ann.act({"type": "end"})


@pytest.mark.parametrize(("level", "gives_up"), [("mate", True), ("cabin-boy", False)])
async def test_a_bot_resigns_after_more_turns_than_any_game_takes(
    stage: Stage, level: str, gives_up: bool
) -> None:
    (ann,) = await stage.start_game("ann", preset="tortuga", bots=[level], pace=0)
    await pass_turns(stage, ann)
    table = (await ann.room()).table
    assert table.is_over is gives_up
    if gives_up:
        assert table.result is not None
        assert (table.result["winner"], table.result["reason"]) == (0, "resigned")


async def test_a_bot_on_a_persons_seat_never_resigns(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", preset="tortuga", absence=10, pace=0)
    await bo.leave()
    room = await ann.room()
    first = next(choice for choice in room.table.rules.legal(position_of(room), 0))
    await ann.act(room.table.rules.action_to_json(first))
    await ann.act({"type": "end"})
    await stage.advance_and_sweep(11)
    await ann.send("vote", seat=1, choice="bot")
    await pass_turns(stage, ann)
    assert not (await ann.room()).table.is_over


async def test_a_game_that_every_person_has_resigned_ends_at_once(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor", "sailor"], pace=800)
    await bo.act({"type": "resign"})
    await stage.advance_and_sweep(0)
    assert not (await ann.room()).table.is_over
    await ann.act({"type": "resign"})
    moves = stage.metrics.kinds.count("action")
    await stage.advance_and_sweep(0)  # without the delay of a bot's pace
    table = (await ann.room()).table
    assert stage.metrics.kinds.count("action") == moves
    assert table.status == "finished"
    assert table.result == {"winner": None, "places": [3, 4, 1, 1], "reason": "resigned"}
    frame = ann.listener.last
    assert frame["table"]["server_seed"] == table.server_seed
    assert frame["view"]["seed"] is not None
    row = await stage.store.log.read_game(ann.game)
    assert row is not None
    assert row.summary is not None
    assert (row.status, row.to_act, row.summary.result) == ("finished", "", table.result)
    assert [seat.place for seat in row.summary.seats] == [3, 4, 1, 1]
    record = build_record(row, await stage.store.log.read_entries(ann.game), stage.game_server.names)
    assert rules.verify(rules.record_from_json(record)).winner is None
    for places in ([4, 3, 1, 1], [1, 1, 3, 4], None):
        wrong = {**record, "result": {**record["result"], "places": places}}
        with pytest.raises(rules.BadRecord):
            rules.verify(rules.record_from_json(wrong))
    with pytest.raises(rules.BadRecord):  # one person fewer has resigned
        rules.verify(rules.record_from_json({**record, "actions": record["actions"][:-1]}))


async def test_a_resigned_game_ends_even_if_deserted_or_paused(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"])
    await ann.send("consent", to="pause", yes=True)
    assert (await ann.room()).table.is_paused
    await ann.act({"type": "resign"})
    await ann.leave()
    await stage.advance_and_sweep(0)
    assert (await ann.room()).table.result == {"winner": None, "places": [3, 1, 1], "reason": "resigned"}


async def test_absent_and_taken_over_players_have_not_resigned(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor"], absence=10, pace=0)
    room = await ann.room()
    while room.table.to_act != (1,):
        offered = choices_of(position_of(room), 0)
        if room.table.to_act == (0,):
            await ann.act(offered[0]["action"])
        await stage.advance_and_sweep(0)
    await bo.leave()
    await stage.advance_and_sweep(11)
    await ann.send("vote", seat=1, choice="bot")
    await ann.act({"type": "resign"})
    await ann.leave()
    seq = room.table.seq
    for _ in range(5):
        await stage.advance_and_sweep(60)
    assert (room.table.status, room.table.seq) == ("running", seq)  # in a deserted room the bots wait
    assert not forfeit.have_all_people_resigned(room.table)
    watcher = await stage.guest("cyd").enter(ann.game)
    await stage.advance_and_sweep(1)
    assert room.table.seq > seq  # they continue once a client is present
    await watcher.leave()
    await bo.enter(ann.game)
    await bo.send("return")
    assert room.table.status == "running"
