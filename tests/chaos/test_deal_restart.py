"""A deal game continues by itself after its server is killed, however long its player thought before moving."""

from __future__ import annotations

import pytest

from app.play.create import new_game_id
from app.play.deal.days import Deal, new_deal
from app.play.deal.game import build_deal_game, create_deal_game
from app.play.schedule.due import EMPTY_TABLE_MS
from tests.choices import choices_of
from tests.play.stage import START, Guest, Stage, open_stage, position_of

DAY = "2027-01-18"


def deal_that_begins_with(seat: int) -> Deal:
    """Return a deal in which this seat moves first."""
    while True:
        deal = new_deal(DAY, START)
        if build_deal_game("p_ann", deal, START, new_game_id())[0].to_act == str(seat):
            return deal


async def begin_deal(stage: Stage, seat: int) -> Guest:
    """Return a player who has just opened a deal game in which this seat moves first."""
    ann, game = stage.guest("ann"), new_game_id()
    await stage.register(ann.actor)
    await create_deal_game(stage.game_server, ann.actor, deal_that_begins_with(seat), game, 10)
    return await ann.enter(game)


async def play_turn(ann: Guest) -> None:
    """Play until a bot is to act."""
    room = await ann.room()
    while not room.table.list_bots_to_act():
        choices = choices_of(position_of(room), 0)
        action = next(choice["action"] for choice in choices if choice["action"]["type"] != "resign")
        await ann.act(action)


async def continue_after_kill(url: str, game: str, now: int) -> tuple[int, int]:
    """Start another server on this database and sweep once without a client; return the head before and after."""
    async with open_stage(url, migrate=False) as restarted:
        restarted.clock.time = now
        await restarted.store.heartbeats.record(now, 10**15)
        before = (await restarted.store.log.read_heads([game]))[game]
        await restarted.game_server.sweeper.sweep()
        return before, (await restarted.store.log.read_heads([game]))[game]


@pytest.mark.parametrize("thinking", [1, EMPTY_TABLE_MS / 1000 + 60])
async def test_bots_move_after_a_kill(database_url: str, thinking: float) -> None:
    async with open_stage(database_url) as stage:  # its sweeper never runs: killed before the bot moved
        ann = await begin_deal(stage, 0)
        await stage.advance_clock(thinking)
        await play_turn(ann)
        now = stage.clock.now() + 10_000
    before, after = await continue_after_kill(database_url, ann.game, now)
    assert after > before


async def test_a_deal_that_a_bot_begins_continues_after_a_kill(sqlite_url: str) -> None:
    async with open_stage(sqlite_url) as stage:
        ann = await begin_deal(stage, 1)
        now = stage.clock.now() + 10_000
    before, after = await continue_after_kill(sqlite_url, ann.game, now)
    assert after > before


async def test_a_bots_move_does_not_depend_on_the_safety_net(sqlite_url: str) -> None:
    async with open_stage(sqlite_url) as stage:
        ann = await begin_deal(stage, 0)
        await stage.advance_clock(EMPTY_TABLE_MS / 1000 + 60)
        await play_turn(ann)
        assert await stage.advance_and_sweep(5) == 1
        assert stage.metrics.missed_wakeups == 0
