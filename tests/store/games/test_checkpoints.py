"""Checkpoints of SQLite's write-ahead log: it stays short, nothing is lost, failures are logged."""

from __future__ import annotations

import logging
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from app.play.log.entries import GameRow
from app.store import checkpoints
from app.store.database import SqliteDatabase, get_sqlite_file
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import make_append, new_game

# A twentieth of the real limits, so that the tests write less.
SMALL = {
    name: getattr(checkpoints, name) // 20
    for name in ("CHECKPOINT_PAGES", "RETRY_PAGES", "MAX_PAGES_DURING_COPY", "WAL_SIZE_LIMIT_BYTES")
}
FRAME_BYTES = 4096 + 24
# The longest WAL without readers: pages before and during a copy, and a quarter for pages that are not counted, such as
# those of an index split.
MAX_WAL_BYTES = (SMALL["CHECKPOINT_PAGES"] + SMALL["MAX_PAGES_DURING_COPY"]) * FRAME_BYTES * 5 // 4
GAMES = 10


class SteadyWriter:
    """A writer on a database with a few games."""

    def __init__(self, file: str, database: SqliteDatabase, rows: list[GameRow]) -> None:
        self.file = file
        self.database = database
        self.writer = SqliteWriter(database)
        self.rows = rows
        self.seq = 1

    async def write(self, batches: int = 1) -> None:
        for _ in range(batches):
            self.seq += 1
            batch = [make_append(row, self.seq, f"command-{self.seq}") for row in self.rows]
            assert await self.writer.write(batch) == [True] * len(batch)

    @property
    def wal_bytes(self) -> int:
        return Path(f"{self.file}-wal").stat().st_size

    @property
    def restarts(self) -> int:
        """The number of times the WAL was restarted, from its header."""
        with Path(f"{self.file}-wal").open("rb") as wal:
            return int(struct.unpack(">I", wal.read(16)[12:])[0])

    def check(self) -> None:
        """Check that every entry is stored once and the file is intact."""
        with sqlite3.connect(self.file) as conn:
            assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found = conn.execute("SELECT count(*), max(seq) FROM log").fetchone()
            assert found == (self.seq * len(self.rows), self.seq)
            assert conn.execute("SELECT DISTINCT seq FROM heads").fetchall() == [(self.seq,)]
        conn.close()


@pytest.fixture
async def steady(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SteadyWriter]:
    for name, value in SMALL.items():
        monkeypatch.setattr(checkpoints, name, value)
    database = SqliteDatabase(sqlite_url)
    await upgrade(database)
    async with open_store(sqlite_url, lambda seconds, entries: None, database) as store:
        rows = [await new_game(store) for _ in range(GAMES)]
    yield SteadyWriter(get_sqlite_file(sqlite_url), database, rows)
    await database.close()


async def test_wal_stays_short_under_steady_writing(steady: SteadyWriter) -> None:
    for _ in range(60):
        await steady.write(10)
        assert steady.wal_bytes < MAX_WAL_BYTES
    assert steady.restarts >= 10
    steady.check()


async def test_writes_outside_the_game_log_are_checkpointed_too(steady: SteadyWriter) -> None:
    await steady.write()
    before = steady.restarts
    body = "x" * 1000

    def scatter(conn: Connection) -> None:
        for number in range(100):
            row = {"game": f"{number}", "at": number, "body": body}
            conn.execute(text("INSERT INTO scattered VALUES (:game, :at, :body)"), row)
        conn.execute(text("DELETE FROM scattered"))

    create = text("CREATE TABLE scattered (game VARCHAR PRIMARY KEY, at INTEGER, body VARCHAR)")
    await steady.database.write(lambda conn: conn.execute(create).close())
    for durable in (True, False):
        for _ in range(40):
            await steady.database.write(scatter, durable=durable)
            assert steady.wal_bytes < MAX_WAL_BYTES
        assert steady.restarts > before, durable
        before = steady.restarts
    await steady.database.write(lambda conn: conn.execute(text("DROP TABLE scattered")).close())
    steady.check()


async def test_wal_grows_only_while_a_reader_holds_its_snapshot(steady: SteadyWriter) -> None:
    reader = sqlite3.connect(steady.file, isolation_level=None)
    held_batches = 15
    for _ in range(12):
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM log").fetchone()
        await steady.write(held_batches)
        assert reader.execute("SELECT count(*) FROM log").fetchone() == before  # its snapshot is unchanged
        reader.execute("COMMIT")
        await steady.write(25)
        assert steady.wal_bytes < 2 * MAX_WAL_BYTES + held_batches * GAMES * 4 * FRAME_BYTES
    assert steady.restarts >= 5
    reader.close()
    steady.check()


async def test_wal_that_grew_during_a_long_read_is_truncated(steady: SteadyWriter) -> None:
    await steady.write()
    reader = sqlite3.connect(steady.file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM log").fetchone()
    before = steady.restarts
    while steady.wal_bytes < 2 * MAX_WAL_BYTES:
        await steady.write()
    assert steady.restarts == before
    reader.execute("COMMIT")
    reader.close()
    await steady.write(50)
    assert steady.wal_bytes < MAX_WAL_BYTES
    steady.check()


async def test_failing_checkpoint_is_logged_once_and_retried(
    steady: SteadyWriter, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cartagena.store")
    attempts = 0

    def fail(conn: sqlite3.Connection) -> int:
        nonlocal attempts
        attempts += 1
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "run_checkpoint", fail)
        while attempts < 5:  # the writer continues
            await steady.write()
    while len(caplog.records) < 2:
        await steady.write()
    before = steady.restarts
    await steady.write(50)
    assert steady.restarts > before
    assert [record.getMessage() for record in caplog.records] == [
        "no checkpoint: database or disk is full; the write-ahead log grows until one succeeds",
        "checkpoints succeed again",
    ]
    steady.check()


def _is_copying(index: Path) -> bool:
    """Read from the WAL index whether a copy is running: its target is written first, its progress at the end."""
    try:
        with index.open("rb") as file:
            found = file.read(136)
    except FileNotFoundError:
        return False
    if len(found) < 136:
        return False
    done, wanted = struct.unpack("=I", found[96:100])[0], struct.unpack("=I", found[128:132])[0]
    return bool(wanted > done)


@pytest.mark.parametrize("life", range(3))
def test_kill_during_a_checkpoint_loses_nothing_acknowledged(
    sqlite_url: str, tmp_path: Path, life: int
) -> None:
    file, acknowledged = Path(get_sqlite_file(sqlite_url)), tmp_path / "acknowledged"
    with acknowledged.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.steady_writer", sqlite_url, "60"], stdout=out
        )
        try:
            index = Path(f"{file}-shm")
            while not (acknowledged.stat().st_size and _is_copying(index)):
                assert process.poll() is None, "the process ended before it was killed"
                time.sleep(0.0001 * life)
        finally:
            process.kill()
            process.wait()
    # The last line may be incomplete.
    entries = [line.split() for line in acknowledged.read_text().split("\n")[:-1]]
    assert entries
    with sqlite3.connect(file) as conn:
        stored = {
            (game, seq): command for game, seq, command in conn.execute("SELECT game, seq, command FROM log")
        }
        assert [entry for entry in entries if stored.get((entry[0], int(entry[1]))) != "-".join(entry)] == []
        assert conn.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert (
            conn.execute(
                "SELECT heads.game FROM heads WHERE seq != (SELECT max(seq) FROM log WHERE log.game = heads.game)"
            ).fetchall()
            == []
        )
    conn.close()
