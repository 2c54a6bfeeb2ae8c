"""A lock beside a SQLite file: one server a file, as a second one would not learn of the first one's moves.

SQLite itself would let both write. The lock is the system's: it ends with the process, however that ends.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from app.store.engine import is_sqlite, sqlite_file

_EVERY = 0.02  # seconds: whoever waits for the one before is ready to open

_log = logging.getLogger("cartagena.serve")


class FileInUse(Exception):
    """Another server has this SQLite file."""


@contextmanager
def locked_database_file(url: str, wait_seconds: float) -> Iterator[None]:
    """While the block runs no other server starts on this file; waits so long for one that is stopping.

    Raises FileInUse. PostgreSQL needs no such lock, and Windows has none of this kind.
    """
    if not is_sqlite(url) or sys.platform == "win32":
        yield
        return
    # Not the database itself: closing a second handle on it would drop the locks SQLite holds on it.
    lock = Path(f"{sqlite_file(url)}-serving")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as held:
        _take(held, time.monotonic() + wait_seconds)
        yield


def _take(held: IO[bytes], until: float) -> None:
    import fcntl

    is_logged = False
    while True:
        try:
            fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise FileInUse from None
            if not is_logged:
                _log.info("another server has this file; this one opens when it has stopped")
                is_logged = True
            time.sleep(_EVERY)
        else:
            return
