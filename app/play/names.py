"""Cache of people's names: rooms hold ids, and look names up when they show them.

Names are fetched in batches, one query for all seats of a room. Renamed and deleted people are published to every
worker (GameServer.on_renamed). A worker that misses that news reads it from the people's tables (Maintenance), and
cached names expire.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from app.play.ports import Clock, FetchNames

NAME_TTL_MS = 120_000  # then a name is fetched again, or dropped if no room needs it
MAX_NAMES_PER_QUERY = 500


class NameCache:
    """The names that one worker has fetched. None is the name of an unknown or deleted person."""

    def __init__(self, fetch_names: FetchNames | None, clock: Clock) -> None:
        self._fetch_names = fetch_names
        self._clock = clock
        self._known: dict[str, tuple[str | None, int]] = {}  # id → name, when it was fetched

    def __len__(self) -> int:
        return len(self._known)

    def get(self, person: str | None) -> str | None:
        """Return the cached name; call `fetch_missing` before."""
        known = self._known.get(person) if person is not None else None
        return known[0] if known is not None else None

    def has_all(self, people: Iterable[str]) -> bool:
        return all(person in self._known for person in people)

    def add(self, names: Mapping[str | None, str | None]) -> None:
        """Add names that another query has just found, unless they are cached."""
        now = self._clock.now()
        for person, name in names.items():
            if person is not None and person not in self._known:
                self._known[person] = name, now

    async def fetch_missing(self, people: Iterable[str]) -> None:
        """Fetch the names that are not cached. Raises StoreUnavailable."""
        missing = [person for person in dict.fromkeys(people) if person not in self._known]
        if missing:
            await self._fetch(missing)

    async def _fetch(self, people: list[str]) -> set[str]:
        """Fetch names and return the people whose cached name was different."""
        changed: set[str] = set()
        for start in range(0, len(people), MAX_NAMES_PER_QUERY):
            batch, now = people[start : start + MAX_NAMES_PER_QUERY], self._clock.now()
            before = {person: self._known.get(person) for person in batch}
            found = await self._fetch_names(batch) if self._fetch_names is not None else {}
            for person in batch:
                known = self._known.get(person)
                if known is not before[person]:
                    continue  # news arrived meanwhile, and may be newer than this result
                name = found.get(person)
                if known is not None and known[0] != name:
                    changed.add(person)
                self._known[person] = name, now
        return changed

    def update(self, names: Mapping[str, str | None]) -> set[str]:
        """Store the new names of these people; return those whose cached name was different or missing."""
        now = self._clock.now()
        different = {
            person for person in names if person not in self._known or self.get(person) != names[person]
        }
        for person, name in names.items():  # also if not cached: a query in progress may return an older name
            self._known[person] = name, now
        return different

    async def refresh(self, needed: Collection[str]) -> set[str]:
        """Drop expired names that no room needs and fetch a batch of the others; return people whose name changed."""
        before = self._clock.now() - NAME_TTL_MS
        old = [person for person, (_, fetched_at) in self._known.items() if fetched_at < before]
        for person in old:
            if person not in needed:
                del self._known[person]
        return await self._fetch([person for person in old if person in needed][:MAX_NAMES_PER_QUERY])
