"""Classification of database errors: outages and programming errors.

After an outage, clients are asked to try again. A wrong statement must stay an error with a traceback: treated as an
outage, it would be retried forever without being noticed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

import asyncpg
from sqlalchemy import exc

from app.play.ports import StoreUnavailable

# Raised by the drivers outside of SQLAlchemy.
OUTAGE_ERRORS = (OSError, TimeoutError, exc.TimeoutError, asyncpg.InternalClientError)

# Prefixes of PostgreSQL's SQLSTATE: connection lost, read-only, idle time-out, rolled back in favour of another
# transaction, out of resources, lock not available, shutting down, I/O error, internal error.
_OUTAGE_SQLSTATES = ("08", "25006", "25P03", "25P04", "40", "53", "55P03", "57", "58", "XX")
# Without SQLITE_ERROR (a wrong statement), SQLITE_CONSTRAINT and SQLITE_MISMATCH (a wrong value).
_SQLITE_OUTAGE_CODES = frozenset(
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
# A table was altered while the worker was running; the next attempt prepares the statement again.
_STALE_STATEMENTS = (asyncpg.InvalidCachedStatementError, asyncpg.InternalClientError)


def is_outage(problem: BaseException) -> bool:
    """Return whether the database failed, as opposed to the statement or a value in it."""
    if isinstance(problem, (StoreUnavailable, *OUTAGE_ERRORS)):
        return True
    if isinstance(problem, exc.DBAPIError):
        return problem.connection_invalidated or _is_driver_outage(problem.orig)
    return _is_driver_outage(problem)


def _is_driver_outage(problem: BaseException | None) -> bool:
    code = getattr(problem, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in _SQLITE_OUTAGE_CODES
    state = getattr(problem, "sqlstate", None)
    if state:
        return state.startswith(_OUTAGE_SQLSTATES) or isinstance(
            getattr(problem, "__cause__", None), _STALE_STATEMENTS
        )
    cause = getattr(problem, "__cause__", None) or problem
    if isinstance(cause, asyncpg.InterfaceError):
        return not isinstance(cause, ValueError)  # a ValueError means a value that the driver cannot send
    # An OperationalError without a code comes from the driver itself.
    return isinstance(cause, (*_STALE_STATEMENTS, *OUTAGE_ERRORS)) or isinstance(
        problem, sqlite3.OperationalError
    )


def is_conflict(problem: BaseException | None) -> bool:
    """Return whether PostgreSQL rolled the transaction back in favour of another one; it can be retried."""
    return getattr(getattr(problem, "orig", None), "sqlstate", None) in ("40001", "40P01")


def error_name(problem: BaseException) -> str:
    """Return the exception's class name and code. The message is left out, since it may contain row data."""
    names = [type(problem).__name__]
    origin = getattr(problem, "orig", None) or problem
    code = getattr(origin, "sqlite_errorname", None) or getattr(origin, "sqlstate", None)
    return " ".join([*names, code] if code else names)


@contextmanager
def raise_outages_as_unavailable() -> Iterator[None]:
    """Context manager that raises outages as StoreUnavailable and other exceptions unchanged."""
    try:
        yield
    except StoreUnavailable:
        raise
    except Exception as problem:
        if is_outage(problem):
            raise StoreUnavailable(error_name(problem)) from problem
        raise
