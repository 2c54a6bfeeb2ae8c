"""Erasing somebody with very many games: gone at once, in short steps, taken up again by whoever comes next."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import orjson
import pytest
from sqlalchemy import event, func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.notify.ports import Wishes
from app.store.games.tables import chat, games, heads, log, mutes, seats
from app.store.people import erasure
from app.store.people.deals import DealStore
from app.store.people.erasure import GAMES_A_STEP
from app.store.people.player_rows import PlayerGone
from app.store.people.players import Name
from app.store.people.references import REFERENCES, OnErase
from app.store.people.tables import blocks, erasures, players
from tests.web.api.test_data import _every_text
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
    """Many finished games of these two as a release before left them, with names; and many lines of chat."""
    async with site.site.people.engine.begin() as run:
        row = dict((await run.execute(select(games).where(games.c.id == template))).one()._mapping)
        terms = orjson.dumps({**orjson.loads(row["terms"]), "title": f"{NAME}'s table"}).decode()
        for number in range(GAMES):
            game = f"planted{number:05}"
            kept = {**row, "id": game, "status": "finished", "creator": person, "terms": terms}
            await run.execute(insert(games).values(**kept))
            head = {"seq": 3, "to_act": "", "deadline": None, "updated_at": 1}
            await run.execute(insert(heads).values(game=game, **head))
            for seat, (who, name) in enumerate(((person, NAME), (other, "Bo Bellows"))):
                body = {"person": who, "ids": [who], "name": name, "colour": "red", "nonce": "0" * 32}
                entry = {"kind": "seated", "seat": seat, "body": json.dumps(body), "by": "person", "at": 1}
                await run.execute(insert(log).values(game=game, seq=seat + 2, who=who, **entry))
                row_ = {"seat": seat, "person": who, "name": name, "colour": "red"}
                await run.execute(insert(seats).values(game=game, **row_))
        words = {"channel": "players", "person": person, "name": NAME, "text": "My own words"}
        await run.execute(
            insert(chat),
            [
                {"game": "planted00000", "n": n, "at": 1, "command": f"c{n:07}", "is_deleted": False, **words}
                for n in range(1, LINES)
            ],
        )
        await run.execute(insert(mutes).values(game="planted00001", person=person, muted=other))


@asynccontextmanager
async def transactions(engine: AsyncEngine) -> AsyncIterator[list[int]]:
    """How many rows each transaction has changed."""
    changed: list[int] = [0]

    def count(_: Any, cursor: Any, statement: str, *__: Any) -> None:
        if statement.startswith(("UPDATE", "DELETE", "INSERT")):
            changed[-1] += max(0, cursor.rowcount)

    def end(_: Any) -> None:
        changed.append(0)

    event.listen(engine.sync_engine, "after_cursor_execute", count)
    event.listen(engine.sync_engine, "commit", end)
    yield changed
    event.remove(engine.sync_engine, "after_cursor_execute", count)
    event.remove(engine.sync_engine, "commit", end)


async def left(site: TestSite) -> int:
    async with site.site.people.engine.connect() as run:
        return int((await run.execute(select(func.count()).select_from(erasures))).scalar_one())


async def test_an_account_with_very_many_games_is_gone_at_once_and_forgotten_in_steps(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, told = await site.guest(NAME)
    bo, bo_told = await site.guest("Bo Bellows", "203.0.113.9")
    person = told["person"]["id"]
    await plant(site, await open_table(ann), person, bo_told["person"]["id"])
    monkeypatch.setattr("app.web.api.data._STEPS", 1)  # as if it had been cut off there
    await site.app.state.maintenance.stop()
    engine = site.site.people.engine
    async with transactions(engine) as changed:
        assert (await ann.post("/api/v1/me/delete", json={})).status_code == 200
        assert await left(site) == 1
        # Gone for everybody who looks, though most of the work is still to be done.
        assert (await ann.get("/api/v1/me")).json()["person"] is None
        assert code_of(await bo.get(f"/api/v1/players/{person}")) == "not_found"
        rows = (await bo.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]
        assert {seat["name"] for row in rows for seat in row["players"]} == {None, "Bo Bellows"}
        assert NAME in json.dumps(await _every_text(site))
        while await site.site.data.erase_step():  # the next round of any worker
            pass
    assert await left(site) == 0
    everything = json.dumps(await _every_text(site))
    for words in (NAME, "My own words"):
        assert words not in everything
    assert "Bo Bellows" in everything
    # Each transaction is short: a few games (a seat, an entry, a title each), or some lines of chat.
    assert max(changed) <= max(3 * GAMES_A_STEP + 1, erasure.ROWS_A_STEP + 1)
    assert sum(changed) > 3 * GAMES


async def test_two_who_are_erased_from_the_same_games_at_once_do_not_bring_each_other_back(
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


async def test_an_erasure_that_a_crash_cut_off_is_ended_by_the_next_server(database_url: str) -> None:
    async with running(database_url) as first:
        ann, told = await first.guest(NAME)
        _, bo_told = await first.guest("Bo Bellows", "203.0.113.9")
        await plant(first, await open_table(ann), told["person"]["id"], bo_told["person"]["id"])
        await first.app.state.maintenance.stop()
        await first.site.data.begin_erasure([told["person"]["id"]], first.site.now())
        for _ in range(2):
            assert await first.site.data.erase_step()
    async with running(database_url) as second:
        for _ in range(600):  # its own rounds take it up; nobody asks for it
            if not await left(second):
                break
            await asyncio.sleep(0.1)
        assert NAME not in json.dumps(await _every_text(second))


async def test_a_guest_who_never_sat_is_forgotten_in_steps_without_a_row(site: TestSite) -> None:
    _, told = await site.guest(NAME)
    person = told["person"]["id"]
    async with site.site.people.engine.begin() as run:
        await erasure.begin(run, [person], site.site.now(), without_trace=True)
    while await site.site.data.erase_step():
        pass
    async with site.site.people.engine.connect() as run:
        assert (await run.execute(select(players.c.id).where(players.c.id == person))).first() is None


async def test_a_block_written_during_an_erasure_does_not_stop_it_or_later_ones(site: TestSite) -> None:
    """As a worker of an older release writes it, which does not check: after the first transaction, before the last."""
    (_, ann), (_, bo), (_, cy) = [
        await site.guest(name, address)
        for name, address in ((NAME, "192.0.2.1"), ("Bo Bellows", "192.0.2.2"), ("Cy Sculpin", "192.0.2.3"))
    ]
    one, other, third = (told["person"]["id"] for told in (ann, bo, cy))
    await site.app.state.maintenance.stop()
    async with site.site.people.engine.begin() as run:
        await erasure.begin(run, [one], site.site.now() - 1, without_trace=True)
        await run.execute(insert(blocks).values(player=other, blocked=one, at=1))
    await site.site.data.begin_erasure([third], site.site.now())
    while await site.site.data.erase_step():
        pass
    assert await left(site) == 0
    async with site.site.people.engine.connect() as run:
        assert (await run.execute(select(blocks))).all() == []
        assert (await run.execute(select(players.c.id).where(players.c.id == one))).first() is None


async def test_the_last_step_waits_for_a_block_that_is_being_written(site: TestSite) -> None:
    """The other order: an unchecked block has been inserted and is committed while the erasure ends."""
    _, ann = await site.guest(NAME)
    _, bo = await site.guest("Bo Bellows", "203.0.113.9")
    one, other = ann["person"]["id"], bo["person"]["id"]
    await site.app.state.maintenance.stop()
    engine = site.site.people.engine
    async with engine.begin() as run:
        await erasure.begin(run, [one], site.site.now(), without_trace=True)
    async with engine.begin() as writer:
        await writer.execute(insert(blocks).values(player=other, blocked=one, at=1))
        ending = asyncio.create_task(site.site.data.erase_step([one]))
        await asyncio.sleep(0.2)
        assert not ending.done()
    assert await ending
    assert await left(site) == 0
    async with engine.connect() as run:
        assert (await run.execute(select(blocks))).all() == []
        assert (await run.execute(select(players.c.id).where(players.c.id == one))).first() is None


async def test_nothing_is_written_about_a_person_who_is_being_erased(site: TestSite) -> None:
    _, told = await site.guest(NAME)
    _, bo = await site.guest("Bo Bellows", "203.0.113.9")
    one, other, now = told["person"]["id"], bo["person"]["id"], site.site.now()
    parts = site.site
    await site.app.state.maintenance.stop()
    await parts.data.begin_erasure([one], now)
    assert await parts.social.block(other, one, now, 10)
    assert await parts.social.block(one, other, now, 10)
    report = {"reporter": one, "reported": other, "room": None, "reason": "x", "words": "", "at": now}
    await parts.social.report(report)
    assert await DealStore(parts.people.engine).begin((one,), "2027-01-18", "a-try", 1) is None
    hook: dict[str, Any] = {"email": None, "confirm": None, "webhook": None, "webhook_key": None}
    keys: dict[str, Any] = {"p256dh": "x", "auth": "y", "key": 1, "takes_silent": False}
    endpoint = "https://push.example/1"
    writes: list[Awaitable[object]] = [
        parts.people.open_session(one, "x", now, most=5),
        parts.people.rename(one, Name("b", "b", "b", ("b",)), now),
        parts.accounts.register(one, Name("a", "a", "a", ("a",)), "x", ["c"], now),
        parts.accounts.add_resume_code(one, "c", None, now),
        parts.accounts.add_token(one, "x", now, 5),
        parts.accounts.replace_recovery_codes(one, ["c"], now),
        parts.notices.set_notice(one, **hook, language=None, now=now),
        parts.notices.set_wishes(one, Wishes(), None, now),
        parts.notices.set_game_switches(one, "g", {"turn": False}, None, now),
        parts.notices.invite("g", one, other, now),
        parts.notices.invite("g", other, one, now),
        parts.pushes.subscribe(one, "s", endpoint=endpoint, **keys, language=None, now=now),
    ]
    for write in writes:
        with pytest.raises(PlayerGone):
            await write
    while await parts.data.erase_step():
        pass
    async with parts.people.engine.connect() as run:
        for each in REFERENCES:
            if each.on_erase in (OnErase.DELETE, OnErase.BLANK):
                found = (await run.execute(select(each.column).where(each.column == one))).all()
                assert found == [], str(each.column)


async def test_blocks_and_erasures_at_the_same_moment_leave_no_row(site: TestSite) -> None:
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
    async with site.site.people.engine.connect() as run:
        assert (await run.execute(select(blocks))).all() == []


async def test_a_line_of_chat_that_was_on_its_way_is_emptied_too(site: TestSite) -> None:
    ann, told = await site.guest(NAME)
    person = told["person"]["id"]
    room = await open_table(ann)
    await site.app.state.maintenance.stop()
    await site.site.data.begin_erasure([person], site.site.now())
    line = {"channel": "players", "person": person, "name": "", "text": "My own words", "command": "c"}
    async with site.site.people.engine.begin() as run:
        await run.execute(insert(chat).values(game=room, n=1, at=1, is_deleted=False, **line))
    while await site.site.data.erase_step():
        pass
    assert "My own words" not in json.dumps(await _every_text(site))


async def test_a_loaded_room_shows_nothing_of_a_person_who_was_erased(site: TestSite) -> None:
    ann, _ = await site.guest(NAME)
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo, title=f"{NAME}'s table")
    await done(ann, room, "chat", text="My own words")
    await ann.post("/api/v1/me/delete", json={})
    loaded = [each.id for each in site.app.state.game_server.rooms]
    assert loaded == [room]
    shown = [await bo.get(f"/api/v1/games/{room}"), await bo.get(f"/g/{room}")]
    lines = await site.site.games.chat(room, 0, 10)
    for text in (*(answer.text for answer in shown), *(str(line) for line in lines)):
        for words in (NAME, "My own words"):
            assert words not in text
