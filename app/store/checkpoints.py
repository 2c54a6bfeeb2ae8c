"""Checkpoints of SQLite's write-ahead log (WAL) in a thread beside the writer, so that commits do not wait for them.

A commit appends pages to the WAL; a checkpoint copies them into the database file. By default SQLite runs a checkpoint
inside the commit that makes the WAL too long, and all queued commits wait for two more fsyncs. Here a thread copies
pages over its own connection while the writer continues. The thread alone would let the WAL grow forever: SQLite
restarts the WAL only when every page is copied, and under steady load there is always one more. So after each copy
the writer copies the short rest itself, between two batches. If a copy falls far behind, the writer waits for it.

Nothing here can lose an entry. A committed page stays in the WAL until its copy is on disk, and after a crash the next
process reads the WAL.
"""

from __future__ import annotations

import logging
import math
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait

_log = logging.getLogger("cartagena.store")

# A checkpoint starts after this many pages. A longer WAL costs less: a page that changes often is copied once, and
# fewer commits wait while the writer copies the rest (3 to 10 ms; with 2,000 pages and 400 actions per second, one in a
# hundred did). A shorter WAL is reused sooner, and overwriting it takes half as long as extending the file.
CHECKPOINT_PAGES = 6000
RETRY_PAGES = CHECKPOINT_PAGES // 4  # until the next attempt after a reader or the disk prevented one
# A log entry changes two rows and writes pages of the log, its index and the heads.
_PAGES_PER_CHANGE = 1.5
# The writer waits for a copy once this many pages were written during it: the disk copies more slowly than it commits.
MAX_PAGES_DURING_COPY = 2 * CHECKPOINT_PAGES
# A WAL that grew longer, for example during a backup, is truncated to this when SQLite restarts it.
WAL_SIZE_LIMIT_BYTES = 32_000_000


def disable_auto_checkpoint(conn: sqlite3.Connection) -> None:
    """Turn off SQLite's automatic checkpoints on this connection."""
    conn.execute("PRAGMA wal_autocheckpoint=0")
    conn.execute(f"PRAGMA journal_size_limit={WAL_SIZE_LIMIT_BYTES}")


class Checkpointer:
    """Counts written pages and runs checkpoints. Everything but the copying runs in the writer's thread."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoints")
        self._connection: sqlite3.Connection | None = None
        self._copying: Future[int] | None = None
        self._until_next = CHECKPOINT_PAGES
        self._is_failing = False

    def count_changes(self, changes: int) -> bool:
        """Count the rows changed by a commit; return whether a copy has ended and `finish` must be called."""
        self._until_next -= math.ceil(changes * _PAGES_PER_CHANGE)
        if self._copying is None:
            if self._until_next <= 0:
                self._until_next = CHECKPOINT_PAGES
                self._copying = self._thread.submit(self._copy)
            return False
        if self._until_next <= CHECKPOINT_PAGES - MAX_PAGES_DURING_COPY:
            wait([self._copying])
        if not self._copying.done():
            return False
        copied, self._copying = self._copying, None
        problem = copied.exception()
        if problem is None and copied.result() == 0:
            return True
        self._until_next = min(self._until_next, RETRY_PAGES)
        if problem is not None:
            self._log_failure(problem)
        return False

    def finish(self, conn: sqlite3.Connection) -> None:
        """Copy what was written during the last copy. On the writer's connection nothing is written meanwhile."""
        try:
            left = run_checkpoint(conn)
        except sqlite3.Error as problem:
            self._log_failure(problem)
            left = 1
        else:
            self._log_recovery()
        if left:
            self._until_next = min(self._until_next, RETRY_PAGES)

    def close(self) -> None:
        """Wait for a copy in progress and close the connection."""
        self._thread.submit(self._disconnect).result()
        self._thread.shutdown()

    def _log_failure(self, problem: BaseException) -> None:
        """Log the first failure in a row. It is not fatal: the WAL grows until a later attempt succeeds."""
        if not self._is_failing:
            _log.warning("no checkpoint: %s; the write-ahead log grows until one succeeds", problem)
        self._is_failing = True

    def _log_recovery(self) -> None:
        if self._is_failing:
            _log.info("checkpoints succeed again")
        self._is_failing = False

    # -- in the thread -----------------------------------------------------------------------------

    def _copy(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(self._file, isolation_level=None)
            # This reads the file; before that the connection does not know that there is a WAL.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
        return run_checkpoint(self._connection)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def run_checkpoint(conn: sqlite3.Connection) -> int:
    """Copy the pages that no reader blocks, without waiting; return how many are left."""
    is_busy, pages, copied = conn.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return 1 if is_busy else pages - copied
