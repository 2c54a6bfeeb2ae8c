"""A table whose log was made long on purpose: nobody else pays for it, and it cannot be made long for ever."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from app.play.commands import allowance
from app.play.log import fold as folding
from app.play.log import reading
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.play.room import replica
from app.play.server import GameServer
from app.store.engine import sqlite_file
from app.store.games import rows
from app.store.games import store as games
from tests.play.stage import Guest, Stage, laid, open_stage
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, done, play_table

LONG = 100_000


@pytest.fixture
async def stage(sqlite_url: str) -> AsyncIterator[Stage]:
    async with open_stage(sqlite_url) as opened:
        yield opened


class Held:
    """The most that one step of the loop did before others had their turn, counted, not timed."""

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
    """Counts entries read and folded: on the loop, step by step, or in another thread."""
    held, fold, read, step = Held(), folding.fold, rows.entry_of, asyncio.Handle._run

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
        for module in (folding, reading, replica):
            patch.setattr(module, "fold", counted_fold)
        patch.setattr(games, "entry_of", counted_read)
        patch.setattr(asyncio.Handle, "_run", counted_step)
        yield held


def plant(url: str, game: str, count: int) -> None:
    """So many entries that open and close the chat, behind what the log has."""
    run = sqlite3.connect(sqlite_file(url))
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
    assert game_server.rooms.loaded(game) is None


async def test_a_log_of_a_hundred_thousand_entries_never_holds_the_loop(
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
        assert held.most["folded"] <= reading.SLICE
        assert held.most["read"] <= reading.PAGE

        async with watched(
            monkeypatch
        ) as held:  # while it runs: not one entry is read for a record or a review
            for what in ("record", "review"):
                assert code_of(await bo.get(f"/api/v1/games/{game}/{what}")) == "not_over"
        assert held.all == {"folded": 0, "read": 0}

        async with watched(monkeypatch) as held:
            seen = await bo.get(f"/api/v1/games/{game}/seen")
        assert seen.json()["seq"] > LONG
        assert held.all["folded"] == 0
        assert held.elsewhere > LONG
        assert held.most["read"] <= reading.PAGE

        await done(bo, game, "act", version=state["seq"], action={"type": "resign"})
        async with watched(monkeypatch) as held:
            record = await ann.get(f"/api/v1/games/{game}/record")
        assert record.json()["result"]["reason"] == "resigned"
        assert held.all["folded"] == 0
        assert held.elsewhere > LONG
        assert held.most["read"] <= reading.PAGE


async def test_the_history_a_bot_asks_for_is_read_in_slices_too(
    stage: Stage, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await stage.game("ann", "bo")
    plant(sqlite_url, ann.game, 5_000)
    room = await ann.room()
    async with watched(monkeypatch) as held:
        await room.read_on()
        assert await room.full_history() == []
    assert room.table.seq > 5_000
    assert held.all["folded"] > 10_000
    assert held.most["folded"] <= reading.SLICE
    assert held.most["read"] <= reading.PAGE


async def test_opening_and_closing_the_chat_for_ever_comes_to_an_end(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")

    async def other() -> bool:
        return not (await ann.room()).table.chat_closed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowance, "MAX_BY_PERSON", 40)
        table = (await ann.room()).table
        written = table.changes["p_ann"]
        for _ in range(40 - written):
            await ann.send("close_chat", closed=await other())
        assert await ann.refused("close_chat", closed=await other()) == "too_many_changes"
        assert await ann.refused("consent", to="pause", yes=True) == "too_many_changes"
        await bo.send("consent", to="pause", yes=True)  # nobody uses up what the others need
        action = table.rules.choices(laid(await ann.room()), 0)[0]["action"]
        await ann.act(action)  # actions are not counted, and give some more
        for _ in range(allowance.MAX_BY_PERSON_PER_ACTION):
            await ann.send("close_chat", closed=await other())
        assert await ann.refused("close_chat", closed=await other()) == "too_many_changes"


async def test_playing_and_taking_back_for_ever_comes_to_an_end(stage: Stage) -> None:
    (ann,) = await stage.game("ann", bots=["sailor"], preset="tortuga")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allowance, "MAX_BY_PERSON", 20)
        room = await ann.room()
        refused = ""
        for _ in range(60):
            choices = room.table.rules.choices(laid(room), 0)
            advance = next(each["action"] for each in choices if each["action"]["type"] == "advance")
            await ann.act(advance)
            if room.table.changes["p_ann"] >= 20 + allowance.MAX_BY_PERSON_PER_ACTION * room.table.played:
                refused = await ann.refused("undo", version=room.table.seq)
                break
            await ann.send("undo", version=room.table.seq)
        assert refused == "too_many_changes"


async def fill_up(stage: Stage, game: str, *names: str) -> None:
    """Each of these guests writes what it can at an open table, until it is refused."""
    for name in names:
        guest = await stage.guest(name).come(game)
        await guest.sit()
        with pytest.raises(Refusal, match="too_many_changes"):
            await change_for_ever(guest)
        await guest.send("stand")


async def change_for_ever(guest: Guest) -> None:
    for number in range(allowance.MAX_BY_GUEST_BEFORE_START + 1):
        await guest.send("ready", ready=number % 2 == 0)


async def test_guests_cannot_use_up_what_the_host_and_others_need(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "MAX_BY_GUEST_BEFORE_START", 30)
    monkeypatch.setattr(allowance, "MAX_BY_GUESTS_BEFORE_START", 100)
    host = stage.guest("host")
    game = await stage.open_table(host, players=3)
    await host.come(game)
    await fill_up(stage, game, "eve0", "eve1", "eve2", "eve3")
    assert (await host.room()).table.seq > 100
    # Beyond that each guest has the few entries that sitting down takes, and the log grows slowly.
    before = (await host.room()).table.seq
    await fill_up(stage, game, "eve4")
    assert (await host.room()).table.seq <= before + allowance.MIN_BY_GUEST_BEFORE_START + 2
    eve = await stage.guest("eve5").come(game)
    await eve.sit(seat=2)
    # The host can still do everything, and somebody who comes now can sit and play.
    await host.sit(seat=0)
    await host.send("ready", ready=True)
    await host.send("remove", seat=2)
    await host.send("bot", level="sailor", seat=2)
    ann = await stage.guest("ann").come(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    await host.send("start")
    assert (await host.room()).table.status == "running"


async def test_a_host_without_entries_left_still_removes_begins_and_closes(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("host")
    game = await stage.open_table(host, players=2)
    await host.come(game)
    await host.sit()
    await host.send("ready", ready=True)
    eve = await stage.guest("eve").come(game)
    await eve.sit()
    monkeypatch.setattr(allowance, "MAX_BY_PERSON", 0)
    assert await host.refused("colour", colour="violet") == "too_many_changes"
    await host.send("remove", seat=1)
    ann = await stage.guest("ann").come(game)
    await ann.sit()
    await ann.send("ready", ready=True)
    await host.plainly("start")
    assert (await host.room()).table.round is not None
    await host.send("close")


async def test_an_entry_too_many_is_refused_before_it_is_worked_out(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = stage.guest("host")
    game = await stage.open_table(host, players=2)
    await host.come(game)
    await host.sit()
    monkeypatch.setattr(allowance, "MAX_BY_PERSON", 0)
    monkeypatch.setattr(allowance, "after", None)  # would raise TypeError
    assert await host.refused("colour", colour="violet") == "too_many_changes"


async def test_guests_cannot_keep_those_who_sit_from_beginning(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann has moved about as people do; then strangers use up what all guests share."""
    monkeypatch.setattr(allowance, "MAX_BY_GUEST_BEFORE_START", 30)
    monkeypatch.setattr(allowance, "MAX_BY_GUESTS_BEFORE_START", 100)
    host, ann = stage.guest("host"), stage.guest("ann")
    game = await stage.open_table(host, players=3, clock={"kind": "days", "days": 3})
    await host.come(game)
    await host.sit()
    await host.send("ready", ready=True)
    await ann.come(game)
    await ann.sit()
    for number in range(allowance.MIN_BY_GUEST_BEFORE_START):
        await ann.send("ready", ready=number % 2 == 0)
    await fill_up(stage, game, "eve0", "eve1", "eve2", "eve3")
    assert await ann.refused("colour", colour="violet") == "too_many_changes"
    await ann.send("ready", ready=True)
    assert await ann.refused("ready", ready=False) == "too_many_changes"
    assert await ann.refused("seal", seal="ab" * 32) == "too_many_changes"  # she has one
    eve = await stage.guest("eve").come(game)
    await eve.sit()
    await eve.send("ready", ready=True)
    await host.plainly("start")
    await host.open()
    await stage.live(20)
    await host.send("remove", seat=2)  # voids the round, in which Ann has not opened yet
    await ann.send("seal", seal="ab" * 32)
    await host.plainly("start")
    assert (await host.room()).table.round is not None


@pytest.mark.parametrize(
    "commands",
    [
        [("ready", {"ready": True})],
        [("colour", {"colour": "red"})],
        [("close_chat", {"closed": True})],
        [("host", {"seat": 0})],
    ],
)
async def test_what_changes_nothing_is_refused_before_the_start(
    stage: Stage, commands: list[tuple[str, dict[str, Any]]]
) -> None:
    ann = stage.guest("ann")
    await ann.come(await stage.open_table(ann))
    await ann.sit(colour="red")
    if commands[0][0] in ("ready", "close_chat"):
        await ann.send(commands[0][0], **commands[0][1])
    for do, fields in commands:
        assert await ann.refused(do, **fields) == "no_change"
    seal = (await ann.room()).table.seats[0].seal
    assert await ann.refused("sit", seal=seal, seat=0) == "seal_used"


async def test_what_changes_nothing_is_refused_during_the_game(stage: Stage) -> None:
    ann, bo, cy = await stage.game("ann", "bo", "cy", absence=60)
    assert await bo.refused("consent", to="pause", yes=False) == "no_change"
    await bo.send("consent", to="pause", yes=True)
    assert await bo.refused("consent", to="pause", yes=True) == "no_change"
    await ann.go()
    await stage.pass_time(61)
    await bo.send("vote", seat=0, choice="bot")
    assert await bo.refused("vote", seat=0, choice="bot") == "no_change"
    await cy.send("vote", seat=0, choice="bot")
    assert (await cy.room()).table.seats[0].bot is not None


async def test_chat_hints_mutes_and_passwords_have_limits_of_their_own(sqlite_url: str) -> None:
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


async def test_a_pace_said_without_end_has_a_limit_of_its_own(sqlite_url: str) -> None:
    async with running(sqlite_url) as site:
        ann, _ = await site.guest("Anne Bonfire")
        bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
        game = await play_table(ann, bo)
        answers = [await command(ann, game, do="pace", pace="fast") for _ in range(24)]
        assert answers[0].status_code == 200
        assert code_of(answers[-1]) == "too_fast"
        await done(bo, game, "pace", pace="slow")  # each for themselves
