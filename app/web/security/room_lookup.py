"""Finding a table by its id: whoever fails too often, at locked or unknown ones alike, is told to wait."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic

from starlette.requests import HTTPConnection

from app.play.join import admit
from app.play.log.terms import HASH_MS
from app.play.ports import Actor
from app.play.refusals import NotAdmitted, Refusal
from app.play.room.room import Room
from app.play.server import GameServer
from app.web.errors import TooFast
from app.web.game_server import actor_of, game_server_of
from app.web.security.address import limit_key
from app.web.security.limits import Limits
from app.web.site import site_of

# Whoever follows a link to a locked table fails once before they are asked; guessing fails every time.
_LOOKUP_COST = 1.0
_PASSWORD_COST = 10.0
_FAILURES = ("password_required", "password_wrong")
_FAILURE_SECONDS = 0.05


class RoomLookup:
    """Finds tables for one address. A socket keeps this instead of the whole request it came with."""

    __slots__ = ("_address", "_game_server", "_key", "_limits")

    def __init__(self, connection: HTTPConnection) -> None:
        self._game_server: GameServer = game_server_of(connection)
        self._limits: Limits = site_of(connection).limits
        self._address = self._limits.address_of(connection)
        self._key = limit_key(self._address)

    async def find(self, game: str, actor: Actor, password: str | None) -> Room:
        """The room, if this person may be in it; raises Refusal, `too_fast` after too many failures.

        An address with no tries left still gets in wherever no password is asked: a guesser must not shut
        out the players behind the same address. Only passwords are then no longer looked at.
        """
        began = monotonic()
        lookups, cost = self._limits.lookups, _LOOKUP_COST if password is None else _PASSWORD_COST
        # Paid before anything is looked at. The other workers are told of failures only, which are seldom.
        wait = lookups.hold(self._key, cost)
        is_failed = True  # and so it is for whoever is cut off in the middle
        try:
            charge = partial(_charge_hash, self._limits, self._key, actor)
            asker = actor.id or self._address
            room = await admit(self._game_server, game, actor, None if wait else password, asker, charge)
            self._check(room)
            is_failed = False
            return room
        except Refusal as refusal:
            failure = self._failure(refusal)
            is_failed = failure is not None
            if failure is None:
                raise
            # A table that was put away is read from the log first, one that does not exist is not there to be
            # read: both are answered no sooner than either needs.
            await asyncio.sleep(max(0.0, _FAILURE_SECONDS - (monotonic() - began)))
            if wait:
                raise TooFast(wait) from None
            raise failure from None
        finally:
            if not wait:
                lookups.settle(self._key, cost, is_kept=is_failed)

    def _check(self, room: Room) -> None:
        """Raise NotAdmitted for a room that this kind of look-up must not find."""

    def _failure(self, refusal: Refusal) -> Refusal | None:
        """Return the answer to a look-up that counts as failed; None for any other refusal."""
        is_failed = isinstance(refusal, NotAdmitted) and refusal.code in _FAILURES
        return refusal if is_failed else None


class PublicRoomLookup(RoomLookup):
    """Finds the tables that any stranger with the link may watch.

    Locked tables, tables without spectators and unknown tables are refused with the same code, after the same time
    and at the same price.
    """

    __slots__ = ()

    async def find(self, game: str, actor: Actor, password: str | None) -> Room:
        """Return the room as a stranger finds it, whoever asks; raises NotAdmitted, `too_fast`, or `try_again`."""
        return await super().find(game, actor_of(None), None)

    def _check(self, room: Room) -> None:
        # Before the start such a table admits strangers, who may want to sit down; a frame or a picture cannot.
        if not room.table.terms.spectators:
            raise NotAdmitted("no_spectators")

    def _failure(self, refusal: Refusal) -> Refusal | None:
        return NotAdmitted("password_required") if isinstance(refusal, NotAdmitted) else None


def _charge_hash(limits: Limits, address: str, actor: Actor) -> None:
    """Charge a hash to the address and to the person, whether the password is right or wrong. Raises TooFast."""
    for key in (address, f"person {actor.id}") if actor.ids else (address,):
        wait = limits.work.wait(key, HASH_MS)
        if wait:
            raise TooFast(wait)


async def hash_table_password(connection: HTTPConnection, password: str, person: str) -> str:
    """Hash the password of a person's new table, charged to the address. Raises TooMany, or Refusal `too_fast`."""
    site_of(connection).limits.take_work(connection, HASH_MS)
    return await game_server_of(connection).passwords.hash(password, person)


async def find_room(connection: HTTPConnection, game: str, actor: Actor, password: str | None) -> Room:
    """The same for a single request."""
    return await RoomLookup(connection).find(game, actor, password)
