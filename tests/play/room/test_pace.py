"""The bots' pace, set by a lone player or the host. The `end` of a spent turn has no delay, an earlier one has."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.bot_pace import FAST_MS, NORMAL_MS, SKIPPING_MS, SLOW_MS
from app.play.log.entries import Entry
from app.play.log.reading import read_whole_log
from app.play.room.room import Room
from app.play.schedule.due import next_due_at
from tests.play.stage import Guest, Stage, position_of


async def end_turn(guest: Guest) -> Room:
    """Play one action and end this guest's turn."""
    room = await guest.room()
    seat = guest.seat
    assert seat is not None
    first = room.table.rules.legal(position_of(room), seat)[0]
    await guest.act(room.table.rules.action_to_json(first))
    await guest.act({"type": "end"})
    return room


def delay_ms(room: Room) -> int:
    """Return the milliseconds until a bot moves."""
    due = next_due_at(room.table, room.presence, room.context.clock.now())
    assert due is not None
    return due - room.table.acts_since


def is_bots_turn(room: Room) -> bool:
    return bool(room.table.list_bots_to_act())


async def read_entries(stage: Stage, game: str) -> list[Entry]:
    return [entry for entry in await read_whole_log(stage.store.log, game) if entry.kind == "action"]


async def test_a_bot_ends_a_spent_turn_without_delay(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", preset="tortuga", bots=["sailor"], pace=800)
    room = await end_turn(ann)
    for _ in range(3):
        assert is_bots_turn(room)
        assert await stage.advance_and_sweep(0.8) == 1
    assert room.table.to_act == (0,)
    *_, last, end = await read_entries(stage, ann.game)
    assert (last.seat, end.seat, end.body["action"]) == (1, 1, {"type": "end"})
    assert last.body["action"] != {"type": "end"}
    assert end.at == last.at


class Idler:
    """A bot that ends its turn as soon as it can."""

    async def choose(self, view: Any, actions: Any, *args: Any, **named: Any) -> Any:
        return next((action for action in actions if action["type"] == "end"), actions[0])


async def test_a_bot_ends_an_unspent_turn_at_its_pace(stage: Stage) -> None:
    """Such an end is a choice, or shows that a hidden hand allows nothing else."""
    object.__setattr__(stage.game_server.context, "bots", Idler())
    (ann,) = await stage.start_game("ann", preset="jamaica", bots=["sailor"], pace=800)
    room = await end_turn(ann)
    while is_bots_turn(room):
        assert delay_ms(room) == 800
        await stage.advance_and_sweep(0.8)
    *_, before, end = await read_entries(stage, ann.game)
    assert end.body["action"] == {"type": "end"}
    assert end.at == before.at + 800


@pytest.mark.parametrize(("said", "wait"), [("slow", SLOW_MS), ("normal", 700), ("fast", FAST_MS)])
async def test_a_lone_player_sets_the_pace_during_a_game(stage: Stage, said: str, wait: int) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"], pace=700)
    room = await end_turn(ann)
    assert delay_ms(room) == 700
    seq = room.table.seq
    await ann.send("pace", pace=said)
    assert delay_ms(room) == wait
    assert room.table.seq == seq, "the pace is not logged"
    await stage.advance_and_sweep((wait - 1) / 1000)
    assert room.table.seq == seq
    await stage.advance_and_sweep(0.001)
    assert room.table.seq == seq + 1


async def test_no_choice_switches_the_pace_off(stage: Stage) -> None:
    """At pace 0 bots answer as soon as they can, which would reveal how long they thought about a hidden hand."""
    (ann,) = await stage.start_game("ann", bots=["sailor"], pace=0)
    room = await end_turn(ann)
    assert delay_ms(room) == 0
    for said, wait in (("normal", NORMAL_MS), ("fast", FAST_MS), ("skip", SKIPPING_MS)):
        await ann.send("pace", pace=said)
        assert delay_ms(room) == wait > 0
    assert await ann.expect_refusal("pace", pace="0") == "bad_message"


async def test_with_several_people_only_the_host_sets_the_pace(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor"], pace=800)
    await end_turn(ann)
    room = await end_turn(bo)
    await bo.send("pace", pace="fast")
    await bo.send("pace", pace="skip")
    await ann.send("pace", pace="skip")
    assert delay_ms(room) == 800, "one of several players cannot skip"
    await ann.send("pace", pace="slow")
    assert delay_ms(room) == SLOW_MS
    await ann.send("host", seat=1)
    assert delay_ms(room) == FAST_MS
    await bo.act({"type": "resign"})
    assert delay_ms(room) == SKIPPING_MS, "the earlier choice applies again"


async def test_skipping_lasts_until_the_players_next_turn(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", preset="tortuga", bots=["sailor", "sailor"], pace=800)
    assert (await ann.send("pace", pace="skip")).seq
    room = await end_turn(ann)
    assert delay_ms(room) == 800, "skipping has no effect in one's own turn"
    await ann.send("pace", pace="skip")
    for _ in range(6):
        assert delay_ms(room) == SKIPPING_MS
        await stage.advance_and_sweep(SKIPPING_MS / 1000)
    assert room.table.to_act == (0,)
    await end_turn(ann)
    assert delay_ms(room) == 800


async def test_a_spectator_cannot_set_the_pace(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor"])
    eve = await stage.guest("eve").enter(ann.game)
    assert await eve.expect_refusal("pace", pace="fast") == "not_seated"


async def test_the_pace_is_shared_between_workers(shared_stage: Stage) -> None:
    (ann,) = await shared_stage.start_game("ann", bots=["sailor", "sailor"], pace=800)
    await end_turn(ann)
    other = await shared_stage.add_worker()
    there = await other.rooms.get(ann.game)
    assert there is not None
    await ann.send("pace", pace="fast")
    assert delay_ms(there) == FAST_MS
    await ann.send("pace", pace="skip")
    assert delay_ms(there) == SKIPPING_MS
    await other.close()


async def test_after_a_restart_bots_use_the_tables_own_pace(shared_stage: Stage) -> None:
    (ann,) = await shared_stage.start_game("ann", bots=["sailor", "sailor"], pace=800)
    room = await end_turn(ann)
    await ann.send("pace", pace="slow")
    await shared_stage.advance_and_sweep(0.8)  # this sweep writes the row's time for the slow pace
    await shared_stage.game_server.close()
    again = await shared_stage.add_worker()
    shared_stage.clock.advance(SLOW_MS / 1000)
    await again.sweeper.sweep()
    there = await again.rooms.get(ann.game)
    assert there is not None
    assert there.table.seq == room.table.seq + 1
    await again.close()
