"""Fill a database with the history of a busy server: games, log entries, people, chat.

`fill` writes what an idle server finds after years: finished games, chat deleted by retention, deleted guests, and
settled deals. Nothing in it is due. Tests of periodic queries and a benchmark use it.
Rows are created inside the database by INSERT … SELECT, with the same statements on SQLite and PostgreSQL.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Index, text

from app.play.create import new_table
from app.play.engines import CURRENT_RULES_VERSION
from app.play.log.terms import parse_terms
from app.store.database import Database, PostgresDatabase
from app.store.games.game_creation import _make_game_row
from app.store.tables import games as game_tables
from app.store.tables import ratings as people_tables
from app.store.tables.games import games
from tools.history_statistics import practice_tables, rating_tables

__all__ = ["FILLED", "SMALL", "Size", "fill", "game_id", "player_id"]

_FIRST = 10_000_000  # ids have the same length
_DAY = 86_400
_CHAT_DAYS = 85  # less than the retention time of chat
_DEAL_DAYS = 300
_UNFINISHED_EVERY = 100  # games


@dataclass(frozen=True, slots=True)
class Size:
    """Amount of history; the sizes of log, chat and seats follow from the games."""

    games: int
    players: int
    others: int  # rows of every other growing table
    entries: int = 25  # log entries per game
    lines: int = 10  # chat lines per game


def game_id(number: int) -> str:
    return f"h{_FIRST + number}"


def player_id(number: int) -> str:
    return f"p{_FIRST + number}"


# SQL for row number n. Every third player is an account; half of the guests were claimed by one or deleted.
_GAME = f"'h' || ({_FIRST} + n)"
_PLAYER = f"'p' || ({_FIRST} + n)"
_IS_FORGOTTEN = "n % 6 = 2"
_IS_CLAIMED = "n % 6 = 1"
_IS_UNFINISHED = f"n % {_UNFINISHED_EVERY} = 0"
_AGE = f"(CASE WHEN {_IS_UNFINISHED} THEN CAST(n % 5 AS bigint) ELSE CAST(n % 400 AS bigint) END)"  # days


def _tables(size: Size, now: int) -> dict[str, tuple[int, Mapping[str, str]]]:
    """Return the number of rows of each table, and its columns as SQL."""
    ms, people, entries, lines = now * 1000, size.players, size.entries, size.lines
    created = f"({ms} - {_AGE} * {_DAY}000 - 7200000)"
    at = f"({ms} - CAST(n / {lines} % 400 AS bigint) * {_DAY}000 - 7200000 + n % {lines})"
    sitter = f"'p' || ({_FIRST} + (n / 2 * 7 + n % 2 * 13) % {people})"
    seen = f"{now} - CAST(n % 100 AS bigint) * {_DAY}"
    is_old = f"{at} < {ms - _CHAT_DAYS * _DAY * 1000}"
    nth_game = f"'h' || ({_FIRST} + n / {lines})"
    others = size.others
    owned, age = {"person": _PLAYER, "game": _GAME}, f"{now} - CAST(n % 170 AS bigint) * {_DAY}"
    return {
        "players": (
            people,
            {
                "id": _PLAYER,
                "name": f"CASE WHEN {_IS_FORGOTTEN} THEN 'somebody' ELSE 'Guest ' || n END",
                "skeleton": f"CASE WHEN {_IS_FORGOTTEN} THEN '' ELSE 'guest' || n END",
                "is_account": "n % 3 = 0",
                "is_bot": "1 = 0",
                "claimed_by": f"CASE WHEN {_IS_CLAIMED} THEN 'p' || ({_FIRST} + n - 1) END",
                "made_at": f"{now} - CAST(n % 400 AS bigint) * {_DAY}",
                "seen_at": seen,
                "deleted_at": f"CASE WHEN {_IS_FORGOTTEN} THEN {now - _DAY} - CAST(n % 400 AS bigint) * {_DAY} END",
                "changed_at": f"CASE WHEN n % 6 IN (1, 2) THEN {now - _DAY} - CAST(n % 400 AS bigint) * {_DAY} END",
            },
        ),
        "sessions": (
            people,
            {
                "hash": "'s' || n",
                "player": f"'p' || ({_FIRST} + n - n % 6)",
                "device": "'Firefox'",
                "made_at": seen,
                "seen_at": seen,
            },
        ),
        "accounts": (
            (people + 2) // 3,
            {
                "player": f"'p' || ({_FIRST} + n * 3)",
                "login": "'guest' || n",
                "password": "'-'",
                "made_at": f"{now}",
            },
        ),
        "games": (size.games, {**_game_columns(now), **_status_columns(created)}),
        "heads": (
            size.games,
            {
                "game": _GAME,
                "seq": f"{entries}",
                "to_act": "''",
                "deadline": f"CASE WHEN {_IS_UNFINISHED} THEN {ms + 3 * _DAY * 1000} END",
                "updated_at": f"{created} + 3600000",
            },
        ),
        "log": (
            size.games * entries,
            {
                "game": f"'h' || ({_FIRST} + n / {entries})",
                "seq": f"n % {entries} + 1",
                "kind": f"CASE n % {entries} WHEN 0 THEN 'created' WHEN 1 THEN 'seated' WHEN 2 THEN 'seated'"
                " ELSE 'action' END",
                "seat": f"n % {entries} % 2",
                "body": """'{"action":{"type":"advance","pirate":' || n % 6 || ',"card":"key"},"at":17}'""",
                "by": "'person'",
                "at": f"{ms - 400 * _DAY * 1000} + n",
                "command": "'c' || n",
                "who": f"'p' || ({_FIRST} + n % {people})",
            },
        ),
        "seats": (
            size.games * 2,
            {
                "game": f"'h' || ({_FIRST} + n / 2)",
                "seat": "n % 2",
                "person": sitter,
                "name": "''",
                "colour": "CASE n % 2 WHEN 0 THEN 'red' ELSE 'blue' END",
                "place": f"CASE WHEN n / 2 % {_UNFINISHED_EVERY} = 0 THEN NULL ELSE n % 2 + 1 END",
            },
        ),
        "due": (
            others,
            {
                "game": _GAME,
                "at": f"{ms + 3 * _DAY * 1000}",
                "lease_until": "0",
                "n": "1",
            },
        ),
        "chat": (
            size.games * lines,
            {
                "game": nth_game,
                "n": f"n % {lines} + 1",
                "at": at,
                "channel": "'players'",
                "person": f"'p' || ({_FIRST} + n % {people})",
                "name": f"CASE WHEN {is_old} THEN 'somebody' ELSE 'Guest' END",
                "seat": "n % 2",
                "text": f"CASE WHEN {is_old} THEN NULL ELSE 'Well played, see you at the sloop.' END",
                "command": "'line' || n",
                "is_deleted": is_old,
            },
        ),
        "deal_tries": (
            others,
            {
                "game": _GAME,
                "day": f"(SELECT day FROM history_days WHERE k = n % {_DEAL_DAYS})",
                "person": _PLAYER,
                "n": "1",
                "began_at": f"{ms - _DAY * 1000}",
                "ended_at": f"{ms - _DAY * 1000}",
                "score": "n % 30 + 10",
                "is_won": "n % 2 = 0",
                "turns": "20",
                "spaces": "200",
                "line": "'[]'",
            },
        ),
        **practice_tables(others, owned, age, now),
        **rating_tables(size.games, others, people, owned, created),
        "audit": (
            others,
            {
                "id": "n + 1",
                "at": f"{now} - CAST(n % 300 AS bigint) * {_DAY}",
                "actor": "'operator'",
                "deed": "'ban'",
                "subject": "'somebody'",
                "detail": "'{}'",
            },
        ),
        "reports": (
            others,
            {
                "id": "n + 1",
                "reporter": _PLAYER,
                "reported": f"'p' || ({_FIRST} + n + 1)",
                "reason": "'insult'",
                "words": "''",
                "at": f"{now} - CAST(n % 300 AS bigint) * {_DAY}",
                "settled_at": f"{now} - CAST(n % 300 AS bigint) * {_DAY}",
            },
        ),
        "notices": (
            others,
            {
                "player": _PLAYER,
                "stop_token": "'stop' || n",
                "webhook_failures": "0",
                "language": "'en'",
                "told_at": "0",
                "told_of": "'[]'",
                "every_channel": "1 = 0",
                "webhook_form": "'plain'",
            },
        ),
        "game_switches": (
            others,
            {
                "player": _PLAYER,
                "game": _GAME,
                "switches": "'{}'",
                "at": f"{now} - CAST(n % 20 AS bigint) * {_DAY}",
            },
        ),
        "invitations": (
            others,
            {
                "game": _GAME,
                "player": _PLAYER,
                "inviter": f"'p' || ({_FIRST} + n + 1)",
                "at": f"{now} - CAST(1 + n % 20 AS bigint) * {_DAY}",
            },
        ),
        "push_subscriptions": (
            others,
            {
                "id": "'b' || n",
                "player": f"'p' || ({_FIRST} + n - n % 6)",
                "session": "'s' || n",
                "endpoint": "'https://push.invalid/' || n",
                "p256dh": "'-'",
                "auth": "'-'",
                "key": "1",
                "takes_silent": "1 = 0",
                "made_at": f"{now}",
                "rests_until": "0",
            },
        ),
        "outbox": (
            others,
            {
                "player": f"'p' || ({_FIRST} + n - n % 6)",
                "channel": "'push'",
                "address": "'b' || n",
                "game": _GAME,
                "at": f"{now + _DAY}",
                "event": "'turn'",
                "mark": "'1'",
                "seq": "1",
                "noted_at": f"{now - _DAY}",
                "sent_at": f"{now - _DAY}",
            },
        ),
        "blocks": (others, {"player": _PLAYER, "blocked": f"'p' || ({_FIRST} + n + 1)", "at": f"{now}"}),
        "mutes": (
            others,
            {"game": _GAME, "person": _PLAYER, "muted": f"'p' || ({_FIRST} + n + 1)"},
        ),
        "recovery_codes": (
            others,
            {"hash": "'r' || n", "player": f"'p' || ({_FIRST} + n - n % 3)", "made_at": f"{now}"},
        ),
        "tokens": (
            others,
            {
                "hash": "'t' || n",
                "player": f"'p' || ({_FIRST} + n - n % 3)",
                "label": "'bot'",
                "made_at": f"{now}",
                "seen_at": f"{now}",
            },
        ),
    }


# Tables whose rows expire or that grow by a few rows a day, so that reading all of them is cheap.
SMALL = {
    "bans": "in force; those that ended are deleted",
    "beats": "one row",
    "deals": "one row a day",
    "erasures": "in progress",
    "notice_checks": "games in which something happened in the last minute",
    "outages": "one row for each time that no worker ran",
    "rating_cursor": "one row",
    "queue_failures": "rows that failed and were not put right yet",
    "resume_codes": "good for minutes, then deleted",
    "vapid_keys": "one row for each key of the operator",
}


def _game_columns(now: int) -> dict[str, str]:
    """Return the columns of a table as this release opens it, quoted."""
    terms, _ = parse_terms({})
    row, _ = new_table(
        player_id(0), {"preset": "jamaica", "players": 2}, terms, [], now * 1000, CURRENT_RULES_VERSION
    )
    return {
        name: _quote(value)
        for name, value in _make_game_row(row).items()
        if value is not None and name in games.columns
    }


def _status_columns(created: str) -> dict[str, str]:
    return {
        "id": _GAME,
        "creator": f"'p' || ({_FIRST} + n % 1000)",
        "created_at": created,
        "status": f"CASE WHEN {_IS_UNFINISHED} THEN 'running' WHEN n % 20 = 1 THEN 'aborted' ELSE 'finished' END",
        "taken": "2",
        "next_game": f"CASE WHEN n % 4 = 2 THEN 'h' || ({_FIRST} + n + 1) END",
        "started_at": f"{created} + 60000",
        "ended_at": f"CASE WHEN {_IS_UNFINISHED} THEN NULL ELSE {created} + 3600000 END",
        "is_rated": "n % 3 = 1",
        "rated_at": f"{created} + 3700000",
    }


def _quote(value: Any) -> str:
    if isinstance(value, bool):
        return "1 = 1" if value else "1 = 0"
    if isinstance(value, int):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


async def fill(database: Database, size: Size, now: int | None = None) -> None:
    """Write the history into a database that has this release's tables, all of them empty."""
    tables = _tables(size, int(time.time()) if now is None else now)
    known = {**game_tables.metadata.tables, **people_tables.metadata.tables}
    # Indexes are built at the end: one sort instead of millions of insertions.
    indexes = [index for name in tables for index in known[name].indexes]

    def write(run: Connection) -> None:
        _drop(run, indexes)
        _add_days(run)
        if run.dialect.name == "postgresql":  # skip the foreign key checks
            run.exec_driver_sql("SET LOCAL session_replication_role = replica")
        for name, (count, columns) in tables.items():
            run.exec_driver_sql(_insert(name, count, columns))
        run.exec_driver_sql("DROP TABLE history_days")
        _create(run, indexes)

    await database.migrate(write)
    if isinstance(database, PostgresDatabase):  # as autovacuum does within minutes; SQLite is never analysed
        async with database.engine.connect() as run:
            await (await run.execution_options(isolation_level="AUTOCOMMIT")).execute(text("VACUUM ANALYZE"))


def _drop(run: Connection, indexes: Sequence[Index]) -> None:
    for index in indexes:
        index.drop(run)


def _create(run: Connection, indexes: Sequence[Index]) -> None:
    for index in indexes:
        index.create(run)


def _insert(name: str, count: int, columns: Mapping[str, str]) -> str:
    names = ", ".join(f'"{column}"' for column in columns)
    return (
        f"INSERT INTO {name} ({names}) WITH RECURSIVE numbers(n) AS "
        f"(SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {count}) "
        f"SELECT {', '.join(columns.values())} FROM numbers"
    )


def _add_days(run: Connection) -> None:
    run.exec_driver_sql("CREATE TEMPORARY TABLE history_days (k integer PRIMARY KEY, day text)")
    last = datetime.now(UTC) - timedelta(days=2)
    days = [{"k": k, "day": f"{last - timedelta(days=k):%Y-%m-%d}"} for k in range(_DEAL_DAYS)]
    run.execute(text("INSERT INTO history_days VALUES (:k, :day)"), days)


FILLED = frozenset(_tables(Size(1, 1, 1), 1))
