"""Errors of the bot client. Each message says what is wrong and what to do.

ClientError
├── ApiError        the server refused; `code` is stable
├── Unreachable     no Cartagena server answers at that address
├── SeatLost        the program has no seat at this table, or has lost it
├── RecordMismatch  the record is not that of the table where the program sat down
└── PlayerFailed    the player returned nothing, or repeatedly illegal moves
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator


class ClientError(Exception):
    """Base class. The message is written for the person who runs the program."""


class ApiError(ClientError):
    """The server refused. `code` is stable; the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Unreachable(ClientError):
    """No Cartagena server answers at that address. Retrying may help unless `is_final`."""

    def __init__(self, message: str, *, is_final: bool = True) -> None:
        super().__init__(message)
        self.is_final = is_final


class RecordMismatch(ClientError):
    """The record is not that of the table where this client sat down."""


class SeatLost(ClientError):
    """The program has no seat at this table, or has lost it."""


class PlayerFailed(ClientError):
    """The player returned nothing, or repeatedly illegal moves."""


def unreachable(address: str, problem: BaseException) -> Unreachable:
    """Return the error for a connection that failed or broke."""
    for cause in _causes(problem):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Unreachable(
                f"The certificate of {address} is not trusted ({cause.verify_message}). Check the address; "
                "for your own certificate, set SSL_CERT_FILE to its file."
            )
        if isinstance(cause, ssl.SSLError):
            return Unreachable(f"{address} does not use TLS. If it serves plain HTTP, use http:// instead.")
    why = str(problem).strip().rstrip(".") or type(problem).__name__
    return Unreachable(
        f"Cannot reach {address} ({why}). Check the address, and that the server is running.", is_final=False
    )


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
