"""Checkpoints of SQLite's write-ahead log (WAL), beside the writer: no commit of the log waits for them.

A commit appends pages to the WAL; a checkpoint copies them into the database. SQLite's own way is to do it inside
whichever commit finds the WAL long, and everybody behind that one waits for two more fsyncs. Here a thread copies
with a connection of its own while the writer goes on. That alone would let the file grow for ever: a WAL begins again
at its start only when all of it is copied, and under steady writing there is always a page more. So after each copy
the writer itself copies the short rest, between two batches. And should a copy fall far behind, the writer waits.

Nothing here can lose an entry: what is committed is in the WAL, on disk, and stays there until its copy is on disk
too. A process that dies at any point leaves a WAL that the next one reads.
"""

from __future__ import annotations

import logging
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait

_log = logging.getLogger("cartagena.store")

# In pages. A longer WAL costs less, as a page that changed often is copied once, and fewer actions meet a rest that is
# being copied (3 to 10 ms; at 2,000 pages and 400 actions a second that was one in a hundred). A shorter one is sooner
# written over, and such a commit takes half as long as one that makes the file longer.
EVERY = 6000
AGAIN = EVERY // 4  # until the next try when a reader or the disk was in the way
# During one copy: a disk that is so much slower at copying than at committing holds the writer up.
MOST = 2 * EVERY
# One that had to grow longer (a backup was reading) is cut to this when it begins again.
WAL_BYTES = 32_000_000


class Checkpoints:
    """All but the copying itself happens in the writer's thread."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkpoints")
        self._connection: sqlite3.Connection | None = None
        self._copying: Future[int] | None = None
        self._until_next = EVERY
        self._is_failing = False

    @staticmethod
    def take_over(run: sqlite3.Connection) -> None:
        """From SQLite's own checkpoints on the writer's connection."""
        run.execute("PRAGMA wal_autocheckpoint=0")
        run.execute(f"PRAGMA journal_size_limit={WAL_BYTES}")

    def wrote(self, pages: int) -> bool:
        """About so many pages were committed. Whether a copy has ended whose rest is to be finished now."""
        self._until_next -= pages
        if self._copying is None:
            if self._until_next <= 0:
                self._until_next = EVERY
                self._copying = self._thread.submit(self._copy)
            return False
        if self._until_next <= EVERY - MOST:
            wait([self._copying])
        if not self._copying.done():
            return False
        copied, self._copying = self._copying, None
        problem = copied.exception()
        if problem is None and copied.result() == 0:
            return True
        self._until_next = min(self._until_next, AGAIN)
        if problem is not None:
            self._failed(problem)
        return False

    def finish(self, run: sqlite3.Connection) -> None:
        """Copies what was written during the last copy. On the writer's connection: nobody writes meanwhile."""
        try:
            left = checkpoint(run)
        except sqlite3.Error as problem:
            self._failed(problem)
            left = 1
        else:
            self._worked()
        if left:
            self._until_next = min(self._until_next, AGAIN)

    def close(self) -> None:
        """After the copy that is under way."""
        self._thread.submit(self._disconnect).result()
        self._thread.shutdown()

    def _failed(self, problem: BaseException) -> None:
        """Not fatal: the WAL grows, and there is another try soon. Said once until it works again."""
        if not self._is_failing:
            _log.warning("no checkpoint: %s; the write-ahead log grows until one succeeds", problem)
        self._is_failing = True

    def _worked(self) -> None:
        if self._is_failing:
            _log.info("checkpoints succeed again")
        self._is_failing = False

    # -- in the thread -----------------------------------------------------------------------------

    def _copy(self) -> int:
        if self._connection is None:
            self._connection = sqlite3.connect(self._file, isolation_level=None)
            # Reads the file: only then does it know of a WAL.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
        return checkpoint(self._connection)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def checkpoint(run: sqlite3.Connection) -> int:
    """Copies what no reader still needs as it was; how many pages are left. It waits for nobody."""
    is_busy, pages, copied = run.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return 1 if is_busy else pages - copied
