"""The periodic queries of an idle server cost the same however long its history is.

A server runs on a database with a long history of games and people but nothing to do. Every statement that it sends is
repeated (and rolled back) with its work counted: rows visited on PostgreSQL, virtual machine steps on SQLite. A
statement that scans a growing table fails the test, which prints its plan.
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

from app.store.database import Database, get_sqlite_file, is_sqlite, open_database
from app.store.games.postgres_writer import PostgresWriter
from app.store.games.sqlite_writer import SqliteWriter
from app.store.tables import games as game_tables
from app.store.tables import people_metadata as people_tables
from tests.databases import at_head, connect
from tests.web.running_site import running
from tools.history import FILLED, SMALL, Size, fill, player_id

SIZE = Size(games=2000, players=4000, others=2000, entries=4, lines=2)
MAX_ROWS = 500  # that a statement visits in a growing table; each has at least four times as many
MAX_STEPS = 5000  # a scan of two thousand rows takes more
# Statements that may read a whole table: part of the text, and the reason.
ALLOWED = {"UPDATE due SET lease_until": "once, when the only worker of a server starts"}
QUIET_SECONDS = 2.5  # without a new statement; longer than the interval of the most frequent queries
MAX_WAIT_SECONDS = 60

SCAN_EXAMPLE = "SELECT count(*) FROM players WHERE name = 'x'", ()
LOOK_UP_EXAMPLE = "SELECT name FROM players WHERE id = 'x'", ()

Statements = dict[str, Any]  # text: parameters


@contextmanager
def captured(found: Statements) -> Iterator[None]:
    """Collect all statements of all engines in this process, with their latest parameters."""

    def note(_: Any, __: Any, statement: str, parameters: Any, ___: Any, is_many: bool) -> None:
        found[statement] = parameters[0] if is_many else parameters

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", note)


async def until_quiet(found: Statements) -> None:
    """Return after QUIET_SECONDS without a new statement."""
    count = -1
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while count != len(found):
            count = len(found)
            await asyncio.sleep(QUIET_SECONDS)


class Checker:
    """Runs statements, counts their work and rolls them back."""

    def __init__(self, url: str, database: Database) -> None:
        self._database = database
        self._sqlite = sqlite3.connect(get_sqlite_file(url), isolation_level=None) if is_sqlite(url) else None

    def close(self) -> None:
        if self._sqlite is not None:
            self._sqlite.close()

    async def problems(self, statement: str, parameters: Any) -> str:
        """Return the tables of which the statement reads too much."""
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
        async with connect(self._database) as conn:
            return "\n".join(row[0] for row in await conn.exec_driver_sql(f"EXPLAIN {statement}", parameters))

    async def _explain(self, statement: str, parameters: Any) -> dict[str, Any]:
        async with connect(self._database) as conn:
            answer = await conn.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            plan = answer.scalar_one()
            await conn.rollback()
        found: dict[str, Any] = (orjson.loads(plan) if isinstance(plan, str) else plan)[0]
        return found

    @staticmethod
    def _count_steps(conn: sqlite3.Connection, statement: str, parameters: Any) -> int:
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 100
            return 0

        conn.execute("BEGIN")
        conn.set_progress_handler(count, 100)
        conn.execute(statement, parameters).fetchall()
        conn.set_progress_handler(None, 0)
        conn.execute("ROLLBACK")
        return steps


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for below in node.get("Plans", ()):
        yield from _nodes(below)


def _is_explained(statement: str) -> bool:
    """Return whether to check the plan; a plain INSERT only uses keys."""
    return statement.split(None, 1)[0].upper() in ("SELECT", "UPDATE", "DELETE", "WITH")


def _is_known(statement: str) -> bool:
    flat = " ".join(statement.split())
    return any(part in flat for part in ALLOWED)


def test_every_table_is_filled_with_history_or_known_to_stay_small() -> None:
    tables = {*game_tables.metadata.tables, *people_tables.metadata.tables}
    assert tables == FILLED | SMALL.keys(), (
        "add new tables to tools/history.py, with what years of use leave in them"
    )
    assert not FILLED & SMALL.keys()


async def test_no_statement_of_an_idle_server_scans_the_history(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended: list[object] = []
    for writer in (PostgresWriter, SqliteWriter):  # they bypass the engines
        monkeypatch.setattr(writer, "write", lambda self, batch: appended.extend(batch))
    await at_head(database_url)
    database = open_database(database_url)
    await fill(database, SIZE)
    found: Statements = {}
    with captured(found):
        async with running(
            database_url
        ) as server:  # the first round of all periodic work runs, since the database is not empty
            _, me = await server.guest("Ann Bonny")
            # Without connected clients there would be no queries.
            await server.site.people.filter_live_sessions(["s1", "s2"])
            await server.site.people.read_changed_names(server.site.now() - 60)
            await server.app.state.game_server.rooms.compare_heads()
            await until_quiet(found)
    assert appended == []
    assert me["person"]["id"] != player_id(0)

    check = Checker(database_url, database)
    assert await check.problems(*SCAN_EXAMPLE)
    assert not await check.problems(*LOOK_UP_EXAMPLE)
    failed: list[str] = []
    statements = {each: values for each, values in found.items() if _is_explained(each)}
    for statement, parameters in statements.items():
        problems = await check.problems(statement, parameters)
        if problems and not _is_known(statement):
            failed.append(
                f"{problems}\n{statement}\n{parameters!r:.300}\n{await check.plan(statement, parameters)}"
            )
    check.close()
    await database.close()
    assert len(statements) > 30, "the periodic queries were not captured"
    assert not failed, "\n\n".join(failed)
