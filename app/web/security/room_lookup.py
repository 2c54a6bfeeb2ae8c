"""Looking a table up: whoever knocks too often in vain, at locked or unknown ones alike, is told to wait."""

from __future__ import annotations

import asyncio
from time import monotonic

from starlette.requests import HTTPConnection

from app.play.join import admit
from app.play.ports import Actor
from app.play.refusals import NotAdmitted, Refusal
from app.play.room.room import Room
from app.play.server import GameServer
from app.web.errors import TooFast
from app.web.house import game_server_of
from app.web.security.limits import Limits
from app.web.site import site_of

__all__ = ["Door", "look_up"]

# Whoever follows a link to a locked table fails once before they are asked; guessing fails every time.
_KNOCK = 1.0
_GUESS = 10.0
_IN_VAIN = ("password_required", "password_wrong")
_VAIN_SECONDS = 0.05


class Door:
    """Where one address knocks. A socket keeps this instead of the whole request it came with."""

    __slots__ = ("_game_server", "_key", "_limits")

    def __init__(self, connection: HTTPConnection) -> None:
        self._game_server: GameServer = game_server_of(connection)
        self._limits: Limits = site_of(connection).limits
        self._key = self._limits.key_of(connection)

    async def look_up(self, game: str, actor: Actor, password: str | None) -> Room:
        """The room, if this person may be in it; raises Refusal, `too_fast` after too many vain tries.

        An address with no tries left still gets in wherever no password is asked: a guesser must not shut
        out the players behind the same address. Only passwords are then no longer looked at.
        """
        began = monotonic()
        lookups, cost = self._limits.lookups, _KNOCK if password is None else _GUESS
        # Paid before anything is looked at. The other workers hear of what was in vain, which is seldom.
        wait = lookups.hold(self._key, cost)
        is_in_vain = True  # and so it is for whoever is cut off in the middle
        try:
            room = await admit(self._game_server, game, actor, None if wait else password)
            is_in_vain = False
            return room
        except Refusal as refusal:
            is_in_vain = isinstance(refusal, NotAdmitted) and refusal.code in _IN_VAIN
            if not is_in_vain:
                raise
            # A table that was put away is read from the log first, one that does not exist is not there to be
            # read: both are answered no sooner than either needs.
            await asyncio.sleep(max(0.0, _VAIN_SECONDS - (monotonic() - began)))
            if wait:
                raise TooFast(wait) from None
            raise
        finally:
            if not wait:
                lookups.settle(self._key, cost, is_kept=is_in_vain)


async def look_up(connection: HTTPConnection, game: str, actor: Actor, password: str | None) -> Room:
    """For a single request."""
    return await Door(connection).look_up(game, actor, password)
