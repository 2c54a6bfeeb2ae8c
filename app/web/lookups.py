"""Looking a table up: whoever knocks too often in vain, at locked or unknown ones alike, is told to wait."""

from __future__ import annotations

import asyncio
from time import monotonic

from starlette.requests import HTTPConnection

from app.play.admission import admit
from app.play.house import House
from app.play.ports import Anyone
from app.play.refusals import NotAdmitted, Refusal
from app.play.room import Room
from app.web.house import house_of
from app.web.limits import Limits
from app.web.site import site_of

__all__ = ["Door", "look_up"]

# Whoever follows a link to a locked table fails once before they are asked; guessing fails every time.
_COST = {"password_required": 1.0, "password_wrong": 10.0}
_VAIN_SECONDS = 0.05


class Door:
    """Where one address knocks. A socket keeps this instead of the whole request it came with."""

    __slots__ = ("_house", "_key", "_limits")

    def __init__(self, connection: HTTPConnection) -> None:
        self._house: House = house_of(connection)
        self._limits: Limits = site_of(connection).limits
        self._key = self._limits.key_of(connection)

    async def look_up(self, game: str, anyone: Anyone, password: str | None) -> Room:
        """The room, if this person may be in it; raises Refusal, `too_fast` after too many vain tries.

        An address with no tries left still gets in wherever no password is asked: a guesser must not shut
        out the players behind the same address. Only passwords are then no longer looked at.
        """
        began = monotonic()
        lookups = self._limits.lookups
        is_spent = lookups.left(self._key) < 1.0
        try:
            return await admit(self._house, game, anyone, None if is_spent else password)
        except NotAdmitted as refusal:
            cost = _COST.get(refusal.code)
            if cost is None:
                raise
            # A table that was put away is read from the log first, one that does not exist is not there to be
            # read: both are answered no sooner than either needs.
            await asyncio.sleep(max(0.0, _VAIN_SECONDS - (monotonic() - began)))
            if is_spent:
                raise Refusal("too_fast") from None
            lookups.take(self._key, min(cost, lookups.left(self._key)))
            raise


async def look_up(connection: HTTPConnection, game: str, anyone: Anyone, password: str | None) -> Room:
    """For a single request."""
    return await Door(connection).look_up(game, anyone, password)
