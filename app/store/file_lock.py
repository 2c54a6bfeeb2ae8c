"""A lock file beside the SQLite database that admits one server at a time.

SQLite would let two servers write, but neither would learn of the other's moves. The operating system releases the
lock when the process ends, even by a crash.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.store.database import get_sqlite_file, is_sqlite

_POLL_SECONDS = 0.02  # short: during an upgrade the new server waits here, ready to open

_log = logging.getLogger("cartagena.serve")


class FileInUse(Exception):
    """Another server is using this SQLite file."""


@contextmanager
def lock_database_file(url: str, wait_seconds: float) -> Iterator[None]:
    """Keep other servers from starting on this SQLite file while the block runs.

    Wait up to `wait_seconds` for another server to stop, then raise FileInUse. No-op on PostgreSQL, which needs no such
    lock, and on Windows, which has none of this kind.
    """
    if not is_sqlite(url) or sys.platform == "win32":
        yield
        return
    # Not the database file itself: closing a second handle on it would release SQLite's own locks.
    lock = Path(f"{get_sqlite_file(url)}-serving")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as file:
        _acquire(file, time.monotonic() + wait_seconds)
        yield


def _acquire(file: IO[bytes], deadline: float) -> None:
    import fcntl

    is_logged = False
    while True:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise FileInUse from None
            if not is_logged:
                _log.info("another server is using this file; waiting until it has stopped")
                is_logged = True
            time.sleep(_POLL_SECONDS)
        else:
            return
