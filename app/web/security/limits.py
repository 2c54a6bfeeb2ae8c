"""How much anybody may do: token buckets by address and by person, sockets held.

A bucket fills at a rate and holds a burst, so that fifty people behind one address can all load a page
at once and nobody can keep that up. What is counted by the hour guards secrets and people's patience
(log-ins, codes, guests, mails, reports) and is counted in all workers together: each tells the others.
What is counted by the second (requests, writes, frames) and sockets guard a process against being kept
busy, so each process counts its own; telling would cost more than what it counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from sys import intern

from starlette.requests import HTTPConnection

from app.play.ports import StoreUnavailable
from app.settings import Settings
from app.web.errors import TooMany
from app.web.security.address import client_address, limit_key

__all__ = ["Attempt", "Bucket", "Buckets", "Limits", "SocketQuota"]

_FILE_COST = 0.05
_KEYS = 50_000  # remembered keys a kind; the longest untouched are forgotten first


@dataclass(slots=True)
class Bucket:
    """So many tokens, so many more each second, never above the burst."""

    rate: float
    burst: float
    tokens: float
    at: float

    def take(self, now: float, cost: float = 1.0) -> float:
        """0 when taken, else the seconds to wait for it (and nothing was taken)."""
        tokens = self.tokens
        if now > self.at:
            tokens += (now - self.at) * self.rate
            if tokens > self.burst:
                tokens = self.burst
        self.at = now
        if tokens >= cost:
            self.tokens = tokens - cost
            return 0.0
        self.tokens = tokens
        return (cost - tokens) / self.rate

    def owe(self, now: float, cost: float) -> float:
        """Takes even what is not there; the seconds until nothing is owed."""
        if self.take(now, cost) == 0.0:
            return 0.0
        self.tokens -= cost
        return max(0.0, -self.tokens / self.rate)


class Buckets:
    """One bucket a key; keys that were not used for long are forgotten."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._of: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str, cost: float = 1.0) -> None:
        """Takes, or raises TooMany."""
        wait = self.wait(key, cost)
        if wait:
            raise TooMany(wait)

    def wait(self, key: str, cost: float = 1.0) -> float:
        """0 when taken, else the seconds to wait (and nothing was taken)."""
        return self._bucket(key).take(self._clock(), cost)

    def give_back(self, key: str, cost: float = 1.0) -> None:
        """What was taken for something that need not be paid for."""
        bucket = self._bucket(key)
        bucket.tokens = min(bucket.burst, bucket.tokens + cost)

    def of(self, key: str) -> Bucket:
        """The bucket of a key, to hold on to."""
        return self._bucket(key)

    def _bucket(self, key: str) -> Bucket:
        bucket = self._of.get(key)
        if bucket is None:
            if len(self._of) >= _KEYS:
                self._of.popitem(last=False)
            bucket = self._of[key] = Bucket(self.rate, self.burst, self.burst, self._clock())
        else:
            self._of.move_to_end(key)
        return bucket


class _Hourly(Buckets):
    """Counted by the hour, and in all workers; keys are kept and told as digests: some are e-mail addresses."""

    def __init__(self, number: int, clock: Callable[[], float], burst: int | None = None) -> None:
        super().__init__(number / 3600, number if burst is None else burst, clock)
        self.tell: Callable[[str, float], None] | None = None

    def wait(self, key: str, cost: float = 1.0) -> float:
        wait = super().wait(key, cost)
        if not wait and self.tell is not None:
            self.tell(_digest(key), cost)
        return wait

    def give_back(self, key: str, cost: float = 1.0) -> None:
        super().give_back(key, cost)
        if self.tell is not None:
            self.tell(_digest(key), -cost)

    def hold(self, key: str, cost: float) -> float:
        """As `wait`, but the others are told only by `settle`: for what is nearly always given back."""
        return super().wait(key, cost)

    def settle(self, key: str, cost: float, *, is_kept: bool) -> None:
        """What was held is spent, or given back."""
        if not is_kept:
            super().give_back(key, cost)
        elif self.tell is not None:
            self.tell(_digest(key), cost)

    def taken_elsewhere(self, digest: str, cost: float) -> None:
        """Another worker has let somebody take (or given back): here as well, as far as there is any."""
        bucket = super()._bucket(digest)
        bucket.take(self._clock(), 0.0)
        bucket.tokens = min(bucket.burst, max(0.0, bucket.tokens - cost))

    def _bucket(self, key: str) -> Bucket:
        return super()._bucket(_digest(key))


def _digest(key: str) -> str:
    return blake2b(key.encode(), digest_size=12).hexdigest()


class Attempt:
    """What a try costs, taken before it is made; as a context, what a right one takes is given back.

    Checked first and charged afterwards, any number at once would find the limit not yet reached.
    Whoever is cut off in the middle has paid.
    """

    def __init__(self, *costs: tuple[Buckets, str, float]) -> None:
        """Takes all, or raises TooMany and has taken nothing."""
        self._taken: list[tuple[Buckets, str, float]] = []
        for buckets, key, cost in costs:
            wait = buckets.wait(key, cost)
            if wait:
                self.give_back()
                raise TooMany(wait)
            self._taken.append((buckets, key, cost))

    def give_back(self) -> None:
        """It was a right one, or was not made at all; again is no harm."""
        for buckets, key, cost in self._taken:
            buckets.give_back(key, cost)
        self._taken.clear()

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or issubclass(kind, (TooMany, StoreUnavailable)):
            self.give_back()


class Limits:
    """All limits of one app, with its settings and its clock (monotonic seconds)."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self.settings = settings
        self.clock = clock
        self.requests = Buckets(settings.requests_per_second, settings.requests_burst, clock)
        # A tenth or so of a core for each address that asks for what has to be worked out.
        self.work = Buckets(settings.requests_per_second * 5, settings.requests_burst * 5, clock)
        self.writes = Buckets(settings.writes_per_second, settings.writes_burst, clock)
        self.guests = _Hourly(settings.guests_per_hour, clock)
        self.logins = _Hourly(settings.logins_per_hour, clock)
        self.logins_by_name = _Hourly(settings.logins_per_hour * 10, clock)
        self.logins_by_address = _Hourly(settings.logins_per_hour * 6, clock)
        self.right_logins = _Hourly(settings.logins_per_hour * 3, clock)
        self.right_logins_by_address = _Hourly(settings.logins_per_hour * 30, clock)
        self.codes = _Hourly(settings.codes_per_hour, clock)
        self.lookups = _Hourly(settings.lookups_per_hour, clock)
        self.reports = _Hourly(10, clock)
        self.mails = _Hourly(5, clock)
        self.mails_by_address = _Hourly(30, clock)
        self.confirmations = _Hourly(10, clock)
        self.reviews = _Hourly(30, clock, burst=5)
        self.reviews_by_address = _Hourly(300, clock, burst=30)
        # A person may have a few busy sockets, an address a whole club of people.
        rate, burst = settings.frames_per_second, settings.frames_burst
        self.frames_by_person = Buckets(rate * 3, burst * 3, clock)
        self.frames_by_address = Buckets(rate * 50, burst * 50, clock)
        self._shared = {name: buckets for name, buckets in vars(self).items() if isinstance(buckets, _Hourly)}
        self._by_address: dict[str, int] = {}
        self._by_person: dict[str, int] = {}

    def share(self, tell: Callable[[str, tuple[str, float]], None]) -> None:
        """From now on the other workers are told what counts for all: the limit's name, whose and how much."""

        def told_as(name: str) -> Callable[[str, float], None]:
            return lambda digest, cost: tell(name, (digest, cost))

        for name, buckets in self._shared.items():
            buckets.tell = told_as(name)

    def counted_elsewhere(self, name: str, what: tuple[str, float]) -> None:
        """Another worker's word; a newer release's may be of a limit that this one does not have."""
        if name in self._shared:
            self._shared[name].taken_elsewhere(*what)

    def key_of(self, connection: HTTPConnection) -> str:
        """What this connection's address is counted under."""
        # One text an address: as many sockets as it has keep it.
        return intern(limit_key(client_address(connection, self.settings)))

    def address_of(self, connection: HTTPConnection) -> str:
        """The whole address: what bans name."""
        return intern(client_address(connection, self.settings))

    def take_request(self, connection: HTTPConnection) -> None:
        """One request of an address; raises TooMany."""
        # A first visit fetches some eighty small files: fifty people who open a table together, behind one
        # address, must not shut each other out.
        cost = _FILE_COST if connection.url.path.startswith(("/static/", "/lang/")) else 1.0
        self.requests.take(self.key_of(connection), cost)

    def take_work(self, connection: HTTPConnection, milliseconds: float) -> None:
        """Work that one request makes, by its weight, before it is begun; raises TooMany."""
        self.work.take(self.key_of(connection), min(milliseconds, self.work.burst))

    def take_write(self, person: str) -> None:
        """One write of a person; raises TooMany."""
        self.writes.take(person)

    def take_review(self, connection: HTTPConnection, person: str | None) -> Attempt:
        """Counts a review that has to be made, which costs seconds of a bot's process; raises TooMany."""
        address = self.key_of(connection)
        # Whoever has not said who they are shares the small bucket of the address.
        return Attempt((self.reviews, person or address, 1.0), (self.reviews_by_address, address, 1.0))

    def take_guest(self, connection: HTTPConnection) -> None:
        """One new guest of an address; raises TooMany."""
        self.guests.take(self.key_of(connection))

    def login(self, login: str, address: str) -> Attempt:
        """A log-in, paid as a wrong one whether or not the name exists; raises TooMany.

        The first bucket is small; the one of the name alone is ten times as large, so that a stranger
        cannot easily keep the owner out by failing on purpose.
        """
        return Attempt(
            (self.logins, f"{login} {address}", 1.0),
            (self.logins_by_name, login, 1.0),
            (self.logins_by_address, address, 1.0),
        )

    def right_login(self, login: str, address: str) -> Attempt:
        """The same log-in paid as a right one, which costs as much work; given back when it is wrong."""
        return Attempt((self.right_logins, login, 1.0), (self.right_logins_by_address, address, 1.0))

    def code(self, address: str, *more: tuple[Buckets, str, float]) -> Attempt:
        """A code that somebody typed; raises TooMany."""
        return Attempt((self.codes, address, 1.0), *more)

    def socket(self, connection: HTTPConnection, person: str | None) -> SocketQuota:
        """One more socket of an address and a person, theirs until it is released; raises TooMany at the limit."""
        address = self.key_of(connection)
        if self._by_address.get(address, 0) >= self.settings.sockets_per_address:
            raise TooMany(60, "Too many connections from your address are open.")
        if person is not None and self._by_person.get(person, 0) >= self.settings.sockets_per_person:
            raise TooMany(60, "Too many of your pages are open. Close some.")
        self.count(address, person, 1)
        return SocketQuota(self, address, person)

    def count(self, address: str, person: str | None, change: int) -> None:
        """So many more sockets are open."""
        held = [(self._by_address, address)] + ([(self._by_person, person)] if person is not None else [])
        for counts, key in held:
            counts[key] = counts.get(key, 0) + change
            if not counts[key]:
                del counts[key]

    @property
    def open_sockets(self) -> int:
        """Sockets open now in this process."""
        return sum(self._by_address.values())


class SocketQuota:
    """A socket as the limits know it: counted until it is released, its frames by itself, person and address.

    One small object for as long as the socket is open: whatever it holds, thousands hold.
    """

    __slots__ = (
        "_address",
        "_frames",
        "_frames_of_address",
        "_frames_of_person",
        "_is_counted",
        "_limits",
        "_person",
    )

    def __init__(self, limits: Limits, address: str, person: str | None) -> None:
        self._limits = limits
        self._is_counted = True
        self._address = address
        self._person = person
        settings, now = limits.settings, limits.clock()
        self._frames = Bucket(settings.frames_per_second, settings.frames_burst, settings.frames_burst, now)
        # The buckets themselves, so that a frame need not look for them.
        self._frames_of_person = limits.frames_by_person.of(person) if person is not None else None
        self._frames_of_address = limits.frames_by_address.of(address)

    def is_too_heavy(self, milliseconds: float) -> bool:
        """Counts work that a frame makes, before it is begun; true when it is too much for its address."""
        return self._limits.work.wait(self._address, milliseconds) > 0

    def is_too_fast(self) -> bool:
        """Counts a frame; true when it came too fast."""
        now = self._limits.clock()
        if self._frames.take(now) > 0:
            return True
        of_person = self._frames_of_person
        if of_person is not None and of_person.take(now) > 0:
            return True
        return self._frames_of_address.take(now) > 0

    def owe(self, frames: int) -> float:
        """Charges frames that have been read and were no messages; the seconds until they are paid for."""
        now = self._limits.clock()
        of_person = self._frames_of_person
        return max(
            self._frames.owe(now, frames),
            0.0 if of_person is None else of_person.owe(now, frames),
            self._frames_of_address.owe(now, frames),
        )

    def release(self) -> None:
        """Its connection is gone; again is no harm."""
        if self._is_counted:
            self._is_counted = False
            self._limits.count(self._address, self._person, -1)

    def __enter__(self) -> SocketQuota:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
