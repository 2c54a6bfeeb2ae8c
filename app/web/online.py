"""Which accounts are online: they have an open socket in any worker, or have sent a request in the last moments.

Each worker counts its own people and follows a topic of the bus for each of them, so every worker knows who is online
elsewhere without a query. A worker that dies is noticed by the bus within seconds. Without Redis, people on other
workers appear offline.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from itertools import takewhile
from typing import Protocol

from app.play.ports import StoreUnavailable

LINGER_SECONDS = 40  # after the last request or socket; longer than changing from one page to another takes
SWEEP_SECONDS = 10.0  # how often people who have left are looked for
_MAX_RECORDED_AT_ONCE = 500


class Topics(Protocol):
    """The part of the bus that is used here."""

    def follow(self, topic: str) -> None: ...
    def unfollow(self, topic: str) -> None: ...
    def is_followed(self, topic: str) -> bool: ...


class OnlinePeople:
    """The accounts that are online in this worker, and through the bus those in other workers."""

    def __init__(
        self, clock: Callable[[], int], record_seen: Callable[[Collection[str], int], Awaitable[None]]
    ) -> None:
        self._clock = clock
        self._record_seen = record_seen
        self._topics: Topics | None = None  # set before the first request is served
        self._sockets: dict[str, int] = {}  # account → open sockets
        self._until: dict[str, int] = {}  # account → when it lingers no more; the earliest comes first
        self._to_record: set[str] = set()  # came or left since the last sweep

    def use_topics(self, topics: Topics) -> None:
        """Announce people on this bus from now on."""
        self._topics = topics

    def __len__(self) -> int:
        return len(self._sockets.keys() | self._until.keys())

    def note_request(self, person: str) -> None:
        """Count a request of this account."""
        if not self._is_here(person):
            self._arrive(person)
        self._until.pop(person, None)  # so that the dictionary stays ordered by time
        self._until[person] = self._clock() + LINGER_SECONDS

    def open_socket(self, person: str) -> None:
        """Count an open socket of this account."""
        if not self._is_here(person):
            self._arrive(person)
        self._sockets[person] = self._sockets.get(person, 0) + 1

    def close_socket(self, person: str) -> None:
        """Stop counting a socket."""
        self._sockets[person] -= 1
        if not self._sockets[person]:
            self.note_request(person)  # the next page may open another one
            del self._sockets[person]

    def is_online(self, person: str) -> bool:
        """Return whether this account is online in any worker."""
        return self._is_here(person) or (
            self._topics is not None and self._topics.is_followed(_topic_of(person))
        )

    async def sweep(self) -> None:
        """Find the people who have left, and store when those who came or left were seen."""
        now = self._clock()
        for person in list(takewhile(lambda key: self._until[key] <= now, self._until)):
            del self._until[person]
            if person not in self._sockets:
                self._to_record.add(person)
                if self._topics is not None:
                    self._topics.unfollow(_topic_of(person))
        await self._record(now)

    async def close(self) -> None:
        """Store that everyone who is online was seen just now."""
        self._to_record |= self._sockets.keys() | self._until.keys()
        with suppress(StoreUnavailable):  # then the time of their arrival stays
            await self._record(self._clock())

    async def _record(self, now: int) -> None:
        while self._to_record:
            batch = sorted(self._to_record)[:_MAX_RECORDED_AT_ONCE]
            await self._record_seen(batch, now)
            self._to_record.difference_update(batch)

    def _is_here(self, person: str) -> bool:
        return person in self._sockets or person in self._until

    def _arrive(self, person: str) -> None:
        self._to_record.add(person)
        if self._topics is not None:
            self._topics.follow(_topic_of(person))


def _topic_of(person: str) -> str:
    return f"online:{person}"
