"""The bots' pace: a lone person's own, else the host's; a turn's last `end` waits for nothing, an earlier one does."""

from __future__ import annotations

from typing import Any

import pytest

from app.play.log.entries import Entry
from app.play.log.reading import whole_log
from app.play.room.pace import FAST, NORMAL, SKIPPING, SLOW
from app.play.room.room import Room
from app.play.schedule.due import due_at
from tests.play.stage import Guest, Stage, laid


async def end_turn(guest: Guest) -> Room:
    """One action and the end of this guest's turn."""
    room = await guest.room()
    seat = guest.seat
    assert seat is not None
    first = room.table.rules.legal(laid(room), seat)[0]
    await guest.act(room.table.rules.action_to_json(first))
    await guest.act({"type": "end"})
    return room


def wait_of(room: Room) -> int:
    """Milliseconds until a bot moves."""
    due = due_at(room.table, room.presence, room.context.clock.now())
    assert due is not None
    return due - room.table.acts_since


def is_bots(room: Room) -> bool:
    return bool(room.table.bots_to_act())


async def entries_of(stage: Stage, game: str) -> list[Entry]:
    return [entry for entry in await whole_log(stage.store, game) if entry.kind == "action"]


async def test_the_end_of_a_turn_whose_actions_are_taken_comes_with_the_last_of_them(stage: Stage) -> None:
    (ann,) = await stage.game("ann", preset="tortuga", bots=["sailor"], pace=800)
    room = await end_turn(ann)
    for _ in range(3):
        assert is_bots(room)
        assert await stage.pass_time(0.8) == 1
    assert room.table.to_act == (0,)
    *_, last, end = await entries_of(stage, ann.game)
    assert (last.seat, end.seat, end.body["action"]) == (1, 1, {"type": "end"})
    assert last.body["action"] != {"type": "end"}
    assert end.at == last.at


class Idler:
    """A bot that ends its turn as soon as it may."""

    async def choose(self, view: Any, actions: Any, *args: Any, **named: Any) -> Any:
        return next((action for action in actions if action["type"] == "end"), actions[0])


async def test_an_earlier_end_keeps_the_beat(stage: Stage) -> None:
    """It is a choice, or tells that a hidden hand allows nothing else."""
    object.__setattr__(stage.game_server.context, "bots", Idler())
    (ann,) = await stage.game("ann", preset="jamaica", bots=["sailor"], pace=800)
    room = await end_turn(ann)
    while is_bots(room):
        assert wait_of(room) == 800
        await stage.pass_time(0.8)
    *_, before, end = await entries_of(stage, ann.game)
    assert end.body["action"] == {"type": "end"}
    assert end.at == before.at + 800


@pytest.mark.parametrize(("said", "wait"), [("slow", SLOW), ("normal", 700), ("fast", FAST)])
async def test_a_lone_persons_setting_is_the_rooms_pace_in_the_middle_of_a_game(
    stage: Stage, said: str, wait: int
) -> None:
    (ann,) = await stage.game("ann", bots=["sailor", "sailor"], pace=700)
    room = await end_turn(ann)
    assert wait_of(room) == 700
    seq = room.table.seq
    await ann.send("pace", pace=said)
    assert wait_of(room) == wait
    assert room.table.seq == seq, "it is no entry of the log"
    await stage.pass_time((wait - 1) / 1000)
    assert room.table.seq == seq
    await stage.pass_time(0.001)
    assert room.table.seq == seq + 1


async def test_no_word_switches_the_pace_off(stage: Stage) -> None:
    """At pace 0 bots answer when they have thought: where hands are hidden that could be read."""
    (ann,) = await stage.game("ann", bots=["sailor"], pace=0)
    room = await end_turn(ann)
    assert wait_of(room) == 0
    for said, wait in (("normal", NORMAL), ("fast", FAST), ("skip", SKIPPING)):
        await ann.send("pace", pace=said)
        assert wait_of(room) == wait > 0
    assert await ann.refused("pace", pace="0") == "bad_message"


async def test_with_several_people_only_the_host_sets_it(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo", bots=["sailor"], pace=800)
    await end_turn(ann)
    room = await end_turn(bo)
    await bo.send("pace", pace="fast")
    await bo.send("pace", pace="skip")
    await ann.send("pace", pace="skip")
    assert wait_of(room) == 800, "and nobody skips what the others want to follow"
    await ann.send("pace", pace="slow")
    assert wait_of(room) == SLOW
    await ann.send("host", seat=1)
    assert wait_of(room) == FAST
    await bo.act({"type": "resign"})
    assert wait_of(room) == SKIPPING, "alone again, as said before"


async def test_skipping_lasts_until_one_is_to_act(stage: Stage) -> None:
    (ann,) = await stage.game("ann", preset="tortuga", bots=["sailor", "sailor"], pace=800)
    assert (await ann.send("pace", pace="skip")).seq
    room = await end_turn(ann)
    assert wait_of(room) == 800, "said in one's own turn it skips nothing"
    await ann.send("pace", pace="skip")
    for _ in range(6):
        assert wait_of(room) == SKIPPING
        await stage.pass_time(SKIPPING / 1000)
    assert room.table.to_act == (0,)
    await end_turn(ann)
    assert wait_of(room) == 800


async def test_a_spectator_sets_no_pace(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor"])
    eve = await stage.guest("eve").come(ann.game)
    assert await eve.refused("pace", pace="fast") == "not_seated"


async def test_every_worker_knows_it(shared_stage: Stage) -> None:
    (ann,) = await shared_stage.game("ann", bots=["sailor", "sailor"], pace=800)
    await end_turn(ann)
    other = await shared_stage.another_worker()
    there = await other.rooms.get(ann.game)
    assert there is not None
    await ann.send("pace", pace="fast")
    assert wait_of(there) == FAST
    await ann.send("pace", pace="skip")
    assert wait_of(there) == SKIPPING
    await other.close()


async def test_what_a_worker_of_the_release_before_says_is_understood(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor"])
    room = await ann.room()
    room.presence.heard_from("old", {"people": {"p_ann": 1}, "nameless": 0}, room.context.clock.now())
    assert room.presence.is_here("p_ann", room.context.clock.now())


async def test_after_a_restart_the_bots_go_on_at_the_tables_own_pace(shared_stage: Stage) -> None:
    (ann,) = await shared_stage.game("ann", bots=["sailor", "sailor"], pace=800)
    room = await end_turn(ann)
    await ann.send("pace", pace="slow")
    await shared_stage.pass_time(0.8)  # the row is moved to where the slow pace puts it
    await shared_stage.game_server.close()
    again = await shared_stage.another_worker()
    shared_stage.clock.pass_seconds(SLOW / 1000)
    await again.sweeper.sweep()
    there = await again.rooms.get(ann.game)
    assert there is not None
    assert there.table.seq == room.table.seq + 1
    await again.close()
