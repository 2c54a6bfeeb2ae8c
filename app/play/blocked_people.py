"""Blocks between people in rooms and lobbies: who may sit down together, and whose lines and tables are shown.

A block hides chat lines and listed tables from the person who blocks. The blocked person sees no difference until they
try to sit down.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.play.context import Context
from app.play.lobby import Lobby
from app.play.lobby_clients import NO_PEOPLE
from app.play.log.table import Table
from app.play.ports import Actor, FetchBlocked, HasBlocked
from app.play.refusals import Refusal
from app.play.room.rooms import Rooms


class BlockedPeople:
    """The blocks of one worker's clients, read from the store through the ports."""

    def __init__(
        self, context: Context, rooms: Rooms, lobby: Lobby, has: HasBlocked | None, fetch: FetchBlocked | None
    ) -> None:
        self._context = context
        self._rooms = rooms
        self._lobby = lobby
        self.has_blocked = has
        self.fetch_blocked = fetch
        self._change_count = 0

    async def read(self, actor: Actor) -> frozenset[str]:
        """Return all ids of the people that this person has blocked. Raises StoreUnavailable."""
        if self.fetch_blocked is None or not actor.ids:
            return NO_PEOPLE
        while True:
            changes = self._change_count
            blocked = await self.fetch_blocked(actor.ids)
            if (
                self._change_count == changes
            ):  # otherwise the answer may be older than a change that was applied
                return blocked or NO_PEOPLE

    async def require_welcome(self, table: Table, actor: Actor, checked: Iterable[str] = ()) -> list[str]:
        """Return the other people at the table; raise Refusal if one of them has blocked this person.

        Those in `checked` have not.
        """
        others = list_other_players(table, actor)
        unchecked = set(others).difference(checked)
        if self.has_blocked is not None and unchecked and await self.has_blocked(actor, sorted(unchecked)):
            raise Refusal("blocked")
        return others

    async def has_between(self, table: Table, actor: Actor) -> bool:
        """Return whether this person has blocked a player at the table, or a player has blocked them."""
        others = list_other_players(table, actor)
        if self.has_blocked is None or not others or not actor.ids:
            return False
        return await self.has_blocked(actor, others) or await self.has_blocked(
            Actor(tuple(others), ""), actor.ids
        )

    def change(self, person: str, blocked: Sequence[str]) -> None:
        """Apply the new list of people whom a person has blocked, in every worker."""
        self.apply(person, frozenset(blocked))
        self._context.publish("blocked", person, sorted(blocked))

    def apply(self, person: str, blocked: frozenset[str]) -> None:
        """Apply the list to all sockets of this person in this worker."""
        self._change_count += 1
        for room in self._rooms:
            for subscriber in room.subscribers:
                if subscriber.actor.id == person:
                    subscriber.blocked = blocked or NO_PEOPLE
        self._lobby.apply_blocks(person, blocked or NO_PEOPLE)


def list_other_players(table: Table, actor: Actor) -> list[str]:
    """Return the people at the table who are not the actor."""
    return [seat.person for seat in table.seats if seat.person and seat.person not in actor.ids]
