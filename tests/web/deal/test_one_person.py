"""Tries of one person with several ids and devices: results are stored and shown as theirs, and only one counts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Engine, delete, event, insert, select, update

from app.play.deal.days import add_days, day_ends_at
from app.store.tables.deals import deal_tries
from app.store.tables.games import games, log, seats
from app.web.deals import _OLD_PAGE_SIZE, _ORPHAN_DAYS
from tests.databases import begin, connect
from tests.store.statements import captured_statements
from tests.web.deal.playing import DAY, NOON, DealSite, Player, deal_site

PASSWORD = "plank, parrot, doubloon"
NEW_TABLE = {"options": {"preset": "jamaica", "players": 2}}
Json = dict[str, Any]


async def register(site: DealSite, name: str) -> Player:
    person = await site.person(name)
    await person.request("POST", "/api/v1/account/register", json={"password": PASSWORD})
    return person


async def log_in(guest: Player, name: str) -> None:
    told = await guest.request("POST", "/api/v1/account/login", json={"name": name, "password": PASSWORD})
    assert told["claimed"] == 1
    guest.id, guest.name = told["person"]["id"], name


async def table_of(person: Player, who: str = "accounts") -> list[Json]:
    rows: list[Json] = (await person.request("GET", f"/api/v1/deal/{DAY}/results"))[who]["rows"]
    return rows


async def test_a_try_of_a_guest_created_after_log_in_gets_its_result(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch, rooms_per_guest=1) as site:
        await register(site, "Ann")
        guest = await site.person("Ann elsewhere")
        await guest.request("POST", "/api/v1/games", 201, json=NEW_TABLE)
        assert (await guest.request("POST", "/api/v1/deal", 409))["error"]["code"] == "too_many_rooms"
        await log_in(guest, "Ann")
        begun = await guest.begin()
        assert (begun["n"], begun["counts"]) == (1, True)
        await guest.play(1)
        await site.create_deals()
        tries = (await guest.deal())["tries"]
        assert [(each["game"], each["counts"], each["is_over"]) for each in tries] == [
            (begun["id"], True, True)
        ]
        assert [row["name"] for row in await table_of(guest)] == ["Ann"]
        assert (await guest.deal())["streak"]["days"] == 1


async def test_a_try_left_with_the_guest_by_an_older_release_gets_its_result(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        await register(site, "Ann")
        guest = await site.person("Ann elsewhere")
        old_id = guest.id
        await log_in(guest, "Ann")
        await guest.begin()
        async with begin(site.site.site.people.database) as run:
            await run.execute(update(deal_tries).values(person=old_id))
        await guest.play(1)
        await site.create_deals()
        assert [each["counts"] for each in (await guest.deal())["tries"]] == [True]
        assert [row["name"] for row in await table_of(guest)] == ["Ann"]


async def test_a_failing_try_does_not_affect_others(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with deal_site(sqlite_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        for person in (ann, bo):
            await person.begin()
            await person.play(1)
        async with begin(site.site.site.people.database) as run:
            bad = (
                update(log).where(log.c.game == ann.game, log.c.seq == 1).values(body='{"deal": "', kind="x")
            )
            await run.execute(bad)
        await site.create_deals()
        assert [row["name"] for row in await table_of(bo, "guests")] == ["Bo"]
        tries = (await ann.deal())["tries"]
        assert [(each["is_over"], each["how"]) for each in tries] == [(True, None)]
        assert [row["name"] for row in await table_of(ann, "guests")] == ["Bo"]
        again = await ann.begin()
        assert (again["n"], again["counts"]) == (2, False)


async def test_claiming_an_older_try_does_not_replace_the_counted_one(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        account = await register(site, "Ann")
        guest = await site.person("Ann elsewhere")
        await guest.begin()
        await guest.play(2)
        site.clock.advance(60)
        await account.begin()
        await account.play(1)
        await site.create_deals()
        before = await table_of(account)
        await log_in(guest, "Ann")
        after = await account.deal()
        assert [(each["game"], each["n"], each["counts"]) for each in after["tries"]] == [
            (account.game, 1, True),
            (guest.game, 2, False),
        ]
        assert await table_of(account) == before
        assert await table_of(account, "guests") == []
        again = await guest.begin()
        assert (again["n"], again["counts"]) == (3, False)


async def test_a_claimed_try_counts_if_the_account_had_none(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        account = await register(site, "Ann")
        guests = [await site.person(f"Guest {n}") for n in range(2)]
        for plan, guest in enumerate(guests):
            await guest.begin()
            await guest.play(plan)
            site.clock.advance(-60)  # the second try started before the first
        for guest in guests:
            await log_in(guest, "Ann")
        tries = (await account.deal())["tries"]
        assert [(each["game"], each["counts"]) for each in tries] == [
            (guests[0].game, True),
            (guests[1].game, False),
        ]
        assert [row["turns"] for row in await table_of(account)] == [tries[0]["turns"]]


async def test_concurrent_starts_during_a_log_in_agree_on_the_counted_try(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        for number in range(6):
            name = f"Ann {number}"
            account, guest = await register(site, name), await site.person(f"Guest {number}")
            await guest.begin()
            begun, _ = await asyncio.gather(account.begin(), log_in(guest, name))
            shown = (await account.deal())["tries"]
            assert [each["n"] for each in shown] == list(range(1, len(shown) + 1))
            assert [each["counts"] for each in shown] == [each["n"] == 1 for each in shown]
            mine = next(each for each in shown if each["game"] == begun["id"])
            assert mine["counts"] == begun["counts"]
            later = await guest.begin()
            assert later["counts"] == next(each["counts"] for each in shown if each["game"] == later["id"])


async def test_a_claimed_guest_starts_no_try_under_the_old_id(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        await register(site, "Ann")
        guest = await site.person("Ann elsewhere")
        old_id = guest.id
        await log_in(guest, "Ann")
        assert await site.deals.store.begin_try((old_id,), DAY, "late0000000000000000", NOON) is None


async def test_old_tries_are_settled_or_deleted_at_any_age(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        ann, bo = await site.person("Ann"), await site.person("Bo")
        for person in (ann, bo):
            await person.begin()
        await ann.play(1, 3)
        database = site.site.site.people.database
        async with begin(database) as run:
            await run.execute(delete(seats).where(seats.c.game == bo.game))
            await run.execute(delete(games).where(games.c.id == bo.game))
            # Old tries that never end come before these two.
            old = add_days(DAY, -400)
            row = {"day": old, "person": ann.id, "began_at": NOON}
            game = (await run.execute(select(games).where(games.c.id == ann.game))).one()._mapping
            names = [f"old{number:017}" for number in range(2 * _OLD_PAGE_SIZE + 7)]
            await run.execute(insert(games), [{**game, "id": name} for name in names])
            await run.execute(
                insert(deal_tries), [{**row, "game": name, "n": n} for n, name in enumerate(names, 1)]
            )
        await site.site.app.state.game_server.close_room(ann.game, "nobody came for a long time")
        site.clock.time = day_ends_at(DAY) + (_ORPHAN_DAYS + 7) * 86_400_000
        with captured_statements() as statements:
            for _ in range(5):
                await site.create_deals()
        writes = [each for each in statements if each.startswith(("UPDATE deal_", "DELETE FROM deal_"))]
        assert len(writes) == 2, writes  # one result, one deletion; without work no write lock is taken
        async with connect(database) as run:
            query = select(deal_tries).where(deal_tries.c.day == DAY)
            left = (await run.execute(query)).all()
        assert [(each.game, each.ended_at is not None, each.is_won) for each in left] == [
            (ann.game, True, False)
        ]
        with captured_statements() as statements:
            await site.create_deals()
        of_deals = [each for each in statements if "deal_tries" in each]
        assert of_deals
        assert all(each.startswith("SELECT") for each in of_deals), of_deals


async def test_finding_unsettled_tries_reads_only_those_without_a_result(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with deal_site(database_url, monkeypatch) as site:
        database = site.site.site.people.database
        sent: list[tuple[str, Any]] = []

        def note(run: Any, cursor: Any, statement: str, values: Any, context: Any, is_many: bool) -> None:
            sent.append((statement, values))

        event.listen(Engine, "before_cursor_execute", note)
        await site.deals.claim(site.clock.now(), 100)
        event.remove(Engine, "before_cursor_execute", note)
        queries = [(statement, values) for statement, values in sent if "deal_tries" in statement]
        assert len(queries) == 2
        is_sqlite = database.dialect.name == "sqlite"
        async with connect(database) as run:
            if not is_sqlite:
                await run.exec_driver_sql(
                    "SET enable_seqscan = off"
                )  # with few rows the planner would scan the table
            for statement, values in queries:
                explain = "EXPLAIN QUERY PLAN" if is_sqlite else "EXPLAIN"
                rows = await run.exec_driver_sql(f"{explain} {statement}", values)
                plan = "\n".join(str(row) for row in rows)
                assert "deal_tries_unsettled" in plan, plan
                assert "Seq Scan" not in plan, plan
