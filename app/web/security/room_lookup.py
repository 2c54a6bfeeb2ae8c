"""Finding a table by its id, with a limit on failed look-ups of locked and unknown tables."""

from __future__ import annotations

import asyncio
from functools import partial
from time import monotonic

from starlette.requests import HTTPConnection

from app.play.join import admit
from app.play.log.terms import HASH_CHARGE_MS
from app.play.ports import Actor
from app.play.refusals import NotAdmitted, Refusal
from app.play.room.room import Room
from app.play.server import GameServer
from app.web.errors import TooFast
from app.web.game_server import actor_of, game_server_of
from app.web.security.address import limit_key
from app.web.security.limits import Limits
from app.web.site import site_of

# A visitor to a locked table fails once before being asked for the password; a guesser fails every time.
_LOOKUP_COST = 1.0
_PASSWORD_COST = 10.0
_FAILURE_CODES = ("password_required", "password_wrong")
_MIN_FAILURE_SECONDS = 0.05


class RoomLookup:
    """Finds tables for one client address. A socket keeps this object instead of the whole request."""

    __slots__ = ("_address", "_game_server", "_key", "_limits")

    def __init__(self, connection: HTTPConnection) -> None:
        self._game_server: GameServer = game_server_of(connection)
        self._limits: Limits = site_of(connection).limits
        self._address = self._limits.address_of(connection)
        self._key = limit_key(self._address)

    async def find(self, game: str, actor: Actor, password: str | None) -> Room:
        """Return the room if this person may enter it. Raise Refusal, with `too_fast` after too many failures.

        Beyond the limit, passwords are no longer checked, but tables that need none still open: a guesser must not
        lock out players behind the same address.
        """
        began = monotonic()
        lookups, cost = self._limits.lookups, _LOOKUP_COST if password is None else _PASSWORD_COST
        # Charged before anything is read. Other workers learn only of failures, which are rare.
        wait = lookups.take_unannounced(self._key, cost)
        is_failed = True  # a cancelled look-up counts as failed
        try:
            charge = partial(_charge_hash, self._limits, self._key, actor)
            asker = actor.id or self._address
            room = await admit(self._game_server, game, actor, None if wait else password, asker, charge)
            self._check_room(room)
            is_failed = False
            return room
        except Refusal as refusal:
            failure = self._failure_for(refusal)
            is_failed = failure is not None
            if failure is None:
                raise
            # An unloaded table is first read from the log, an unknown one is not. A minimum time hides the difference.
            await asyncio.sleep(max(0.0, _MIN_FAILURE_SECONDS - (monotonic() - began)))
            if wait:
                raise TooFast(wait) from None
            raise failure from None
        finally:
            if not wait:
                lookups.settle(self._key, cost, is_kept=is_failed)

    def _check_room(self, room: Room) -> None:
        """Raise NotAdmitted for a room that this kind of look-up must not find."""

    def _failure_for(self, refusal: Refusal) -> Refusal | None:
        """Return the refusal to answer with if the look-up counts as failed; None for any other refusal."""
        is_failed = isinstance(refusal, NotAdmitted) and refusal.code in _FAILURE_CODES
        return refusal if is_failed else None


class PublicRoomLookup(RoomLookup):
    """Finds tables that anyone with the link may watch.

    Locked tables, tables without spectators and unknown tables get the same code, after the same time and at the same
    price.
    """

    __slots__ = ()

    async def find(self, game: str, actor: Actor, password: str | None) -> Room:
        """Return the room as a stranger would find it. Raise NotAdmitted, or Refusal `too_fast` or `try_again`."""
        return await super().find(game, actor_of(None), None)

    def _check_room(self, room: Room) -> None:
        # Before the start such a table admits strangers, who may sit down. An embedded frame or a picture cannot.
        if not room.table.terms.spectators:
            raise NotAdmitted("no_spectators")

    def _failure_for(self, refusal: Refusal) -> Refusal | None:
        return NotAdmitted("password_required") if isinstance(refusal, NotAdmitted) else None


def _charge_hash(limits: Limits, address: str, actor: Actor) -> None:
    """Charge a password hash to the address and to the person. Raise TooFast."""
    for key in (address, f"person {actor.id}") if actor.ids else (address,):
        wait = limits.work.try_take(key, HASH_CHARGE_MS)
        if wait:
            raise TooFast(wait)


async def hash_table_password(connection: HTTPConnection, password: str, person: str) -> str:
    """Hash the password of a person's new table, charged to the address. Raise TooMany, or Refusal `too_fast`."""
    site_of(connection).limits.take_work(connection, HASH_CHARGE_MS)
    return await game_server_of(connection).passwords.hash(password, person)


async def find_room(connection: HTTPConnection, game: str, actor: Actor, password: str | None) -> Room:
    """Find a room for a single request; see `RoomLookup.find`."""
    return await RoomLookup(connection).find(game, actor, password)
