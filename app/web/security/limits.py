"""How much anybody may do: token buckets by address and by person, sockets held.

A bucket fills at a rate and holds a burst, so that fifty people behind one address can all load a page
at once and nobody can keep that up. What is counted by the hour guards secrets and people's patience
(log-ins, codes, guests, mails, reports) and is counted in all workers together: each tells the others.
What is counted by the second (requests, writes, frames) and sockets guard a process against being kept
busy, so each process counts its own; telling would cost more than what it counts."""

from __future__ import annotations

from collections.abc import Callable
from sys import intern

from starlette.requests import HTTPConnection

from app.play.commands import messages as cmd
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.settings import Settings
from app.web.errors import TooMany
from app.web.security.address import client_address, limit_key, limit_prefixes
from app.web.security.buckets import Attempt, Bucket, Buckets, HourlyBuckets

_FILE_COST = 0.05
_PREFIX_WEIGHTS = (1.0, 0.5, 0.25)  # of limit_prefixes
HEALTH_PATHS = frozenset(("/healthz", "/readyz", "/metrics"))


class Limits:
    """All limits of one app, with its settings and its clock (monotonic seconds)."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self.settings = settings
        self.clock = clock
        self.requests = Buckets(settings.requests_per_second, settings.requests_burst, clock)
        self.health = Buckets(settings.requests_per_second, settings.requests_burst, clock)
        self.refusal_pages = Buckets(1.0, 20, clock)
        # A tenth or so of a core for each address that asks for what has to be worked out.
        self.work = Buckets(settings.requests_per_second * 5, settings.requests_burst * 5, clock)
        self.writes = Buckets(settings.writes_per_second, settings.writes_burst, clock)
        self.guests = HourlyBuckets(settings.guests_per_hour, clock)
        self.logins = HourlyBuckets(settings.logins_per_hour, clock)
        self.logins_by_name = HourlyBuckets(settings.logins_per_hour * 10, clock)
        self.logins_by_address = HourlyBuckets(settings.logins_per_hour * 6, clock)
        self.right_logins = HourlyBuckets(settings.logins_per_hour * 3, clock)
        self.right_logins_by_address = HourlyBuckets(settings.logins_per_hour * 30, clock)
        self.codes = HourlyBuckets(settings.codes_per_hour, clock)
        self.lookups = HourlyBuckets(settings.lookups_per_hour, clock)
        self.reports = HourlyBuckets(10, clock)
        self.mails = HourlyBuckets(5, clock)
        self.mails_by_address = HourlyBuckets(30, clock)
        self.subscriptions = HourlyBuckets(30, clock)
        self.subscriptions_by_address = HourlyBuckets(300, clock)
        self.invitations = HourlyBuckets(30, clock)
        self.confirmations = HourlyBuckets(10, clock)
        self.reviews = HourlyBuckets(30, clock, burst=5)
        self.reviews_by_address = HourlyBuckets(300, clock, burst=30)
        # A person may have a few busy sockets, an address a whole club of people.
        rate, burst = settings.frames_per_second, settings.frames_burst
        self.frames_by_person = Buckets(rate * 3, burst * 3, clock)
        self.frames_by_address = Buckets(rate * 50, burst * 50, clock)
        self._shared = {
            name: buckets for name, buckets in vars(self).items() if isinstance(buckets, HourlyBuckets)
        }
        self._by_address: dict[str, int] = {}
        self._by_person: dict[str, int] = {}

    def share(self, publish: Callable[[str, tuple[str, float]], None]) -> None:
        """From now on the other workers are told what counts for all: the limit's name, whose and how much."""

        def publisher_of(name: str) -> Callable[[str, float], None]:
            return lambda digest, cost: publish(name, (digest, cost))

        for name, buckets in self._shared.items():
            buckets.publish = publisher_of(name)

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

    def take_request(self, connection: HTTPConnection, extra: float = 0.0) -> None:
        """Charge one request to its address, and `extra` for its size; raises TooMany.

        Health checks have a bucket of their own, so that other requests from the same address cannot use it up.
        """
        # A first visit fetches some eighty small files: fifty people who open a table together, behind one
        # address, must not shut each other out.
        path: str = connection.scope["path"]
        cost = _FILE_COST if path.startswith(("/static/", "/lang/")) else 1.0
        requests = self.health if path in HEALTH_PATHS else self.requests
        # Never more than half the bucket: what may be sent at all must not be refused for ever.
        requests.take(self.key_of(connection), cost + min(extra, requests.burst / 2))

    def may_render_refusal(self, connection: HTTPConnection) -> bool:
        """Charge the page that explains a refusal; False when this address has seen enough of them.

        A page costs as much as most requests that are refused, and a flood is refused as often as it asks.
        """
        return not self.refusal_pages.wait(self.key_of(connection))

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

    def take_guest(self, connection: HTTPConnection) -> Attempt:
        """One new guest of an address, given back where nobody is made; raises TooMany."""
        return Attempt((self.guests, self.key_of(connection), 1.0))

    def login(self, login: str, address: str) -> Attempt:
        """Charge a log-in as a wrong one, whether or not the name exists; raises TooMany.

        A /56 may fail twice as often as a /64, a /48 four times as often. The bucket of the name alone has room for
        two and a half /48s, or ten addresses, and does not count known devices and sessions (`known_login`).
        """
        prefixes = list(zip(limit_prefixes(address), _PREFIX_WEIGHTS, strict=False))
        return Attempt(
            *((self.logins, f"{login} {prefix}", weight) for prefix, weight in prefixes),
            *((self.logins_by_address, prefix, weight) for prefix, weight in prefixes),
            (self.logins_by_name, login, 1.0),
        )

    def known_login(self, source: str) -> Attempt:
        """Charge a log-in of a known device as a wrong one; strangers cannot use this up."""
        return Attempt((self.logins, source, 1.0))

    def repeated_login(self, source: str, person: str) -> Attempt:
        """The same for the password that a session gives once more, and for all sessions of its person.

        A stolen session can make any number of others by resume codes.
        """
        # A name holds no NUL: no log-in of a stranger counts for this key.
        return Attempt((self.logins, source, 1.0), (self.logins_by_name, f"\0{person}", 1.0))

    def right_login(self, login: str, address: str) -> Attempt:
        """Charge the same log-in as a right one, which costs as much work; to be given back when it is wrong."""
        return Attempt(
            (self.right_logins, f"{login} {address}", 1.0), (self.right_logins_by_address, address, 1.0)
        )

    def known_right_login(self, source: str) -> Attempt:
        """The same for a known device or a session."""
        return Attempt((self.right_logins, source, 1.0))

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
        "_is_counted",
        "_limits",
        "_person",
    )

    def __init__(self, limits: Limits, address: str, person: str | None) -> None:
        self._limits = limits
        self._is_counted = True
        self._address = address
        self._person = person
        settings = limits.settings
        own = Bucket(settings.frames_per_second, settings.frames_burst)
        of_person = () if person is None else (limits.frames_by_person.of(person),)
        # The buckets themselves, so that a frame need not look for them.
        self._frames: tuple[Bucket, ...] = (own, *of_person, limits.frames_by_address.of(address))

    def is_too_heavy(self, milliseconds: float) -> bool:
        """Counts work that a frame makes, before it is begun; true when it is too much for its address."""
        return self._limits.work.wait(self._address, milliseconds) > 0

    def is_too_fast(self) -> bool:
        """Counts a frame; true when it came too fast."""
        now = self._limits.clock()
        for bucket in self._frames:  # Bucket.take of each, in one step: this is done with every frame
            full_at = bucket.full_at
            full_at = (full_at if full_at > now else now) + bucket.interval
            if full_at > now + bucket.span:
                return True
            bucket.full_at = full_at
        return False

    def owe(self, frames: int) -> float:
        """Charges frames that have been read and were no messages; the seconds until they are paid for."""
        now = self._limits.clock()
        return max([bucket.owe(now, frames) for bucket in self._frames])

    def release(self) -> None:
        """Its connection is gone; again is no harm."""
        if self._is_counted:
            self._is_counted = False
            self._limits.count(self._address, self._person, -1)

    def __enter__(self) -> SocketQuota:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class CommandLimits:
    """How fast one person may write, ask for hints, mute, set a pace or password, whatever the table and the door.

    What costs more than a frame has its own limit: a line of chat goes to everybody at the table and stays in the
    database, a hint is a second of a strong bot's thought, muting writes and tells every worker, a pace tells every
    worker and may wake the sweeper, a password is hashed. All rates follow the setting for writes, so that an
    operator has one number to turn.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        rate, burst = settings.writes_per_second, settings.writes_burst
        self._chat = Buckets(rate / 10, max(2.0, burst / 4), clock)  # 15 lines at once, then one in 2 s
        self._hints = Buckets(rate / 25, max(2.0, burst / 10), clock)  # 6 hints at once, then one in 5 s
        self._mutes = Buckets(rate / 25, max(2.0, burst / 6), clock)
        self._passwords = Buckets(rate / 25, max(2.0, burst / 10), clock)
        self._paces = Buckets(rate / 5, max(2.0, burst / 3), clock)  # 20 at once, then one a second

    def check(self, actor: Actor, command: cmd.Command) -> None:
        """Counts a command before anything is done for it; raises Refusal."""
        match command:
            case cmd.Chat() if self._chat.wait(actor.id):
                raise Refusal("chat_too_fast")
            case cmd.Hint() if self._hints.wait(actor.id):
                raise Refusal("hint_too_fast")
            case cmd.Mute() if self._mutes.wait(actor.id):
                raise Refusal("mute_too_fast")
            case cmd.NewPassword() if self._passwords.wait(actor.id):
                raise Refusal("password_too_fast")
            case cmd.Pace() if self._paces.wait(actor.id):
                raise Refusal("too_fast")
