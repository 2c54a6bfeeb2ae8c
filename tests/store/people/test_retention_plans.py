"""Retention beside a long history: each search reads an index of what is left to delete, and takes no write lock."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import insert, select, text, update

from app.store.games.store import SqlGameStore
from app.store.people.retention import RULES, Cutoffs, Expired, RetentionStore
from app.store.people.tables import players
from tests.store.statements import counted

HISTORY_ROWS = 5_000
NOW = 1_900_000_000
OLD = NOW - 400 * 86_400
CUTOFFS = Cutoffs(
    now=NOW,
    sessions=OLD - 1,
    guests=NOW - 30 * 86_400,
    chat_ms=(NOW - 30 * 86_400) * 1000,
    audit=OLD - 1,
    rooms_ms=(NOW - 30 * 86_400) * 1000,
)
# Rows that retention has dealt with, or that it keeps. Every tenth player is a present guest, so that the statistics
# do not say that there are none; every fiftieth game is unfinished.
HISTORY = f"""
INSERT INTO players (id, name, skeleton, is_account, is_bot, made_at, seen_at, deleted_at)
  SELECT 'p' || n, 'x', 'x', n % 10 = 1, false, {OLD}, CASE WHEN n % 10 = 0 THEN {NOW} ELSE {OLD} END,
         CASE WHEN n % 10 = 0 THEN NULL ELSE {OLD} END FROM numbers;
INSERT INTO games (id, rules_version, preset, founded, options, terms, is_listed, is_watchable, server_seed, commitment,
                   creator, created_at, status, players, taken, bots, host)
  SELECT 'g' || n, 1, 'x', 'x', 'x', 'x', n % 2 = 0, true, 'x', 'x', 'p' || n,
         CASE WHEN n % 50 = 0 THEN {NOW}000 ELSE {OLD}000 END, CASE WHEN n % 50 = 0 THEN 'running' ELSE 'finished' END,
         2, 2, 0, 'x' FROM numbers;
INSERT INTO heads (game, seq, to_act, updated_at) SELECT 'g' || n, 1, '', {OLD}000 FROM numbers;
INSERT INTO seats (game, seat, person, name, colour) SELECT 'g' || n, 0, 'p' || n, 'x', 'x' FROM numbers;
INSERT INTO chat (game, n, at, channel, person, name, command, is_deleted)
  SELECT 'g' || n, 1, CASE WHEN n % 50 = 0 THEN {NOW}000 ELSE {OLD}000 END, 'table', 'p' || n, 'x', 'x', n % 50 <> 0
  FROM numbers;
INSERT INTO sessions (hash, player, device, made_at, seen_at) SELECT 'h' || n, 'p' || n, 'x', 1, {OLD} FROM numbers;
INSERT INTO audit (at, actor, deed, subject, detail) SELECT {OLD}, 'x', 'x', 'x', '{{}}' FROM numbers;
INSERT INTO reports (reporter, reported, reason, words, at, settled_at) SELECT 'x', 'x', 'x', 'x', {OLD}, {OLD}
  FROM numbers;
INSERT INTO bans (reason, at, until) SELECT 'x', {OLD}, CASE WHEN n % 50 = 0 THEN {NOW + 9} END FROM numbers;
INSERT INTO resume_codes (hash, player, expires_at) SELECT 'h' || n, 'p' || n, {NOW + 9} FROM numbers;
INSERT INTO invitations (game, player, inviter, at) SELECT 'g' || n, 'p' || n, 'x', {NOW} FROM numbers;
INSERT INTO game_switches (player, game, switches, at) SELECT 'p' || n, 'g' || n, '{{}}', {NOW} FROM numbers;
INSERT INTO notices (player, stop_token, told_of, email, email_confirmed_at, webhook_failures, language, told_at)
  SELECT 'p' || n, 't' || n, '[]', 'x', {OLD}, 0, 'en', 0 FROM numbers;
"""
NUMBERS = f"""WITH RECURSIVE numbers(n) AS
  (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {HISTORY_ROWS}) SELECT"""


@pytest.fixture
async def history(store: SqlGameStore) -> RetentionStore:
    for statement in filter(str.strip, HISTORY.split(";")):
        async with store.engine.begin() as run:
            await run.exec_driver_sql(statement.replace("SELECT", NUMBERS, 1))
    async with store.engine.connect() as run:
        await run.execution_options(isolation_level="AUTOCOMMIT")
        await run.execute(text("ANALYZE"))
    return RetentionStore(store.engine)


async def _plan(store: RetentionStore, query: Any) -> str:
    plain = str(query.compile(store.engine.sync_engine, compile_kwargs={"literal_binds": True}))
    words = "EXPLAIN QUERY PLAN" if store.engine.dialect.name == "sqlite" else "EXPLAIN"
    rows = await store.read(lambda run: run.exec_driver_sql(f"{words} {plain}").all())
    return "\n".join(" ".join(map(str, row)) for row in rows)


async def test_with_nothing_to_forget_no_search_reads_the_history_or_takes_the_write_lock(
    history: RetentionStore,
) -> None:
    """Pushes and failures are left out of the history: their tables stay small."""
    for name, rule in RULES.items():
        conditions = rule.where(CUTOFFS)
        assert conditions is not None
        plan = await _plan(history, rule.search(conditions).limit(100))
        scans = re.findall(r"Seq Scan on (\w+)|SCAN (\w+)(?! USING)", plan)
        assert not {table for pair in scans for table in pair if table} - {"queue_failures"}, (
            f"{name}:\n{plan}"
        )
    with counted() as statements:
        assert await history.find_expired(CUTOFFS, 100) == []
    assert len(statements) >= len(RULES)
    assert all(statement.startswith(("SELECT", "BEGIN (")) for statement in statements), statements


async def test_a_guest_who_came_back_between_search_and_deletion_stays(store: SqlGameStore) -> None:
    retention = RetentionStore(store.engine)
    row = {"name": "x", "skeleton": "x", "is_account": False, "is_bot": False, "made_at": 1, "seen_at": 1}
    async with store.writing() as run:
        await run.execute(insert(players), [{"id": each, **row} for each in ("p_back", "p_gone")])
    found = await retention.find_expired(CUTOFFS, 100)
    assert sorted(found) == [Expired("guest", ("p_back",)), Expired("guest", ("p_gone",))]
    async with store.writing() as run:
        await run.execute(update(players).where(players.c.id == "p_back").values(seen_at=NOW))
    assert await retention.forget(found, CUTOFFS) == [None, None]
    left = select(players.c.id).where(players.c.deleted_at.is_(None))
    assert [row.id for row in await store.rows(left)] == ["p_back"]


async def test_a_failure_of_a_row_that_vanished_is_forgotten_and_one_that_is_set_aside_is_not(
    store: SqlGameStore,
) -> None:
    long_ago = (NOW - 91 * 86_400) * 1000
    await store.record_failure("due", "vanished", "ValueError", long_ago, lambda attempts: 1)
    await store.record_failure("due", "set-aside", "ValueError", long_ago, lambda attempts: None)
    retention = RetentionStore(store.engine)
    found = await retention.find_expired(CUTOFFS, 100)
    assert await retention.forget(found, CUTOFFS) == [None]
    assert [failure.key for failure in await store.list_failures()] == ["set-aside"]


async def test_a_search_goes_on_behind_rows_that_are_skipped(store: SqlGameStore) -> None:
    retention = RetentionStore(store.engine)
    row = {"name": "x", "skeleton": "x", "is_account": False, "is_bot": False, "made_at": 1, "seen_at": 1}
    async with store.writing() as run:
        await run.execute(insert(players), [{"id": f"p{number}", **row} for number in range(20)])
    first = await retention.find_expired(CUTOFFS, 10)
    then = await retention.find_expired(CUTOFFS, 10, {row.name for row in first})
    assert len({*first, *then}) == 20
