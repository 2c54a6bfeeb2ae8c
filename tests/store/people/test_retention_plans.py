"""Retention with a long history: each search uses an index of rows to delete and takes no write lock."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import insert, select, text, update

from app.store.games.store import SqlGameStore
from app.store.people.retention import RULES, Cutoffs, ExpiredRow, RetentionStore
from app.store.tables.people import players
from tests.databases import begin
from tests.store.statements import captured_statements

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
# Rows that retention has processed or keeps. Every tenth player is a current guest, so that the planner's statistics do
# not show zero; every fiftieth game is unfinished.
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
INSERT INTO mistakes (person, game, step, seat, best, played, found_at, due_at, stage, tries)
  SELECT 'p' || n, 'g' || n, 0, 0, 1, 1, {NOW}, {NOW}, 0, 0 FROM numbers;
INSERT INTO mistake_searches (person, game, asked_at, lease_until, done_at) SELECT 'p' || n, 'g' || n, {NOW}, 0, {NOW}
  FROM numbers;
INSERT INTO friend_requests (player, asked, at, is_withdrawn) SELECT 'p' || n, 'p' || n, {NOW}, false FROM numbers;
INSERT INTO friend_settings (player, shows_online, shows_seen, seen_at) SELECT 'p' || n, true, true,
  CASE WHEN n % 50 = 0 THEN {NOW} END FROM numbers;
"""
NUMBERS = f"""WITH RECURSIVE numbers(n) AS
  (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {HISTORY_ROWS}) SELECT"""


@pytest.fixture
async def history(store: SqlGameStore) -> RetentionStore:
    for statement in filter(str.strip, HISTORY.split(";")):
        async with begin(store.database) as conn:
            await conn.exec_driver_sql(statement.replace("SELECT", NUMBERS, 1))
    await store.database.write(lambda conn: conn.execute(text("ANALYZE")).close())
    return RetentionStore(store.database)


async def _plan(store: RetentionStore, query: Any) -> str:
    plain = str(query.compile(dialect=store.database.dialect, compile_kwargs={"literal_binds": True}))
    words = "EXPLAIN QUERY PLAN" if store.database.dialect.name == "sqlite" else "EXPLAIN"
    rows = await store.database.read(lambda conn: conn.exec_driver_sql(f"{words} {plain}").all())
    return "\n".join(" ".join(map(str, row)) for row in rows)


async def test_search_without_expired_rows_reads_no_history_and_takes_no_write_lock(
    history: RetentionStore,
) -> None:
    """The history has no pushes and failures, because their tables stay small."""
    for name, rule in RULES.items():
        conditions = rule.where(CUTOFFS)
        assert conditions is not None
        plan = await _plan(history, rule.make_query(conditions).limit(100))
        scans = re.findall(r"Seq Scan on (\w+)|SCAN (\w+)(?! USING)", plan)
        assert not {table for pair in scans for table in pair if table} - {"queue_failures"}, (
            f"{name}:\n{plan}"
        )
    with captured_statements() as statements:
        assert await history.find_expired(CUTOFFS, 100) == []
    assert len(statements) >= len(RULES)
    assert all(statement.startswith(("SELECT", "BEGIN (")) for statement in statements), statements


async def test_guest_who_returned_between_search_and_deletion_is_kept(store: SqlGameStore) -> None:
    retention = RetentionStore(store.database)
    row = {"name": "x", "skeleton": "x", "is_account": False, "is_bot": False, "made_at": 1, "seen_at": 1}
    async with begin(store.database) as conn:
        await conn.execute(insert(players), [{"id": player, **row} for player in ("p_back", "p_gone")])
    found = await retention.find_expired(CUTOFFS, 100)
    assert sorted(found) == [ExpiredRow("guest", ("p_back",)), ExpiredRow("guest", ("p_gone",))]
    async with begin(store.database) as conn:
        await conn.execute(update(players).where(players.c.id == "p_back").values(seen_at=NOW))
    assert await retention.delete_expired(found, CUTOFFS) == [None, None]
    left = select(players.c.id).where(players.c.deleted_at.is_(None))
    assert [row.id for row in await store.database.fetch_rows(left)] == ["p_back"]


async def test_failure_of_a_vanished_row_expires_unless_it_is_set_aside(
    store: SqlGameStore,
) -> None:
    long_ago = (NOW - 91 * 86_400) * 1000
    await store.failures.record("due", "vanished", "ValueError", long_ago, lambda attempts: 1)
    await store.failures.record("due", "set-aside", "ValueError", long_ago, lambda attempts: None)
    retention = RetentionStore(store.database)
    found = await retention.find_expired(CUTOFFS, 100)
    assert await retention.delete_expired(found, CUTOFFS) == [None]
    assert [failure.key for failure in await store.failures.read_all()] == ["set-aside"]


async def test_search_continues_after_skipped_rows(store: SqlGameStore) -> None:
    retention = RetentionStore(store.database)
    row = {"name": "x", "skeleton": "x", "is_account": False, "is_bot": False, "made_at": 1, "seen_at": 1}
    async with begin(store.database) as conn:
        await conn.execute(insert(players), [{"id": f"p{number}", **row} for number in range(20)])
    first = await retention.find_expired(CUTOFFS, 10)
    then = await retention.find_expired(CUTOFFS, 10, {row.name for row in first})
    assert len({*first, *then}) == 20
