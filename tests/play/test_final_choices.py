"""A choice is `final` exactly if the action could not be undone afterwards."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import orjson
import pytest

from app import rules
from app.play.frames import encode
from app.play.log.entries import Entry
from app.play.log.fold import fold_copy
from app.play.log.table import Table
from app.play.room.audience_frames import event_frames, state_frame
from app.rules.modules.scoundrels import DiscardPlaceholder
from tests.play.commands.test_play import choices_of
from tests.play.stage import Guest, Stage

TABLES: dict[str, tuple[str, dict[str, object]]] = {
    "jamaica": ("jamaica", {}),
    "tortuga": ("tortuga", {}),
    "morgan": ("jamaica", {"card_gain": "both"}),
    "scoundrels": ("jamaica", {"scoundrels": True}),
    "everything": ("complete", {"black_magic": True, "scoundrels": True}),
}


def entry_after(table: Table, seat: int, action: Any, by: str = "person") -> Entry:
    body = {"action": rules.action_to_json(action)}
    return Entry(table.id, table.seq + 1, "action", seat, body, by, table.at)


def sent_choices(table: Table, seat: int) -> list[dict[str, Any]]:
    choices: list[dict[str, Any]] = msgspec.json.decode(encode(state_frame(table, seat))).get("choices", [])
    return choices


@pytest.mark.parametrize(("name", "version"), [*((name, 4) for name in TABLES), ("everything", 2)])
async def test_final_is_false_only_where_undo_is_possible_afterwards(
    stage: Stage, name: str, version: int
) -> None:
    preset, options = TABLES[name]
    stage.game_server.new_table_version = version
    ann, _, _ = await stage.start_game("ann", "bo", "cy", preset=preset, options=options)
    table, chance = (await ann.room()).table, random.Random(5)
    seen: set[bool] = set()
    sealed = 0
    for step in range(240):
        if table.is_over:
            break
        seat = chance.choice(table.to_act)
        assert table.position is not None
        listed = table.rules.legal(table.position, seat)
        for action, choice in zip(listed, sent_choices(table, seat), strict=True):
            if isinstance(action, DiscardPlaceholder):
                assert choice["final"]
                continue
            after, _ = fold_copy(table, entry_after(table, seat, action))
            assert choice["final"] == (not after.can_undo(seat)), (step, choice)
            seen.add(choice["final"])
            if table.is_undo_closed and version == 2:
                assert choice["final"], "older workers cannot fold an undo after a reveal"
            sealed += table.is_undo_closed and (choice["final"] or version == 4)
            if not choice["final"]:
                undone, _ = fold_copy(
                    after, Entry(table.id, after.seq + 1, "undo", seat, {}, "person", table.at)
                )
                assert undone.position == table.position
                assert undone.undo_stack == table.undo_stack
        action = chance.choice(listed)
        if isinstance(action, DiscardPlaceholder):
            action = table.rules.default_action(table.position, seat)
        before, entry = table, entry_after(table, seat, action)
        table, events = fold_copy(table, entry)
        frames = event_frames(before, table, entry, events, [0, 1, 2], seat)
        for audience in range(3):  # the fast path assembles the same list from cached texts
            frame = orjson.loads(frames[audience].payload)
            assert frame.get("choices", []) == sent_choices(table, audience)
    assert seen == {True, False}
    assert sealed


async def test_undo_goes_back_to_the_last_reveal(stage: Stage) -> None:
    """After a draw, plain actions of the same turn can be undone, but not the draw itself."""
    ann, bo = await stage.start_game("ann", "bo", preset="dungeon", options={"actions": 5})
    await _advance(ann)
    await _advance(ann)
    await ann.act(next(c["action"] for c in choices_of(ann) if c["action"]["type"] == "retreat"))
    room = await ann.room()
    drawn, position = ann.listener.last["seq"], room.table.position
    assert "undo" not in ann.listener.last
    assert await ann.expect_refusal("undo", version=drawn) == "undo_blocked"
    await _advance(ann)
    assert ann.listener.last["undo"] is True
    assert "undo" not in bo.listener.last
    await ann.send("undo", version=(await ann.room()).table.seq)
    assert (await ann.room()).table.position == position
    assert "undo" not in ann.listener.last
    assert await ann.expect_refusal("undo", version=(await ann.room()).table.seq) == "undo_blocked"
    await _advance(ann)
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    back = await stage.guest("ann").enter(ann.game)
    assert back.listener.of_kind("state")[-1]["undo"] is True


async def test_older_tables_end_undo_with_the_first_reveal(stage: Stage) -> None:
    """Workers of the release before may fold the same log."""
    stage.game_server.new_table_version = 2
    ann, _ = await stage.start_game("ann", "bo", preset="dungeon", options={"actions": 5})
    await _advance(ann)
    await _advance(ann)
    await ann.act(next(c["action"] for c in choices_of(ann) if c["action"]["type"] == "retreat"))
    assert all(choice["final"] for choice in choices_of(ann))
    await _advance(ann)
    assert "undo" not in ann.listener.last
    assert await ann.expect_refusal("undo", version=(await ann.room()).table.seq) == "undo_blocked"


async def _advance(guest: Guest) -> None:
    await guest.act(next(c["action"] for c in choices_of(guest) if c["action"]["type"] == "advance"))


@pytest.mark.parametrize("version", [2, 4])
async def test_a_bots_actions_cannot_be_undone_after_the_seat_is_taken_back(
    stage: Stage, version: int
) -> None:
    stage.game_server.new_table_version = version
    ann, bo = await stage.start_game("ann", "bo")
    assert not all(choice["final"] for choice in choices_of(ann))
    await ann.leave()
    await stage.advance_and_sweep(125)
    await bo.send("vote", seat=0, choice="bot")
    back = Guest(stage, "ann")
    await back.enter(ann.game)
    await back.send("return")
    position = (await back.room()).table.position
    offered = choices_of(back)
    assert offered
    assert all(choice["final"] for choice in offered) == (version == 2)
    await _advance(back)
    if version == 4:
        await back.send("undo", version=(await back.room()).table.seq)
        assert (await back.room()).table.position == position
    assert await back.expect_refusal("undo", version=(await back.room()).table.seq) == "undo_blocked"


async def test_the_clock_is_sent_when_the_turn_passes_from_bot_to_bot(stage: Stage) -> None:
    """No clock runs before or after, but the bank of the bot whose turn ended has grown."""
    clock = {"kind": "bank", "seconds": 60, "increment": 10}
    (ann,) = await stage.start_game("ann", bots=["cabin-boy", "cabin-boy"], clock=clock)
    await ann.act(choices_of(ann)[0]["action"])
    await ann.act({"type": "end"})
    for _ in range(40):
        if (await ann.room()).table.to_act == (0,):
            break
        await stage.advance_and_sweep(2)
    room = await ann.room()
    assert room.table.clocks is not None
    assert room.table.clocks.turn == 0
    passed = [
        message
        for message in ann.listener.of_kind("events")
        if any(event["type"] == "turn_passed" for event in message["events"])
    ]
    assert len(passed) == 3
    assert all("clock" in message for message in passed)
    assert [message["clock"]["left"] for message in passed][1][1] > 60_000
