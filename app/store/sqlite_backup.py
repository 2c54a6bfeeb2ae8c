"""Backup and restore of a SQLite database as files. A backup is a complete database, readable by its owner only."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

BACKUP_PATTERN = "cartagena-*.db"
_PART_PATTERN = "cartagena-*.part"
_MAX_BACKUP_SECONDS = 12 * 3600  # a partial copy older than this belongs to a backup that was killed
_SIDE_FILES = ("", "-wal", "-shm")


class BackupFailed(Exception):
    """The backup could not be made, rotated or restored; the message says why. The database is unchanged."""


def back_up(database: Path, folder: Path, keep_days: int, now: int) -> Path:
    """Write a backup to the folder, delete those older than `keep_days`, and return its path.

    The database may be in use. Old backups, and partial copies that a killed backup has left, are deleted only after
    the new one was checked.
    """
    if not database.is_file():
        raise BackupFailed(f"there is no database {database}")
    backup = folder / f"cartagena-{_format_time(now)}.db"
    with _failing_as(f"{backup} could not be written"):
        folder.mkdir(parents=True, exist_ok=True)
        part = backup.with_suffix(".part")
        with _deleting(part):
            part.touch(mode=0o600)
            with closing(sqlite3.connect(database)) as connection:
                connection.execute("VACUUM INTO ?", [str(part)])
            _check(part)
            _sync(part)
            part.replace(backup)
    with _failing_as(f"{backup} is complete, but old files in {folder} could not be deleted"):
        for old in folder.glob(BACKUP_PATTERN):
            if old.stat().st_mtime < now - keep_days * 86_400 and old != backup:
                old.unlink()
        for part in folder.glob(_PART_PATTERN):
            if part.stat().st_mtime < now - _MAX_BACKUP_SECONDS:
                part.unlink(missing_ok=True)
    return backup


def restore(database: Path, backup: Path, now: int) -> Path | None:
    """Replace the database by a backup. Return where the replaced database is kept, if there was one.

    The caller ensures that no server uses the database.
    """
    if not backup.is_file():
        raise BackupFailed(f"there is no file {backup}")
    with _failing_as(f"{backup} is not a database that SQLite can read"):
        _check(backup)
    new = database.with_name(f"{database.name}.restoring")
    with _failing_as(f"{database} could not be replaced"), _deleting(new):
        shutil.copy(backup, new)
        _sync(new)
        kept = database.with_name(f"{database.name}.before-{_format_time(now)}")
        is_replacing = database.exists()
        for side in _SIDE_FILES:  # an old write-ahead log must not meet the new database
            file = database.with_name(database.name + side)
            if file.exists():
                file.replace(kept.with_name(kept.name + side))
        new.replace(database)
    return kept if is_replacing else None


@contextmanager
def _failing_as(outcome: str) -> Iterator[None]:
    """Raise BackupFailed with this outcome and the reason if the files or SQLite fail."""
    try:
        yield
    except (OSError, sqlite3.Error) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise BackupFailed(f"{outcome} ({reason})") from problem


@contextmanager
def _deleting(partial: Path) -> Iterator[None]:
    """Delete this partial copy before and after the block, in which it may be renamed."""
    partial.unlink(missing_ok=True)
    try:
        yield
    finally:
        partial.unlink(missing_ok=True)


def _check(file: Path) -> None:
    """Raise BackupFailed or sqlite3.Error unless this is an intact database of this program."""
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        (result,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if result != "ok":
            raise BackupFailed(f"{file} is damaged: {result}")
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        }
    if not {"games", "log", "players"} <= tables:
        raise BackupFailed(f"{file} is not a database of this program")


def _sync(file: Path) -> None:
    with file.open("rb+") as opened:
        os.fsync(opened.fileno())


def _format_time(now: int) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
