"""Who is here, by the server's truth: people with a socket in any worker, and when they last did something."""

from __future__ import annotations

from typing import Any

from app.play import frames
from app.play.log.table import Table
from app.play.room.pace import Paces

PRESENCE_LEASE = 30_000  # another worker's word counts this long; it repeats it every third of that


class Presence:
    """Of one room. A person is named by id; spectators without a session only count."""

    __slots__ = ("_active", "_elsewhere", "_here", "began", "changes", "emptied", "nameless", "paces")

    def __init__(self, now: int) -> None:
        self.began = now  # a room that was just loaded knows nothing of before: nobody is blamed for that
        self.nameless = 0
        self.emptied = 0  # when somebody last went
        self.changes = 0  # how often somebody came or went
        self.paces = Paces()
        self._here: dict[str, int] = {}  # person → sockets in this worker
        self._active: dict[str, int] = {}  # person → when last seen doing something, or leaving
        # worker → (good until, people, nameless)
        self._elsewhere: dict[str, tuple[int, dict[str, int], int]] = {}

    def connected(self, person: str, now: int) -> bool:
        """A socket opened; True when the person was not here before."""
        self.changes += 1
        if not person:
            self.nameless += 1
            return False
        self._here[person] = self._here.get(person, 0) + 1
        self._active[person] = now
        return self._here[person] == 1

    def disconnected(self, person: str, now: int) -> bool:
        """A socket closed; True when it was the person's last in this worker."""
        self.changes += 1
        self.emptied = now
        if not person:
            self.nameless -= 1
            return False
        self._here[person] -= 1
        self._active[person] = now
        if self._here[person]:
            return False
        del self._here[person]
        return True

    def forget_person(self, person: str) -> None:
        """Nobody will ask when this person, who is gone, was last here."""
        self._active.pop(person, None)

    def renamed(self, old: str, new: str) -> None:
        """One socket's person is known here by another id now."""
        active = self._active[old]
        self.disconnected(old, active)
        self.connected(new, active)

    def mark_active(self, person: str, now: int) -> None:
        """The person did something."""
        if person:
            self._active[person] = now

    def heard_from(self, worker: str, body: dict[str, Any], now: int) -> None:
        """Another worker says who is there."""
        self.changes += 1
        self.paces.heard(body.get("paces", {}))
        if body["people"] or body["nameless"]:
            self._elsewhere[worker] = (now + PRESENCE_LEASE, body["people"], body["nameless"])
        elif self._elsewhere.pop(worker, None) is not None:
            self.emptied = now
        for person, active in body["people"].items():
            self._active[person] = max(active, self._active.get(person, 0))

    def as_news(self) -> dict[str, Any]:
        """What this worker tells the others."""
        return {
            "people": {person: self._active[person] for person in self._here},
            "nameless": self.nameless,
            "paces": self.paces.as_news(self._here),
        }

    def left_at(self, person: str) -> int:
        """When the person was last seen, or when this worker began to look."""
        return self._active.get(person, self.began)

    def forget(self, now: int) -> bool:
        """Drop other workers' words that ran out; whether there were any."""
        over = [worker for worker, (until, _, _) in self._elsewhere.items() if until <= now]
        for worker in over:
            self.emptied = max(self.emptied, self._elsewhere.pop(worker)[0])
        return bool(over)

    def is_here(self, person: str | None, now: int) -> bool:
        """Whether the person has a socket anywhere."""
        if person is None:
            return False
        return person in self._here or any(
            person in people for until, people, _ in self._elsewhere.values() if until > now
        )

    def has_been_here(self, person: str | None, since: int, now: int) -> bool:
        """Return whether the person has had a socket anywhere since then, as far as this worker knows."""
        return person is not None and (self._active.get(person, 0) >= since or self.is_here(person, now))

    def are_here(self, table: Table) -> bool:
        """Whether whoever is to act has a socket in this worker: the short question."""
        here = self._here
        for seat in table.to_act:  # noqa: SIM110  # asked at every turn, where a generator costs as much again
            if table.seats[seat].person not in here:
                return False
        return True

    def present_seats(self, table: Table, now: int) -> set[int]:
        """Seats whose person is here."""
        return {number for number, seat in enumerate(table.seats) if self.is_here(seat.person, now)}

    def watching(self, table: Table, now: int) -> int:
        """How many are here without a seat."""
        people = set(self._here)
        nameless = self.nameless
        for until, others, count in self._elsewhere.values():
            if until > now:
                people |= set(others)
                nameless += count
        return len(people - {seat.person for seat in table.seats if seat.person}) + nameless

    def is_deserted(self, now: int) -> bool:
        """Nobody is here, in no worker."""
        return (
            not self._here
            and not self.nameless
            and all(until <= now for until, _, _ in self._elsewhere.values())
        )

    def absent_at(self, table: Table, seat: int) -> int | None:
        """When this seat, if it stays as it is, counts as absent; None when it cannot."""
        place, terms = table.seats[seat], table.terms
        if not terms.absence or terms.clock.kind == "days" or table.is_paused:
            return None  # by correspondence people are away as a rule; the deadline is all there is
        if place.person is None or place.bot is not None or place.absent or seat not in table.to_act:
            return None
        active, since = self._active.get(place.person, self.began), table.acts_since
        return (active if active > since else since) + 1000 * terms.absence

    def away(self, table: Table, now: int) -> dict[str, int]:
        """Seats to show a countdown for: gone, or idle for more than half of the time."""
        shown = {}
        for seat in table.to_act:
            until = self.absent_at(table, seat)
            if until is not None:
                is_idle = until - now < 500 * table.terms.absence
                if is_idle or not self.is_here(table.seats[seat].person, now):
                    shown[str(seat)] = until
        return shown

    def shown(self, table: Table, now: int) -> frames.Presence:
        """What everybody is told of it."""
        present = self.present_seats(table, now)
        seats = [
            number in present if seat.person is not None else None for number, seat in enumerate(table.seats)
        ]
        return frames.Presence(seats=seats, watching=self.watching(table, now), away=self.away(table, now))
