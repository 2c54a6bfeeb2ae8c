"""Erasure of people with many games: hidden at once, erased in short steps, continued by any worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from sqlalchemy import event, func, insert, select

from app.store.database import Database, PostgresDatabase, SqliteDatabase
from app.store.people import erasure
from app.store.people.deals import DealStore
from app.store.people.erasure import MAX_GAMES_PER_STEP
from app.store.people.notice_values import Wishes
from app.store.people.player_rows import PlayerGone
from app.store.people.players import Name
from app.store.people.references import REFERENCES, OnErase
from app.store.tables.games import chat, games, heads, log, mutes, seats
from app.store.tables.people import blocks, erasures, players
from tests.databases import begin, connect
from tests.web.api.test_my_data import _every_text
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import done, open_table, play_table

GAMES = 70
LINES = 1_100
NAME = "Anne Bonfire"


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url) as test:
        yield test


async def plant(site: TestSite, template: str, person: str, other: str) -> None:
    """Add many finished games of these two, with titles, and many chat lines."""
    async with begin(site.site.people.database) as conn:
        row = dict((await conn.execute(select(games).where(games.c.id == template))).one()._mapping)
        terms = orjson.dumps({**orjson.loads(row["terms"]), "title": f"{NAME}'s table"}).decode()
        for number in range(GAMES):
            game = f"planted{number:05}"
            kept = {**row, "id": game, "status": "finished", "creator": person, "terms": terms}
            await conn.execute(insert(games).values(**kept))
            head = {"seq": 3, "to_act": "", "deadline": None, "updated_at": 1}
            await conn.execute(insert(heads).values(game=game, **head))
            for seat, who in enumerate((person, other)):
                body = {"person": who, "ids": [who], "colour": "red", "seal": "0" * 64}
                entry = {"kind": "seated", "seat": seat, "body": json.dumps(body), "by": "person", "at": 1}
                await conn.execute(insert(log).values(game=game, seq=seat + 2, who=who, **entry))
                row_ = {"seat": seat, "person": who, "name": "", "colour": "red"}
                await conn.execute(insert(seats).values(game=game, **row_))
        words = {"channel": "players", "person": person, "name": "", "text": "My own words"}
        await conn.execute(
            insert(chat),
            [
                {"game": "planted00000", "n": n, "at": 1, "command": f"c{n:07}", "is_deleted": False, **words}
                for n in range(1, LINES)
            ],
        )
        await conn.execute(insert(mutes).values(game="planted00001", person=person, muted=other))


@asynccontextmanager
async def transactions(database: Database) -> AsyncIterator[list[int]]:
    """Yield a list with the number of rows that each transaction has changed."""
    changed: list[int] = [0]

    def count(_: Any, cursor: Any, statement: str, *__: Any) -> None:
        if statement.startswith(("UPDATE", "DELETE", "INSERT")):
            changed[-1] += max(0, cursor.rowcount)

    def end(_: Any) -> None:
        changed.append(0)

    assert isinstance(database, SqliteDatabase | PostgresDatabase)
    engine = database.engine.sync_engine if isinstance(database, PostgresDatabase) else database.engine
    event.listen(engine, "after_cursor_execute", count)
    event.listen(engine, "commit", end)
    yield changed
    event.remove(engine, "after_cursor_execute", count)
    event.remove(engine, "commit", end)


async def left(site: TestSite) -> int:
    async with connect(site.site.people.database) as conn:
        return int((await conn.execute(select(func.count()).select_from(erasures))).scalar_one())


async def test_account_with_many_games_is_hidden_at_once_and_erased_in_steps(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, told = await site.guest(NAME)
    bo, bo_told = await site.guest("Bo Bellows", "203.0.113.9")
    person = told["person"]["id"]
    await plant(site, await open_table(ann), person, bo_told["person"]["id"])
    monkeypatch.setattr("app.web.api.my_data._MAX_ERASURE_STEPS", 1)  # as if it had been interrupted there
    await site.app.state.maintenance.stop()
    database = site.site.people.database
    async with transactions(database) as changed:
        assert (await ann.post("/api/v1/me/delete", json={})).status_code == 200
        assert await left(site) == 1
        # Hidden from everyone, although most of the work remains.
        assert (await ann.get("/api/v1/me")).json()["person"] is None
        assert code_of(await bo.get(f"/api/v1/players/{person}")) == "not_found"
        rows = (await bo.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]
        assert {seat["name"] for row in rows for seat in row["players"]} == {None, "Bo Bellows"}
        assert NAME in json.dumps(await _every_text(site))
        while await site.site.data.run_erasure_step():  # the next steps, by any worker
            pass
    assert await left(site) == 0
    everything = json.dumps(await _every_text(site))
    for words in (NAME, "My own words"):
        assert words not in everything
    assert "Bo Bellows" in everything
    # Each transaction is short: titles of some games, or some chat lines.
    assert max(changed) <= max(MAX_GAMES_PER_STEP + 1, erasure.MAX_ROWS_PER_STEP + 1)
    assert sum(changed) > GAMES


async def test_concurrent_erasures_in_the_same_games_do_not_undo_each_other(
    site: TestSite,
) -> None:
    ann, told = await site.guest(NAME)
    _, bo_told = await site.guest("Bo Bellows", "203.0.113.9")
    one, other = told["person"]["id"], bo_told["person"]["id"]
    await plant(site, await open_table(ann), one, other)
    async with asyncio.TaskGroup() as both:
        for person in (one, other):
            both.create_task(site.site.data.erase([person], site.site.now()))
    assert await left(site) == 0
    everything = json.dumps(await _every_text(site))
    assert NAME not in everything
    assert "Bo Bellows" not in everything


async def test_erasure_interrupted_by_a_crash_is_finished_by_the_next_server(database_url: str) -> None:
    async with running(database_url) as first:
        ann, told = await first.guest(NAME)
        _, bo_told = await first.guest("Bo Bellows", "203.0.113.9")
        await plant(first, await open_table(ann), told["person"]["id"], bo_told["person"]["id"])
        await first.app.state.maintenance.stop()
        await first.site.data.begin_erasure([told["person"]["id"]], first.site.now())
        for _ in range(2):
            assert await first.site.data.run_erasure_step()
    async with running(database_url) as second:
        for _ in range(600):  # its own queue continues without a request
            if not await left(second):
                break
            await asyncio.sleep(0.1)
        assert NAME not in json.dumps(await _every_text(second))


async def test_erased_guest_who_never_sat_leaves_no_row(site: TestSite) -> None:
    _, told = await site.guest(NAME)
    person = told["person"]["id"]
    database, now = site.site.people.database, site.site.now()
    await database.write(lambda conn: erasure.begin_erasure(conn, [person], now, without_trace=True))
    while await site.site.data.run_erasure_step():
        pass
    async with connect(site.site.people.database) as conn:
        assert (await conn.execute(select(players.c.id).where(players.c.id == person))).first() is None


async def test_block_written_during_an_erasure_does_not_stop_erasures(site: TestSite) -> None:
    """An unchecked write, as by a worker of an older release, between the first and the last transaction."""
    (_, ann), (_, bo), (_, cy) = [
        await site.guest(name, address)
        for name, address in ((NAME, "192.0.2.1"), ("Bo Bellows", "192.0.2.2"), ("Cy Sculpin", "192.0.2.3"))
    ]
    one, other, third = (told["person"]["id"] for told in (ann, bo, cy))
    await site.app.state.maintenance.stop()
    database, now = site.site.people.database, site.site.now()
    await database.write(lambda conn: erasure.begin_erasure(conn, [one], now - 1, without_trace=True))
    await database.execute_write(insert(blocks).values(player=other, blocked=one, at=1))
    await site.site.data.begin_erasure([third], site.site.now())
    while await site.site.data.run_erasure_step():
        pass
    assert await left(site) == 0
    async with connect(site.site.people.database) as conn:
        assert (await conn.execute(select(blocks))).all() == []
        assert (await conn.execute(select(players.c.id).where(players.c.id == one))).first() is None


async def test_last_erasure_step_waits_for_a_block_being_written(site: TestSite) -> None:
    """An unchecked block was inserted and is committed while the erasure ends."""
    _, ann = await site.guest(NAME)
    _, bo = await site.guest("Bo Bellows", "203.0.113.9")
    one, other = ann["person"]["id"], bo["person"]["id"]
    await site.app.state.maintenance.stop()
    database = site.site.people.database
    now = site.site.now()
    await database.write(lambda conn: erasure.begin_erasure(conn, [one], now, without_trace=True))
    async with begin(database) as writer:
        await writer.execute(insert(blocks).values(player=other, blocked=one, at=1))
        ending = asyncio.create_task(site.site.data.run_erasure_step([one]))
        await asyncio.sleep(0.2)
        assert not ending.done()
    assert await ending
    assert await left(site) == 0
    async with connect(database) as conn:
        assert (await conn.execute(select(blocks))).all() == []
        assert (await conn.execute(select(players.c.id).where(players.c.id == one))).first() is None


async def test_no_row_is_written_about_a_person_being_erased(site: TestSite) -> None:
    _, told = await site.guest(NAME)
    _, bo = await site.guest("Bo Bellows", "203.0.113.9")
    one, other, now = told["person"]["id"], bo["person"]["id"], site.site.now()
    parts = site.site
    await site.app.state.maintenance.stop()
    await parts.data.begin_erasure([one], now)
    assert await parts.social.block(other, one, now, 10)
    assert await parts.social.block(one, other, now, 10)
    report = {"reporter": one, "reported": other, "room": None, "reason": "x", "words": "", "at": now}
    await parts.social.add_report(report)
    assert await DealStore(parts.people.database).begin_try((one,), "2027-01-18", "a-try", 1) is None
    hook: dict[str, Any] = {"email": None, "confirm": None, "webhook": None, "webhook_key": None}
    keys: dict[str, Any] = {"p256dh": "x", "auth": "y", "key": 1, "takes_silent": False}
    endpoint = "https://push.example/1"
    writes: list[Awaitable[object]] = [
        parts.people.open_session(one, "x", now, max_sessions=5),
        parts.people.rename(one, Name("b", "b", "b", ("b",)), now),
        parts.accounts.register(one, Name("a", "a", "a", ("a",)), "x", ["c"], now),
        parts.accounts.add_resume_code(one, "c", None, now),
        parts.accounts.add_token(one, "x", now, 5),
        parts.accounts.replace_recovery_codes(one, ["c"], now),
        parts.notices.save_contact_settings(one, **hook, language=None, now=now),
        parts.notices.save_wishes(one, Wishes(), None, now),
        parts.notices.save_game_switches(one, "g", {"turn": False}, None, now),
        parts.notices.invite("g", one, other, now),
        parts.notices.invite("g", other, one, now),
        parts.pushes.subscribe(one, "s", endpoint=endpoint, **keys, language=None, now=now),
    ]
    for write in writes:
        with pytest.raises(PlayerGone):
            await write
    while await parts.data.run_erasure_step():
        pass
    async with connect(parts.people.database) as conn:
        for each in REFERENCES:
            if each.on_erase in (OnErase.DELETE, OnErase.BLANK):
                found = (await conn.execute(select(each.column).where(each.column == one))).all()
                assert found == [], str(each.column)


async def test_concurrent_blocks_and_erasures_leave_no_row(site: TestSite) -> None:
    await site.app.state.maintenance.stop()
    for number in range(8):
        ids = []
        for name in ("Ann", "Bo"):
            _, told = await site.guest(f"{name} {number}", f"203.0.113.{number + 1}")
            ids.append(told["person"]["id"])
        one, other = ids
        social, now = site.site.social, site.site.now()
        await asyncio.gather(
            social.block(other, one, now, 10),
            site.site.data.erase([one], now),
            social.block(one, other, now, 10),
        )
    async with connect(site.site.people.database) as conn:
        assert (await conn.execute(select(blocks))).all() == []


async def test_chat_line_written_during_an_erasure_is_blanked_too(site: TestSite) -> None:
    ann, told = await site.guest(NAME)
    person = told["person"]["id"]
    room = await open_table(ann)
    await site.app.state.maintenance.stop()
    await site.site.data.begin_erasure([person], site.site.now())
    line = {"channel": "players", "person": person, "name": "", "text": "My own words", "command": "c"}
    async with begin(site.site.people.database) as conn:
        await conn.execute(insert(chat).values(game=room, n=1, at=1, is_deleted=False, **line))
    while await site.site.data.run_erasure_step():
        pass
    assert "My own words" not in json.dumps(await _every_text(site))


async def test_loaded_room_shows_nothing_of_an_erased_person(site: TestSite) -> None:
    ann, _ = await site.guest(NAME)
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo, title=f"{NAME}'s table")
    await done(ann, room, "chat", text="My own words")
    await ann.post("/api/v1/me/delete", json={})
    loaded = [each.id for each in site.app.state.game_server.rooms]
    assert loaded == [room]
    shown = [await bo.get(f"/api/v1/games/{room}"), await bo.get(f"/g/{room}")]
    lines = await site.app.state.game_server.store.chat.read_lines(room, 0, 10)
    for text in (*(answer.text for answer in shown), *(str(line) for line in lines)):
        for words in (NAME, "My own words"):
            assert words not in text
