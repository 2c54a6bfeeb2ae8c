"""What people are called: rooms hold ids, and ask here for the names where they are shown.

Who a person is belongs to the people's side. It is asked in batches, once for all seats of a room that is loaded,
and what it said is kept for a while. Whoever is renamed or deleted is told to every worker (GameServer.renamed);
a worker that does not hear of it reads it from the people's tables (Maintenance), and old answers are asked for again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from app.play.ports import Clock, NamesOf

LIFE = 120_000  # milliseconds after which a name is asked again, or forgotten if no room needs it
MOST_ASKED = 500  # in one query


class Names:
    """The names one worker has asked for. None is somebody who is not there any more: deleted, or never was."""

    def __init__(self, ask: NamesOf | None, clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._known: dict[str, tuple[str | None, int]] = {}  # id → name, when it was asked

    def __len__(self) -> int:
        return len(self._known)

    def of(self, person: str | None) -> str | None:
        """As far as is known; `learn` comes before."""
        known = self._known.get(person) if person is not None else None
        return known[0] if known is not None else None

    def knows(self, people: Iterable[str]) -> bool:
        return all(person in self._known for person in people)

    def take(self, names: Mapping[str | None, str | None]) -> None:
        """What another query has just found."""
        now = self._clock.now()
        for person, name in names.items():
            if person is not None and person not in self._known:
                self._known[person] = name, now

    async def learn(self, people: Iterable[str]) -> None:
        """One query for all of these that are not known. Raises StoreUnavailable."""
        missing = [person for person in dict.fromkeys(people) if person not in self._known]
        if missing:
            await self._look_up(missing)

    async def _look_up(self, people: list[str]) -> set[str]:
        """Those who are called otherwise than was known."""
        changed: set[str] = set()
        for start in range(0, len(people), MOST_ASKED):
            asked, now = people[start : start + MOST_ASKED], self._clock.now()
            before = {person: self._known.get(person) for person in asked}
            found = await self._ask(asked) if self._ask is not None else {}
            for person in asked:
                known = self._known.get(person)
                if known is not before[person]:
                    continue  # news came meanwhile, and may be newer than this answer
                name = found.get(person)
                if known is not None and known[0] != name:
                    changed.add(person)
                self._known[person] = name, now
        return changed

    def changed(self, names: Mapping[str, str | None]) -> set[str]:
        """News of these people; those of them who were not known by this name here."""
        now = self._clock.now()
        different = {
            person for person in names if person not in self._known or self.of(person) != names[person]
        }
        for person, name in names.items():  # unknown ones too: an answer on its way may be older
            self._known[person] = name, now
        return different

    async def keep(self, needed: Collection[str]) -> set[str]:
        """Ask old names again, a batch at a time, and forget what no room needs; those who changed."""
        before = self._clock.now() - LIFE
        old = [person for person, (_, asked) in self._known.items() if asked < before]
        for person in old:
            if person not in needed:
                del self._known[person]
        return await self._look_up([person for person in old if person in needed][:MOST_ASKED])
