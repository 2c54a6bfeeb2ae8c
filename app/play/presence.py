"""Presence in a room: people with a socket in any worker, and when each of them last did something."""

from __future__ import annotations

from typing import Any

from app.play import frames
from app.play.bot_pace import PaceSettings
from app.play.log.table import Table

# A connected player may think this long without touching the page, or longer (`absence`).
MIN_IDLE_MS = 5 * 60_000
COUNTDOWN_MS = 60_000  # how long before its end the countdown of a connected player is shown
PRESENCE_LEASE_MS = 30_000  # how long another worker's news is valid; it is repeated three times as often


class Presence:
    """The presence of one room. People are ids; sockets without a session are only counted."""

    __slots__ = (
        "_active",
        "_elsewhere",
        "_here",
        "change_count",
        "known_since",
        "last_left_at",
        "pace_settings",
        "players_seen_at",
        "screen_sockets",
        "unnamed_sockets",
    )

    def __init__(self, now: int) -> None:
        self.known_since = now  # a room knows nothing of the time before it was loaded
        self.unnamed_sockets = 0
        self.screen_sockets = 0  # of the unnamed ones: they show the game to a room and are no spectators
        self.last_left_at = 0
        self.players_seen_at = 0  # when one of the players had last used the site before the room was loaded
        self.change_count = 0
        self.pace_settings = PaceSettings()
        self._here: dict[str, int] = {}  # person → sockets in this worker
        self._active: dict[str, int] = {}  # person → when they last did something, or left
        # worker → (valid until, person → when last active, unnamed sockets of spectators)
        self._elsewhere: dict[str, tuple[int, dict[str, int], int]] = {}

    def add_socket(self, person: str, now: int, *, is_screen: bool = False) -> bool:
        """Count a new socket; return True if it is the person's first in this worker."""
        self.change_count += 1
        self.screen_sockets += is_screen
        if not person:
            self.unnamed_sockets += 1
            return False
        self._here[person] = self._here.get(person, 0) + 1
        self._active[person] = now
        return self._here[person] == 1

    def remove_socket(self, person: str, now: int, *, is_screen: bool = False) -> bool:
        """Count a closed socket; return True if it was the person's last in this worker."""
        self.change_count += 1
        self.screen_sockets -= is_screen
        self.last_left_at = now
        if not person:
            self.unnamed_sockets -= 1
            return False
        self._here[person] -= 1
        self._active[person] = now
        if self._here[person]:
            return False
        del self._here[person]
        return True

    def forget_person(self, person: str) -> None:
        """Drop the activity of a person who has left and has no seat."""
        self._active.pop(person, None)

    def move_socket(self, old: str, new: str) -> None:
        """Count one socket under another id of the same person."""
        active = self._active[old]
        self.remove_socket(old, active)
        self.add_socket(new, active)

    def mark_active(self, person: str, now: int) -> None:
        """Record that the person has just done something."""
        if person:
            self._active[person] = now

    def merge_news(self, worker: str, body: dict[str, Any], now: int) -> None:
        """Replace what is known of another worker's sockets."""
        self.change_count += 1
        self.pace_settings.merge_news(body["paces"])
        before = self._elsewhere[worker][1] if worker in self._elsewhere else {}
        self._extend_activity(dict.fromkeys(before.keys() - body["people"].keys(), now))  # they have left
        if body["people"] or body["nameless"]:
            spectators = body["nameless"] - body.get("screens", 0)  # absent from older workers
            self._elsewhere[worker] = (now + PRESENCE_LEASE_MS, body["people"], spectators)
        elif self._elsewhere.pop(worker, None) is not None:
            self.last_left_at = now
        self._extend_activity(body["people"])

    def to_news(self) -> dict[str, Any]:
        """Return this worker's sockets, for the other workers."""
        return {
            "people": {person: self._active[person] for person in self._here},
            "nameless": self.unnamed_sockets,
            "screens": self.screen_sockets,
            "paces": self.pace_settings.to_news(self._here),
        }

    def last_seen_at(self, person: str) -> int:
        """Return when the person was last active; if unknown, when the room was loaded."""
        return self._active.get(person, self.known_since)

    def drop_expired(self, now: int) -> bool:
        """Drop expired news of other workers; return whether there was any."""
        over = [worker for worker, (until, _, _) in self._elsewhere.items() if until <= now]
        for worker in over:
            until, people, _ = self._elsewhere.pop(worker)
            self.last_left_at = max(self.last_left_at, until)
            self._extend_activity(dict.fromkeys(people, until))
        return bool(over)

    def _extend_activity(self, people: dict[str, int]) -> None:
        """Record when these people were active or left in another worker, unless a later time is known."""
        for person, at in people.items():
            self._active[person] = max(at, self._active.get(person, 0))

    def is_present(self, person: str | None, now: int) -> bool:
        """Return whether the person has a socket in any worker."""
        if person is None:
            return False
        return person in self._here or any(
            person in people for until, people, _ in self._elsewhere.values() if until > now
        )

    def was_present_since(self, person: str | None, since: int, now: int) -> bool:
        """Return whether the person has had a socket in any worker since then, as far as this worker knows."""
        return person is not None and (self._active.get(person, 0) >= since or self.is_present(person, now))

    def are_seats_to_act_here(self, table: Table) -> bool:
        """Return whether all players to act have a socket in this worker; a quick check."""
        here = self._here
        for seat in table.to_act:  # noqa: SIM110  # on the hot path, where a generator would double the cost
            if table.seats[seat].person not in here:
                return False
        return True

    def list_present_seats(self, table: Table, now: int) -> set[int]:
        """Return the seats whose person is present."""
        return {number for number, seat in enumerate(table.seats) if self.is_present(seat.person, now)}

    def count_spectators(self, table: Table, now: int) -> int:
        """Return the number of spectators in all workers, without big screens."""
        people = set(self._here)
        nameless = self.unnamed_sockets - self.screen_sockets
        for until, others, count in self._elsewhere.values():
            if until > now:
                people |= set(others)
                nameless += count
        return len(people - {seat.person for seat in table.seats if seat.person}) + nameless

    def last_sign_at(self) -> int:
        """Return when a client last left or a person last did something, as far as this worker knows."""
        return max(self.known_since, self.last_left_at, *self._active.values())

    def is_deserted(self, now: int) -> bool:
        """Return whether the room has no socket in any worker."""
        return (
            not self._here
            and not self.unnamed_sockets
            and all(until <= now for until, _, _ in self._elsewhere.values())
        )

    def absence_due_at(self, table: Table, seat: int, now: int) -> int | None:
        """Return when this seat counts as absent unless its player acts; None if it cannot be absent now.

        A player who is connected and has used the page recently is thinking, not absent.
        """
        place, terms = table.seats[seat], table.terms
        if not terms.absence or terms.clock.is_correspondence or table.is_paused:
            return None  # by correspondence only the deadline counts
        if place.person is None or place.bot is not None or place.absent or seat not in table.to_act:
            return None
        active, since = self._active.get(place.person, self.known_since), table.acts_since
        wait = 1000 * terms.absence
        if wait < MIN_IDLE_MS and self.is_present(place.person, now):
            wait = MIN_IDLE_MS
        return (active if active > since else since) + wait

    def earliest_absence_at(self, table: Table) -> int:
        """Return a time before which no seat to act can count as absent. A quick check that knows only this worker."""
        wait = 1000 * table.terms.absence
        is_longer = wait < MIN_IDLE_MS and self.are_seats_to_act_here(table)
        return table.acts_since + (MIN_IDLE_MS if is_longer else wait)

    def list_countdowns(self, table: Table, now: int) -> dict[str, int]:
        """Return the end of the countdown for each seat that is away, or has been idle for nearly all of its time."""
        countdowns = {}
        for seat in table.to_act:
            until = self.absence_due_at(table, seat, now)
            if until is not None and (
                until - now <= COUNTDOWN_MS or not self.is_present(table.seats[seat].person, now)
            ):
                countdowns[str(seat)] = until
        return countdowns

    def to_frame(self, table: Table, now: int) -> frames.Presence:
        """Return the public presence."""
        present = self.list_present_seats(table, now)
        seats = [
            number in present if seat.person is not None else None for number, seat in enumerate(table.seats)
        ]
        return frames.Presence(
            seats=seats, watching=self.count_spectators(table, now), away=self.list_countdowns(table, now)
        )
