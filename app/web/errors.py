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

__all__ = ["BadRequest", "Conflict", "NobodyKnown", "NotAllowed", "NotFound", "Refused", "TooBig", "TooMany"]


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

    def __init__(
        self, retry_after: float, message: str = "That was too much at once. Wait a moment and try again."
    ) -> None:
        super().__init__("too_many", message)
        self.retry_after = max(1, round(retry_after + 0.5))
