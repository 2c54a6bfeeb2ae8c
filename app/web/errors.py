"""Refusals of the web layer: a stable code, a sentence a player can act on, a status.

Refused
├── NobodyKnown    401  who_are_you      an identity is needed first
├── NotAllowed     403  (several codes)  this person may not do this
├── NotFound       404  not_found        nothing here for this person
├── BadRequest     422  (several codes)  the request itself is wrong
├── Conflict       409  (several codes)  it collides with what is there
├── TooBig         413  too_big          the request is larger than anything that is wanted
└── TooMany        429  too_many         slower, please; carries retry_after
"""

from __future__ import annotations

from math import ceil

from app.play.refusals import Refusal

__all__ = [
    "BadRequest",
    "Conflict",
    "NobodyKnown",
    "NotAllowed",
    "NotFound",
    "Refused",
    "TooBig",
    "TooFast",
    "TooMany",
    "about_minutes",
]


class Refused(Exception):
    """The request is refused; nothing has changed."""

    status = 400

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class NobodyKnown(Refused):
    """An identity is needed first."""

    status = 401

    def __init__(self) -> None:
        super().__init__("who_are_you", "Choose a name first.")


class NotAllowed(Refused):
    """This person may not do this."""

    status = 403


class NotFound(Refused):
    """There is nothing here, or nothing this person may know of: the same answer for both."""

    status = 404

    def __init__(self, message: str = "There is nothing here.") -> None:
        super().__init__("not_found", message)


class BadRequest(Refused):
    """The request itself is wrong."""

    status = 422


class Conflict(Refused):
    """The request collides with what is already there."""

    status = 409


class TooBig(Refused):
    """The request is larger than anything that is wanted."""

    status = 413

    def __init__(self) -> None:
        super().__init__("too_big", "That is too big.")


class TooMany(Refused):
    """Slower, please."""

    status = 429

    def __init__(self, retry_after: float, message: str | None = None) -> None:
        super().__init__("too_many", message or waiting_sentence(retry_after))
        self.retry_after = whole_seconds(retry_after)


class TooFast(Refusal):
    """The same in the words of rooms, which sockets hear as well."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("too_fast", waiting_sentence(retry_after))
        self.retry_after = whole_seconds(retry_after)


def whole_seconds(wait: float) -> int:
    """For the header Retry-After: never too early, never 0."""
    return max(1, ceil(wait))


def about_minutes(seconds: float) -> int:
    """How long that is in words: 0 is a moment; more than ten minutes are told in fives."""
    if seconds <= 60:
        return 0
    minutes = ceil(seconds / 60)
    return minutes if minutes <= 10 else ceil(minutes / 5) * 5


def waiting_sentence(seconds: float) -> str:
    """What somebody is told who has to wait so long."""
    minutes = about_minutes(seconds)
    if not minutes:
        return "That was too much at once. Wait a moment and try again."
    return f"That was too much for now. Try again in about {minutes} minutes."
