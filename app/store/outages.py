"""Telling a database that is away from a mistake of ours: only the first is an outage.

An outage is answered with "try again" and waited out. A statement that is wrong stays what it is, a fault
with a traceback: taken for an outage it would be tried again for ever, and nobody would ever look at it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
from sqlalchemy import exc

from app.play.ports import StoreUnavailable

__all__ = ["OUTAGES", "is_outage", "outages_as_unavailable"]

# As the drivers raise them, where no SQLAlchemy stands between.
OUTAGES = (OSError, TimeoutError, exc.TimeoutError, asyncpg.InternalClientError)

# Classes of PostgreSQL's SQLSTATE: cut off, read-only, ended while idle, rolled back in favour of another,
# out of something, lock not had in time, shutting down, its disk, its own fault.
_STATES = ("08", "25006", "25P03", "25P04", "40", "53", "55P03", "57", "58", "XX")
# SQLite's word for a statement that is wrong, and for a value that does not fit, is among the others.
_SQLITE = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    )
)
# A table was changed under a running worker: the statement is prepared anew with the next try.
_PREPARED_ANEW = (asyncpg.InvalidCachedStatementError, asyncpg.InternalClientError)


def is_outage(problem: BaseException) -> bool:
    """Whether the database is to blame, and not the statement or a value in it."""
    if isinstance(problem, OUTAGES):
        return True
    if isinstance(problem, exc.DBAPIError):
        return problem.connection_invalidated or _is_drivers(problem.orig)
    return _is_drivers(problem)


def _is_drivers(problem: BaseException | None) -> bool:
    code = getattr(problem, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in _SQLITE
    state = getattr(problem, "sqlstate", None)
    if state:
        return state.startswith(_STATES) or isinstance(getattr(problem, "__cause__", None), _PREPARED_ANEW)
    cause = getattr(problem, "__cause__", None) or problem
    if isinstance(cause, asyncpg.InterfaceError):
        return not isinstance(cause, ValueError)  # that would be a value the driver cannot send
    # Without a code: aiosqlite's word for a connection that is gone.
    return isinstance(cause, (*_PREPARED_ANEW, *OUTAGES)) or isinstance(problem, sqlite3.OperationalError)


@contextmanager
def outages_as_unavailable() -> Iterator[None]:
    """An outage inside comes out as StoreUnavailable; a fault comes out as it is."""
    try:
        yield
    except Exception as problem:
        if is_outage(problem):
            raise StoreUnavailable(type(problem).__name__) from problem
        raise
