"""What can go wrong for a program that plays: each a sentence that says what is wrong and what to do.

ClientError
├── ApiError       the server refused; `code` is stable
├── Unreachable    no server answers at that address, or not as one should
├── SeatLost       the program may not be at this table, or no longer
├── NotKept        the record is not that of the table the program sat down at
└── PlayerFailed   the player gave nothing, or again and again something that is no move
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator


class ClientError(Exception):
    """Its text is a sentence for the person who runs the program."""


class ApiError(ClientError):
    """The server refused; `code` is stable, the message is for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Unreachable(ClientError):
    """No server answers at that address, or not as one should; trying again helps unless it `is_final`."""

    def __init__(self, message: str, *, is_final: bool = True) -> None:
        super().__init__(message)
        self.is_final = is_final


class NotKept(ClientError):
    """The record is not that of the table this client sat down at."""


class SeatLost(ClientError):
    """The program may not be at this table, or no longer."""


class PlayerFailed(ClientError):
    """The player gave nothing, or again and again something that is no move."""


def unreachable(address: str, problem: BaseException) -> Unreachable:
    """The sentence for a connection that could not be made or broke."""
    for cause in _causes(problem):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Unreachable(
                f"The certificate of {address} is not trusted ({cause.verify_message}). Check the address; "
                "for a certificate of your own, name its file in SSL_CERT_FILE."
            )
        if isinstance(cause, ssl.SSLError):
            return Unreachable(
                f"{address} does not speak TLS as expected. If it serves plain HTTP, write http:// instead."
            )
    why = str(problem).strip().rstrip(".") or type(problem).__name__
    return Unreachable(
        f"Cannot reach {address} ({why}). Check the address and that the server runs.", is_final=False
    )


def _causes(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        problem = problem.__cause__ or problem.__context__
