"""What an idle server asks its database, again and again, costs the same however long its history is.

A whole server runs on a database that holds the past of many games and people but nothing to do. Every statement that
it sends is run again (and rolled back) with the work counted: rows visited on PostgreSQL, steps of the virtual machine
on SQLite. A statement that reads its way through a table that grows fails the test, with its plan.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import pytest
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.engine import is_sqlite, make_engine, sqlite_file
from app.store.games import tables as game_tables
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.sqlite_writer import SqliteWriter
from app.store.people import deal_tables as people_tables
from tests.databases import at_head
from tests.web.running_site import running
from tools.history import FILLED, SMALL, Size, fill, player_id

SIZE = Size(games=2000, players=4000, others=2000, entries=4, lines=2)
MAX_ROWS = (
    500  # visited by one statement in one table that grows, each of which has four times as many at least
)
MAX_STEPS = 5000  # a scan of two thousand rows takes more
# Statements that may read a whole table: a part of their text, and why.
ALLOWED = {"UPDATE due SET lease_until": "once, when the only worker of a server starts"}
QUIET_SECONDS = 2.5  # without a new statement: longer than the pause between two of the most frequent rounds
LONGEST_SECONDS = 60

A_SCAN = "SELECT count(*) FROM players WHERE name = 'x'", ()
A_LOOK_UP = "SELECT name FROM players WHERE id = 'x'", ()

Statements = dict[str, Any]  # text: parameters


@contextmanager
def captured(found: Statements) -> Iterator[None]:
    """Every statement of every engine in this process, with its newest parameters."""

    def note(_: Any, __: Any, statement: str, parameters: Any, ___: Any, is_many: bool) -> None:
        found[statement] = parameters[0] if is_many else parameters

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def until_quiet(found: Statements) -> None:
    """Returns when a while has passed without a statement that is new."""
    count = -1
    async with asyncio.timeout(LONGEST_SECONDS):
        while count != len(found):
            count = len(found)
            await asyncio.sleep(QUIET_SECONDS)


class Checker:
    """Runs statements with their work counted; nothing of it stays."""

    def __init__(self, url: str, engine: AsyncEngine) -> None:
        self._engine = engine
        self._sqlite = sqlite3.connect(sqlite_file(url), isolation_level=None) if is_sqlite(url) else None

    def close(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()

    async def problems(self, statement: str, parameters: Any) -> str:
        """Where it reads too much; empty: nowhere."""
        if self._sqlite is not None:
            steps = self._count_steps(self._sqlite, statement, parameters)
            return f"{steps} steps" if steps > MAX_STEPS else ""
        found = []
        for node in _nodes((await self._explain(statement, parameters))["Plan"]):
            removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
            rows = (node["Actual Rows"] + removed) * node["Actual Loops"]
            kind, table = node["Node Type"], node.get("Relation Name")
            if table in FILLED and kind != "ModifyTable" and rows > MAX_ROWS:
                found.append(f"{kind} of {table}: {rows:.0f} rows")
        return ", ".join(found)

    async def plan(self, statement: str, parameters: Any) -> str:
        if self._sqlite is not None:
            rows = self._sqlite.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return "\n".join(row[3] for row in rows)
        async with self._engine.connect() as run:
            return "\n".join(row[0] for row in await run.exec_driver_sql(f"EXPLAIN {statement}", parameters))

    async def _explain(self, statement: str, parameters: Any) -> dict[str, Any]:
        async with self._engine.connect() as run:
            answer = await run.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            plan = answer.scalar_one()
            await run.rollback()
        found: dict[str, Any] = (orjson.loads(plan) if isinstance(plan, str) else plan)[0]
        return found

    @staticmethod
    def _count_steps(run: sqlite3.Connection, statement: str, parameters: Any) -> int:
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 100
            return 0

        run.execute("BEGIN")
        run.set_progress_handler(count, 100)
        run.execute(statement, parameters).fetchall()
        run.set_progress_handler(None, 0)
        run.execute("ROLLBACK")
        return steps


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", ()):
        yield from _nodes(below)


def _is_explained(statement: str) -> bool:
    """A plain INSERT finds its place by the keys."""
    return statement.split(None, 1)[0].upper() in ("SELECT", "UPDATE", "DELETE", "WITH")


def _is_known(statement: str) -> bool:
    flat = " ".join(statement.split())
    return any(part in flat for part in ALLOWED)


def test_every_table_is_filled_with_history_or_known_to_stay_small() -> None:
    tables = {*game_tables.metadata.tables, *people_tables.metadata.tables}
    assert tables == FILLED | SMALL.keys(), "say in tools/history.py what years of use leave in a new table"
    assert not FILLED & SMALL.keys()


async def test_no_statement_of_an_idle_server_reads_through_the_history(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended: list[object] = []
    for writer in (PostgresWriter, SqliteWriter):  # they bypass the engines
        monkeypatch.setattr(writer, "write", lambda self, batch: appended.extend(batch))
    await at_head(database_url)
    engine = make_engine(database_url)
    await fill(engine, SIZE)
    found: Statements = {}
    with captured(found):
        async with running(
            database_url
        ) as server:  # with the first round of all work, as the database is not empty
            _, me = await server.guest("Ann Bonny")
            # With nobody connected there would be nothing to ask.
            await server.site.people.live_sessions(["s1", "s2"])
            await server.site.people.changed(server.site.now() - 60)
            await server.app.state.game_server.rooms.compare_heads()
            await until_quiet(found)
    assert appended == []
    assert me["person"]["id"] != player_id(0)

    check = Checker(database_url, engine)
    assert await check.problems(*A_SCAN)
    assert not await check.problems(*A_LOOK_UP)
    failed: list[str] = []
    statements = {each: values for each, values in found.items() if _is_explained(each)}
    for statement, parameters in statements.items():
        problems = await check.problems(statement, parameters)
        if problems and not _is_known(statement):
            failed.append(
                f"{problems}\n{statement}\n{parameters!r:.300}\n{await check.plan(statement, parameters)}"
            )
    check.close()
    await engine.dispose()
    assert len(statements) > 30, "the rounds were not captured"
    assert not failed, "\n\n".join(failed)
