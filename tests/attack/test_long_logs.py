"""Deliberately long logs: they delay no other table, and their growth is limited."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from app.play.commands import entry_limits
from app.play.log import fold as folding
from app.play.log import reading
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.play.room import room
from app.play.server import GameServer
from app.store.database import get_sqlite_file
from app.store.games import log, log_rows
from tests.choices import choices_of
from tests.play.stage import Guest, Stage, open_stage, position_of
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, done, play_table

LONG = 100_000


@pytest.fixture
async def stage(sqlite_url: str) -> AsyncIterator[Stage]:
    async with open_stage(sqlite_url) as opened:
        yield opened


class Held:
    """The most work done in one event-loop iteration, counted and not timed."""

    def __init__(self) -> None:
        self.most = {"folded": 0, "read": 0}
        self.all = dict(self.most)
        self.elsewhere = 0
        self._now = dict(self.most)
        self._loop = threading.get_ident()

    def count(self, what: str) -> None:
        if threading.get_ident() != self._loop:
            self.elsewhere += 1
            return
        self.all[what] += 1
        self._now[what] += 1
        self.most[what] = max(self.most[what], self._now[what])

    def turn(self) -> None:
        self._now = dict.fromkeys(self._now, 0)


@asynccontextmanager
async def watched(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Held]:
    """Count the entries read and folded, per event-loop iteration or in another thread."""
    held, fold, read, step = Held(), folding.fold, log_rows.decode_entry, asyncio.Handle._run

    def counted_fold(table: Table, *given: Any) -> Any:
        held.count("folded")
        return fold(table, *given)

    def counted_read(row: Any) -> Any:
        held.count("read")
        return read(row)

    def counted_step(self: asyncio.Handle) -> None:
        held.turn()
        step(self)

    with monkeypatch.context() as patch:
        for module in (folding, reading, room):
            patch.setattr(module, "fold", counted_fold)
        patch.setattr(log, "decode_entry", counted_read)
        patch.setattr(asyncio.Handle, "_run", counted_step)
        yield held


def plant(url: str, game: str, count: int) -> None:
    """Append entries that open and close the chat to the log."""
    run = sqlite3.connect(get_sqlite_file(url))
    (head,) = run.execute("SELECT seq FROM heads WHERE game=?", (game,)).fetchone()
    rows = (
        (
            game,
            seq,
            "chat_closed",
            0,
            '{"closed":%s}' % ("true" if seq % 2 else "false"),
            "person",
            2**41,
            "ann",
        )
        for seq in range(head + 1, head + 1 + count)
    )
    run.executemany(
        "INSERT INTO log (game, seq, kind, seat, body, by, at, who) VALUES (?,?,?,?,?,?,?,?)", rows
    )
    run.execute("UPDATE heads SET seq=? WHERE game=?", (head + count, game))
    run.commit()
    run.close()


async def table_of_two(site: TestSite) -> tuple[httpx.AsyncClient, httpx.AsyncClient, str]:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    return ann, bo, await play_table(ann, bo)


def put_away(site: TestSite, game: str) -> None:
    game_server: GameServer = site.app.state.game_server
    assert game_server.rooms.evict(2**53)
    assert game_server.rooms.get_loaded(game) is None


async def test_a_log_of_a_hundred_thousand_entries_never_blocks_the_event_loop(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(sqlite_url) as site:
        ann, bo, game = await table_of_two(site)
        plant(sqlite_url, game, LONG)
        put_away(site, game)
        async with watched(monkeypatch) as held:
            state = (await ann.get(f"/api/v1/games/{game}")).json()  # loads the room
        assert state["seq"] > LONG
        assert held.all["folded"] > LONG
        assert held.most["folded"] <= reading.ENTRIES_PER_SLICE
        assert held.most["read"] <= reading.ENTRIES_PER_QUERY

        async with watched(monkeypatch) as held:  # during the game no entry is read for a record or a review
            for what in ("record", "review"):
                assert code_of(await bo.get(f"/api/v1/games/{game}/{what}")) == "not_over"
        assert held.all == {"folded": 0, "read": 0}

        async with watched(monkeypatch) as held:
            seen = await bo.get(f"/api/v1/games/{game}/seen")
        assert seen.json()["seq"] > LONG
        assert held.all["folded"] == 0
        assert held.elsewhere > LONG
        assert held.most["read"] <= reading.ENTRIES_PER_QUERY

        await done(bo, game, "act", version=state["seq"], action={"type": "resign"})
        async with watched(monkeypatch) as held:
            record = await ann.get(f"/api/v1/games/{game}/record")
        assert record.json()["result"]["reason"] == "resigned"
        assert held.all["folded"] == 0
        assert held.elsewhere > LONG
        assert held.most["read"] <= reading.ENTRIES_PER_QUERY


async def test_the_history_for_a_bot_is_read_in_slices(
    stage: Stage, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await stage.start_game("ann", "bo")
    plant(sqlite_url, ann.game, 5_000)
    room = await ann.room()
    async with watched(monkeypatch) as held:
        await room.read_new_entries()
        assert await room.read_history() == []
    assert room.table.seq > 5_000
    assert held.all["folded"] > 10_000
    assert held.most["folded"] <= reading.ENTRIES_PER_SLICE
    assert held.most["read"] <= reading.ENTRIES_PER_QUERY


async def test_opening_and_closing_the_chat_is_limited(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")

    async def other() -> bool:
        return not (await ann.room()).table.chat_closed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_limits, "MAX_ENTRIES_BY_PERSON", 40)
        table = (await ann.room()).table
        written = table.change_counts["p_ann"]
        for _ in range(40 - written):
            await ann.send("close_chat", closed=await other())
        assert await ann.expect_refusal("close_chat", closed=await other()) == "too_many_changes"
        assert await ann.expect_refusal("consent", to="pause", yes=True) == "too_many_changes"
        await bo.send("consent", to="pause", yes=True)  # allowances are separate
        action = choices_of(position_of(await ann.room()), 0)[0]["action"]
        await ann.act(action)  # actions are not counted and extend the allowance
        for _ in range(entry_limits.MAX_ENTRIES_BY_PERSON_PER_ACTION):
            await ann.send("close_chat", closed=await other())
        assert await ann.expect_refusal("close_chat", closed=await other()) == "too_many_changes"


async def test_playing_and_undoing_is_limited(stage: Stage) -> None:
    (ann,) = await stage.start_game("ann", bots=["sailor"], preset="tortuga")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_limits, "MAX_ENTRIES_BY_PERSON", 20)
        room = await ann.room()
        refused = ""
        for _ in range(60):
            choices = choices_of(position_of(room), 0)
            advance = next(each["action"] for each in choices if each["action"]["type"] == "advance")
            await ann.act(advance)
            if (
                room.table.change_counts["p_ann"]
                >= 20 + entry_limits.MAX_ENTRIES_BY_PERSON_PER_ACTION * room.table.action_count
            ):
                refused = await ann.expect_refusal("undo", version=room.table.seq)
                break
            await ann.send("undo", version=room.table.seq)
        assert refused == "too_many_changes"


async def fill_up(stage: Stage, game: str, *names: str) -> None:
    """Let each guest write entries at an open table until refused."""
    for name in names:
        guest = await stage.guest(name).enter(game)
        await guest.sit()
        with pytest.raises(Refusal, match="too_many_changes"):
            await change_for_ever(guest)
        await guest.send("stand")


async def change_for_ever(guest: Guest) -> None:
    for number in range(entry_limits.MAX_ENTRIES_BY_GUEST + 1):
        await guest.send("ready", ready=number % 2 == 0)


async def test_guests_cannot_use_up_the_log_entries_of_the_host_and_others(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_GUEST", 30)
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_ALL_GUESTS", 100)
    host = stage.guest("host")
    game = await stage.open_table(host, players=3)
    await host.enter(game)
    await fill_up(stage, game, "eve0", "eve1", "eve2", "eve3")
    assert (await host.room()).table.seq > 100
    # Beyond that each guest has only the few entries for sitting down, so the log grows slowly.
    before = (await host.room()).table.seq
    await fill_up(stage, game, "eve4")
    assert (await host.room()).table.seq <= before + entry_limits.MIN_ENTRIES_BY_GUEST + 2
    eve = await stage.guest("eve5").enter(game)
    await eve.sit(seat=2)
    # The host can still do everything, and a new guest can sit down and play.
    await host.sit(seat=0)
    await host.send("ready", ready=True)
    await host.send("remove", seat=2)
    await host.send("bot", level="sailor", seat=2)
    ann = await stage.guest("ann").enter(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    await host.send("start")
    assert (await host.room()).table.status == "running"


async def test_a_host_without_entries_left_can_still_remove_start_and_close(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("host")
    game = await stage.open_table(host, players=2)
    await host.enter(game)
    await host.sit()
    await host.send("ready", ready=True)
    eve = await stage.guest("eve").enter(game)
    await eve.sit()
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_PERSON", 0)
    assert await host.expect_refusal("colour", colour="violet") == "too_many_changes"
    await host.send("remove", seat=1)
    ann = await stage.guest("ann").enter(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    await host.send_only("start")
    assert (await host.room()).table.seal_round is not None
    await host.send("close")


async def test_an_entry_beyond_the_limit_is_refused_before_it_is_computed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("host")
    game = await stage.open_table(host, players=2)
    await host.enter(game)
    await host.sit()
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_PERSON", 0)
    monkeypatch.setattr(entry_limits, "fold_copy", None)  # would raise TypeError
    assert await host.expect_refusal("colour", colour="violet") == "too_many_changes"


async def test_guests_cannot_keep_seated_players_from_starting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann has written entries as people do; then strangers use up the allowance that guests share."""
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_GUEST", 30)
    monkeypatch.setattr(entry_limits, "MAX_ENTRIES_BY_ALL_GUESTS", 100)
    host, ann = stage.guest("host"), stage.guest("ann")
    game = await stage.open_table(host, players=3, clock={"kind": "days", "days": 3})
    await host.enter(game)
    await host.sit()
    await host.send("ready", ready=True)
    await ann.enter(game)
    await ann.sit()
    for number in range(entry_limits.MIN_ENTRIES_BY_GUEST):
        await ann.send("ready", ready=number % 2 == 0)
    await fill_up(stage, game, "eve0", "eve1", "eve2", "eve3")
    assert await ann.expect_refusal("colour", colour="violet") == "too_many_changes"
    await ann.send("ready", ready=True)
    assert await ann.expect_refusal("ready", ready=False) == "too_many_changes"
    assert await ann.expect_refusal("seal", seal="ab" * 32) == "too_many_changes"  # she already has a seal
    eve = await stage.guest("eve").enter(game)
    await eve.sit()
    await eve.send("ready", ready=True)
    await host.send_only("start")
    await host.open_seal()
    await stage.advance_clock(20)
    await host.send("remove", seat=2)  # voids the round before Ann has opened
    await ann.send("seal", seal="ab" * 32)
    await host.send_only("start")
    assert (await host.room()).table.seal_round is not None


@pytest.mark.parametrize(
    "commands",
    [
        [("ready", {"ready": True})],
        [("colour", {"colour": "red"})],
        [("close_chat", {"closed": True})],
        [("host", {"seat": 0})],
    ],
)
async def test_no_op_commands_are_refused_before_the_start(
    stage: Stage, commands: list[tuple[str, dict[str, Any]]]
) -> None:
    ann = stage.guest("ann")
    await ann.enter(await stage.open_table(ann))
    await ann.sit(colour="red")
    if commands[0][0] in ("ready", "close_chat"):
        await ann.send(commands[0][0], **commands[0][1])
    for do, fields in commands:
        assert await ann.expect_refusal(do, **fields) == "no_change"
    seal = (await ann.room()).table.seats[0].seal
    assert await ann.expect_refusal("sit", seal=seal, seat=0) == "seal_used"


async def test_no_op_commands_are_refused_during_the_game(stage: Stage) -> None:
    ann, bo, cy = await stage.start_game("ann", "bo", "cy", absence=60)
    assert await bo.expect_refusal("consent", to="pause", yes=False) == "no_change"
    await bo.send("consent", to="pause", yes=True)
    assert await bo.expect_refusal("consent", to="pause", yes=True) == "no_change"
    await ann.leave()
    await stage.advance_and_sweep(61)
    await bo.send("vote", seat=0, choice="bot")
    assert await bo.expect_refusal("vote", seat=0, choice="bot") == "no_change"
    await cy.send("vote", seat=0, choice="bot")
    assert (await cy.room()).table.seats[0].bot is not None


async def test_chat_hints_mutes_and_passwords_have_their_own_limits(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        bo, told = await site.guest("Bo Bellows", "203.0.113.9")
        game = await play_table(ann, bo, hints=True)
        person = told["person"]["id"]
        for fields, code in (
            ({"do": "chat", "text": "ahoy"}, "chat_too_fast"),
            ({"do": "mute", "person": person, "on": True}, "mute_too_fast"),
            ({"do": "hint", "version": 0}, "hint_too_fast"),
        ):
            answers = [await command(ann, game, **fields) for _ in range(18)]
            assert answers[0].status_code != 429
            assert answers[-1].status_code == 429
            assert code_of(answers[-1]) == code
        await done(bo, game, "chat", text="ahoy")  # each for themselves
        tries = [await command(bo, game, "password", password="another") for _ in range(8)]
        assert [code_of(tries[0]), code_of(tries[-1])] == ["started", "password_too_fast"]


async def test_changing_the_pace_has_its_own_limit(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        game = await play_table(ann, bo)
        answers = [await command(ann, game, do="pace", pace="fast") for _ in range(24)]
        assert answers[0].status_code == 200
        assert code_of(answers[-1]) == "too_fast"
        await done(bo, game, "pace", pace="slow")  # each for themselves
