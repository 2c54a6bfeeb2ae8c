"""One more game: the same company, seated and ready, begins by itself; who has won how many is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest
from sqlalchemy import func, select

from app.bus.local import Hub
from app.play.join import admit
from app.play.lobby_clients import LobbySubscriber
from app.play.log.auto_start import START_DELAY_ALL_READY_MS, START_DELAY_TWO_READY_MS
from app.play.log.entries import Append
from app.play.log.table import Table
from app.play.ports import StoreUnavailable
from app.play.refusals import NotAdmitted, Refusal
from app.play.schedule.due import EMPTY_TABLE_MS
from app.store.tables.games import games
from tests.play.stage import Guest, RecordingListener, Stage, append_with, open_stage


async def over(stage: Stage, *guests: Guest) -> None:
    """The first of these wins: all others give up."""
    for guest in guests[1:]:
        await guest.act({"type": "resign"}, version=0)
    await stage.advance_and_sweep(0)
    assert (await guests[0].room()).table.is_over


async def pressed(stage: Stage, guest: Guest) -> Guest:
    """What the page does behind the button; this person, at the next table."""
    await guest.send("rematch")
    following = (await guest.room()).table.next_game
    assert following is not None
    again = await stage.guest(guest.actor.name).enter(following)
    await again.sit()
    await again.send("ready", ready=True)
    return again


async def table_of(guest: Guest) -> Table:
    return (await guest.room()).table


def block_of(guest: Guest) -> dict[str, Any]:
    """Return the table block that was sent last."""
    block: dict[str, Any] = next(m["table"] for m in reversed(guest.listener.received) if m.get("table"))
    return block


async def opened(stage: Stage, *guests: Guest) -> None:
    for guest in guests:
        await guest.open_seal()


async def test_a_rematch_starts_when_all_players_are_ready(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await over(stage, ann, bo)
    ann2 = await pressed(stage, ann)
    assert block_of(ann2)["series"]["begins"] is None
    await stage.advance_and_sweep(60)
    assert (await table_of(ann2)).seal_round is None
    bo2 = await pressed(stage, bo)
    assert block_of(bo2)["series"]["begins"] == stage.clock.now() + START_DELAY_ALL_READY_MS
    await stage.advance_and_sweep(START_DELAY_ALL_READY_MS / 1000)
    assert (await table_of(ann2)).seal_round is not None
    await opened(stage, ann2, bo2)
    assert (await table_of(ann2)).status == "running"
    assert ann2.seat == 1  # one seat further on
    assert bo2.seat == 0


async def test_a_rematch_starts_without_players_who_are_not_ready_in_time(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy")
    await over(stage, ann, bo, cy)
    ann2, bo2 = await pressed(stage, ann), await pressed(stage, bo)
    begins = stage.clock.now() + START_DELAY_TWO_READY_MS
    assert block_of(bo2)["series"]["begins"] == begins
    await stage.advance_and_sweep(10)
    await bo2.send("colour", colour="violet")  # nothing puts it off
    assert block_of(ann2)["series"]["begins"] == begins
    await stage.advance_and_sweep((begins - stage.clock.now()) / 1000 - 1)
    assert (await table_of(ann2)).seal_round is None
    await stage.advance_and_sweep(1)
    await opened(stage, ann2, bo2)
    table = await table_of(ann2)
    assert (table.status, len(table.seats)) == ("running", 2)
    assert block_of(ann2)["series"]["wins"] is None  # another company


async def test_a_player_who_is_no_longer_ready_stops_the_start(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await over(stage, ann, bo)
    ann2, bo2 = await pressed(stage, ann), await pressed(stage, bo)
    await ann2.send("ready", ready=False)
    assert block_of(bo2)["series"]["begins"] is None
    await stage.advance_and_sweep(60)
    assert (await table_of(bo2)).seal_round is None


async def test_a_rematch_against_bots_needs_one_player_and_keeps_bot_names(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor", "sailor"])
    names = {seat.name for seat in (await table_of(ann)).seats if seat.bot}
    for _ in range(3):
        await ann.act({"type": "resign"}, version=0)
        await stage.advance_and_sweep(0)
        ann = await pressed(stage, ann)
        await stage.advance_and_sweep(START_DELAY_ALL_READY_MS / 1000)
        await opened(stage, ann)
        table = await table_of(ann)
        assert table.status == "running"
        assert {seat.name for seat in table.seats if seat.bot} == names


async def test_an_added_bot_gets_a_name_that_is_not_taken(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo", bots=["sailor"])
    await bo.act({"type": "resign"}, version=0)
    await ann.act({"type": "resign"}, version=0)
    await ann.send("rematch")
    following = (await table_of(ann)).next_game
    assert following is not None
    host = await stage.guest("ann").enter(following)
    table = await table_of(host)
    kept = next(seat.name for seat in table.seats if seat.bot)
    free = next(n for n, seat in enumerate(table.seats) if seat.reserved == "p_bo")
    await host.send("remove", seat=free)
    await host.send("bot", level="sailor", seat=free)
    names = [seat.name for seat in (await table_of(host)).seats if seat.bot]
    assert len(set(names)) == 2
    assert kept in names


async def test_wins_are_counted_between_the_same_players(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    for count in (1, 2):
        await over(stage, ann, bo)
        ann, bo = await pressed(stage, ann), await pressed(stage, bo)
        series = block_of(ann)["series"]
        seats = [seat["person"] for seat in block_of(ann)["seats"]]
        assert dict(zip(seats, series["wins"], strict=True)) == {"p_ann": count, "p_bo": 0}
        await stage.advance_and_sweep(START_DELAY_ALL_READY_MS / 1000)
        await opened(stage, ann, bo)
    await over(stage, bo, ann)
    block = block_of(ann)
    assert block["result"]["winner"] == bo.seat
    assert dict(zip([s["person"] for s in block["seats"]], block["series"]["wins"], strict=True)) == {
        "p_ann": 2,
        "p_bo": 1,
    }


async def test_a_guest_who_gets_an_account_keeps_their_wins(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await over(stage, ann, bo)
    bo2 = await pressed(stage, bo)
    following = bo2.game
    again = stage.guest("ann")
    again.actor = type(again.actor)(("p_account", "p_ann"), "ann")
    again.subscriber.actor = again.actor
    await again.enter(following)
    await again.sit()
    block = block_of(again)
    assert dict(zip([s["person"] for s in block["seats"]], block["series"]["wins"], strict=True)) == {
        "p_account": 1,
        "p_bo": 0,
    }


async def test_a_start_delay_survives_a_restart(database_url: str) -> None:
    async with open_stage(database_url) as stage:
        ann, bo, cy = await stage.start_game("ann", "bo", "cy")
        await over(stage, ann, bo, cy)
        ann2, _ = await pressed(stage, ann), await pressed(stage, bo)
    async with open_stage(database_url, migrate=False) as later:
        await later.advance_and_sweep(START_DELAY_TWO_READY_MS / 1000)
        room = await later.game_server.rooms.get(ann2.game)
        assert room is not None
        assert room.table.seal_round is not None


async def test_players_of_the_previous_game_need_no_password(stage: Stage) -> None:
    ann, bo, cy, wim = (stage.guest(name) for name in ("ann", "bo", "cy", "wim"))
    game = await stage.open_table(ann, players=3, password="open sesame")
    for guest in (ann, bo, cy):
        await guest.enter(game, password="open sesame")
        await guest.sit()
        await guest.send("ready", ready=True)
    await ann.send("start")
    await over(stage, ann, bo, cy)
    ann2, bo2 = await pressed(stage, ann), await pressed(stage, bo)
    await stage.advance_and_sweep(START_DELAY_TWO_READY_MS / 1000)
    await opened(stage, ann2, bo2)
    late = await stage.guest("cy").enter(ann2.game)
    assert late.seat is None
    with pytest.raises(NotAdmitted, match="password_required"):
        await admit(stage.game_server, ann2.game, wim.actor, None)
    await wim.enter(ann2.game, password="open sesame")  # the same word


async def test_only_a_seated_player_can_start_the_game(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann, players=3, bots=["sailor", "mate"])
    await ann.enter(game)
    assert await ann.expect_refusal("start") == "sit_to_begin"
    bo = await stage.guest("bo").enter(game)
    assert await bo.expect_refusal("start") == "not_host"
    await bo.sit()
    await bo.send("ready", ready=True)
    assert await ann.expect_refusal("start") == "sit_to_begin"
    await bo.send("start")  # the host is not seated, so any player may start
    assert (await table_of(bo)).status == "running"


async def count_tables(stage: Stage) -> int:
    return int((await stage.store.database.fetch_rows(select(func.count()).select_from(games)))[0][0])


@pytest.mark.parametrize("workers", [1, 2])
async def test_concurrent_rematch_requests_create_one_table(database_url: str, workers: int) -> None:
    async with open_stage(database_url, hub=Hub()) as stage:
        ann, bo = await stage.start_game("ann", "bo")
        await over(stage, ann, bo)
        if workers == 2:
            other = await stage.add_worker()
            bo = await stage.guest("bo", other).enter(ann.game)
        acks = await asyncio.gather(*(guest.send("rematch") for guest in (ann, bo, ann, bo)))
        assert len({ack.seq for ack in acks}) == 1
        assert await count_tables(stage) == 2
        following = (await table_of(ann)).next_game
        for guest in (ann, bo):
            assert (await table_of(guest)).next_game == following
            assert guest.listener.of_kind("table")[-1]["table"]["next"] == following
        assert following is not None
        for name in ("ann", "bo"):
            await (await stage.guest(name).enter(following)).sit()
        if workers == 2:
            await other.close()


async def test_after_a_crash_the_next_request_finds_the_rematch(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row was stored, and the entry that names it was not."""

    def away(_: Append) -> Awaitable[bool]:
        raise StoreUnavailable("away")

    async with open_stage(database_url) as stage:
        ann, bo = await stage.start_game("ann", "bo")
        await over(stage, ann, bo)
        in_lobby = RecordingListener()
        stage.game_server.lobby.enter(LobbySubscriber(ann.actor, in_lobby))
        with monkeypatch.context() as patch:
            patch.setattr(stage.store.log, "append", append_with(away))
            with pytest.raises(Refusal, match="try_again"):
                await ann.send("rematch")
        await bo.send("rematch")
        assert await count_tables(stage) == 2
        following = (await table_of(bo)).next_game
        sent_ids = {
            each.get("id") or each["room"]["id"]
            for each in in_lobby.received
            if each["t"] in ("room", "gone")
        }
        assert following in sent_ids, "lobbies list the new table, whichever request named it"
        assert (await (await pressed(stage, ann)).room()).table.status == "open"


async def test_a_rematch_that_closed_before_it_was_named_is_skipped(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: Append) -> Awaitable[bool]:
        raise StoreUnavailable("away")

    ann, bo = await stage.start_game("ann", "bo")
    await over(stage, ann, bo)
    with monkeypatch.context() as patch:
        patch.setattr(stage.store.log, "append", append_with(away))
        with pytest.raises(Refusal, match="try_again"):
            await ann.send("rematch")
    await stage.advance_and_sweep(EMPTY_TABLE_MS / 1000 + 1)
    await stage.advance_and_sweep(60)
    assert (await (await pressed(stage, ann)).room()).table.status == "open"
    assert await count_tables(stage) == 3
