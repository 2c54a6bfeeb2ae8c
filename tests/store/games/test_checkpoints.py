"""SQLite's write-ahead log is copied beside the writer: it stays short, nothing is lost, trouble is told."""

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

from app.play.log.entries import GameRow
from app.store.engine import make_engine, sqlite_file
from app.store.games import checkpoints
from app.store.games.sqlite_writer import SqliteWriter
from app.store.games.store import open_store
from app.store.migrate import upgrade
from tests.store.samples import append_of, new_game

# Twenty times as often as in a server, so that a test need not write as much.
SMALL = {name: getattr(checkpoints, name) // 20 for name in ("EVERY", "AGAIN", "MOST", "WAL_BYTES")}
FRAME = 4096 + 24
# What may be in the WAL when nobody reads: what leads to a copy, what is written during one, and a quarter for pages
# that the writer does not count, such as those where an index splits.
LONGEST = (SMALL["EVERY"] + SMALL["MOST"]) * FRAME * 5 // 4
GAMES = 10


class Steady:
    """A writer that is never idle, on a file with a few games."""

    def __init__(self, file: str, rows: list[GameRow]) -> None:
        self.file = file
        self.writer = SqliteWriter(file)
        self.rows = rows
        self.seq = 1

    async def write(self, batches: int = 1) -> None:
        for _ in range(batches):
            self.seq += 1
            batch = [append_of(row, self.seq, f"command-{self.seq}") for row in self.rows]
            assert await self.writer.write(batch) == [True] * len(batch)

    @property
    def wal(self) -> int:
        return Path(f"{self.file}-wal").stat().st_size

    @property
    def beginnings(self) -> int:
        """How often the WAL began again at its start: it counts that in its header."""
        with Path(f"{self.file}-wal").open("rb") as wal:
            return int(struct.unpack(">I", wal.read(16)[12:])[0])

    def check(self) -> None:
        """Everything is there, once, and the file is sound."""
        with sqlite3.connect(self.file) as run:
            assert run.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found = run.execute("SELECT count(*), max(seq) FROM log").fetchone()
            assert found == (self.seq * len(self.rows), self.seq)
            assert run.execute("SELECT DISTINCT seq FROM heads").fetchall() == [(self.seq,)]
        run.close()


@pytest.fixture
async def steady(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Steady]:
    for name, value in SMALL.items():
        monkeypatch.setattr(checkpoints, name, value)
    engine = make_engine(sqlite_url)
    await upgrade(engine)
    async with open_store(sqlite_url, lambda seconds, entries: None, engine) as store:
        rows = [await new_game(store) for _ in range(GAMES)]
    await engine.dispose()
    writing = Steady(sqlite_file(sqlite_url), rows)
    yield writing
    await writing.writer.close()


async def test_the_log_of_writes_stays_short_under_steady_writing(steady: Steady) -> None:
    for _ in range(60):
        await steady.write(10)
        assert steady.wal < LONGEST
    assert steady.beginnings >= 10
    steady.check()


async def test_a_reader_lets_it_grow_for_as_long_as_it_reads(steady: Steady) -> None:
    reader = sqlite3.connect(steady.file, isolation_level=None)
    held = 15  # batches
    for _ in range(12):
        reader.execute("BEGIN")
        before = reader.execute("SELECT count(*) FROM log").fetchone()
        await steady.write(held)
        assert reader.execute("SELECT count(*) FROM log").fetchone() == before  # its picture is whole
        reader.execute("COMMIT")
        await steady.write(25)
        assert steady.wal < 2 * LONGEST + held * GAMES * 4 * FRAME
    assert steady.beginnings >= 5
    reader.close()
    steady.check()


async def test_a_log_that_grew_beside_a_long_reader_is_cut_back(steady: Steady) -> None:
    await steady.write()
    reader = sqlite3.connect(steady.file, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM log").fetchone()
    began = steady.beginnings
    while steady.wal < 2 * LONGEST:
        await steady.write()
    assert steady.beginnings == began
    reader.execute("COMMIT")
    reader.close()
    await steady.write(50)
    assert steady.wal < LONGEST
    steady.check()


async def test_a_checkpoint_that_fails_is_told_once_and_tried_again(
    steady: Steady, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cartagena.store")
    tries = 0

    def full(run: sqlite3.Connection) -> int:
        nonlocal tries
        tries += 1
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "checkpoint", full)
        while tries < 5:  # the writer goes on meanwhile
            await steady.write()
    while len(caplog.records) < 2:
        await steady.write()
    began = steady.beginnings
    await steady.write(50)
    assert steady.beginnings > began
    assert [record.getMessage() for record in caplog.records] == [
        "no checkpoint: database or disk is full; the write-ahead log grows until one succeeds",
        "checkpoints succeed again",
    ]
    steady.check()


def _is_copying(index: Path) -> bool:
    """By the WAL's index: a copy notes first how far it wants to get, and only at its end that it got there."""
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
def test_killed_in_the_middle_of_a_checkpoint_nothing_acknowledged_is_lost(
    sqlite_url: str, tmp_path: Path, life: int
) -> None:
    file, told = Path(sqlite_file(sqlite_url)), tmp_path / "acknowledged"
    with told.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.steady_writer", sqlite_url, "60"], stdout=out
        )
        try:
            index = Path(f"{file}-shm")
            while not (told.stat().st_size and _is_copying(index)):
                assert process.poll() is None, "it ended before it was killed"
                time.sleep(0.0001 * life)
        finally:
            process.kill()
            process.wait()
    # The file's last line may be cut off: only whole ones were said.
    entries = [line.split() for line in told.read_text().split("\n")[:-1]]
    assert entries
    with sqlite3.connect(file) as run:
        stored = {
            (game, seq): command for game, seq, command in run.execute("SELECT game, seq, command FROM log")
        }
        assert [entry for entry in entries if stored.get((entry[0], int(entry[1]))) != "-".join(entry)] == []
        assert run.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert (
            run.execute(
                "SELECT heads.game FROM heads WHERE seq != (SELECT max(seq) FROM log WHERE log.game = heads.game)"
            ).fetchall()
            == []
        )
    run.close()
