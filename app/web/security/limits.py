"""Rate limits by address and by person, and the number of open sockets.

Token buckets allow bursts: fifty people behind one address can load a page at once, but cannot keep that rate up.
Hourly limits protect secrets and people (log-ins, codes, guests, mails, reports); workers publish their charges to
each other. Per-second limits (requests, writes, frames) and sockets protect a process from overload, so each process
counts its own: publishing them would cost more than it saves.
"""

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
_PREFIX_WEIGHTS = (1.0, 0.5, 0.25)  # for each of `limit_prefixes`
HEALTH_PATHS = frozenset(("/healthz", "/readyz", "/metrics"))


class Limits:
    """All limits of one app. `clock` returns monotonic seconds."""

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        self.settings = settings
        self.clock = clock
        self.requests = Buckets(settings.requests_per_second, settings.requests_burst, clock)
        self.health = Buckets(settings.requests_per_second, settings.requests_burst, clock)
        self.refusal_pages = Buckets(1.0, 20, clock)
        # Milliseconds of work: about a tenth of a core per address.
        self.work = Buckets(settings.requests_per_second * 5, settings.requests_burst * 5, clock)
        # The same for the file of ratings, apart, so that a download does not keep its client from other pages.
        self.exports = Buckets(settings.requests_per_second * 5, settings.requests_burst * 5, clock)
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
        self.notice_tests = HourlyBuckets(10, clock)
        self.subscriptions = HourlyBuckets(30, clock)
        self.subscriptions_by_address = HourlyBuckets(300, clock)
        self.invitations = HourlyBuckets(30, clock)
        self.friend_requests = HourlyBuckets(30, clock)
        self.friend_requests_by_address = HourlyBuckets(150, clock)
        self.confirmations = HourlyBuckets(10, clock)
        self.reviews = HourlyBuckets(30, clock, burst=5)
        self.reviews_by_address = HourlyBuckets(300, clock, burst=30)
        # Studies of positions, which take about a second of a bot process each.
        rate, burst = settings.writes_per_second, settings.writes_burst
        self.studies = Buckets(rate / 25, max(2.0, burst / 2), clock)  # burst of 30, then one every 5 s
        self.studies_by_address = Buckets(rate / 10, max(4.0, burst), clock)
        # A person may have a few busy sockets, and an address a whole club of people.
        rate, burst = settings.frames_per_second, settings.frames_burst
        self.frames_by_person = Buckets(rate * 3, burst * 3, clock)
        self.frames_by_address = Buckets(rate * 50, burst * 50, clock)
        self._shared = {
            name: buckets for name, buckets in vars(self).items() if isinstance(buckets, HourlyBuckets)
        }
        self._by_address: dict[str, int] = {}
        self._by_person: dict[str, int] = {}

    def start_publishing(self, publish: Callable[[str, tuple[str, float]], None]) -> None:
        """Publish charges of hourly limits to other workers from now on, as limit name, key digest and cost."""

        def publisher_of(name: str) -> Callable[[str, float], None]:
            return lambda digest, cost: publish(name, (digest, cost))

        for name, buckets in self._shared.items():
            buckets.publish = publisher_of(name)

    def on_remote_charge(self, name: str, what: tuple[str, float]) -> None:
        """Apply another worker's charge. A newer release may have limits that are unknown here."""
        if name in self._shared:
            self._shared[name].charge_remote(*what)

    def key_of(self, connection: HTTPConnection) -> str:
        """Return the key under which this connection's address is counted."""
        # Interned: all sockets of an address share one string.
        return intern(limit_key(client_address(connection, self.settings)))

    def address_of(self, connection: HTTPConnection) -> str:
        """Return the full address, which bans refer to."""
        return intern(client_address(connection, self.settings))

    def take_request(self, connection: HTTPConnection, extra: float = 0.0) -> None:
        """Charge one request to its address, and `extra` for its size; raises TooMany.

        Health checks have a bucket of their own, so that other requests from the same address cannot use it up.
        """
        # A first visit fetches some eighty small files. Fifty people behind one address who open a table together must
        # not block each other.
        path: str = connection.scope["path"]
        cost = _FILE_COST if path.startswith(("/static/", "/lang/")) else 1.0
        requests = self.health if path in HEALTH_PATHS else self.requests
        # At most half the bucket, so that no allowed request is too large to ever be accepted.
        requests.take(self.key_of(connection), cost + min(extra, requests.burst / 2))

    def may_render_refusal(self, connection: HTTPConnection) -> bool:
        """Charge an error page for a refusal. Return False if this address has received too many.

        Rendering one costs as much as most of the refused requests would, and a flood is refused constantly.
        """
        return not self.refusal_pages.try_take(self.key_of(connection))

    def take_work(self, connection: HTTPConnection, milliseconds: float) -> None:
        """Charge CPU work to an address before it starts. Raise TooMany."""
        self.work.take(self.key_of(connection), min(milliseconds, self.work.burst))

    def take_write(self, person: str) -> None:
        """Charge one write to a person. Raise TooMany."""
        self.writes.take(person)

    def take_review(self, connection: HTTPConnection, person: str | None) -> Attempt:
        """Charge a new review, which takes seconds of a bot process. Raise TooMany."""
        address = self.key_of(connection)
        # Without an identity, all clients of an address share one small bucket.
        return Attempt((self.reviews, person or address, 1.0), (self.reviews_by_address, address, 1.0))

    def take_friend_request(self, connection: HTTPConnection, person: str) -> Attempt:
        """Charge a friend request. Raise TooMany. Refund it if it only accepts one."""
        address = self.key_of(connection)
        return Attempt((self.friend_requests, person, 1.0), (self.friend_requests_by_address, address, 1.0))

    def take_study(self, connection: HTTPConnection, person: str | None, cost: float = 1.0) -> Attempt:
        """Charge a study of a position; a cost of 1 is a second of a bot process. Raise TooMany."""
        address = self.key_of(connection)
        # Without an identity, all clients of an address share one bucket.
        return Attempt((self.studies, person or address, cost), (self.studies_by_address, address, cost))

    def take_guest(self, connection: HTTPConnection) -> Attempt:
        """Charge a new guest to an address. Raise TooMany. Refund it if no guest is created."""
        return Attempt((self.guests, self.key_of(connection), 1.0))

    def take_failed_login(self, login: str, address: str) -> Attempt:
        """Charge a log-in as a failed one, whether or not the name exists. Raise TooMany.

        A /56 may fail twice as often as a /64, and a /48 four times as often. The bucket of the name alone has room for
        two and a half /48s, or ten addresses. Known devices and sessions do not count towards it
        (`take_failed_device_login`).
        """
        prefixes = list(zip(limit_prefixes(address), _PREFIX_WEIGHTS, strict=False))
        return Attempt(
            *((self.logins, f"{login} {prefix}", weight) for prefix, weight in prefixes),
            *((self.logins_by_address, prefix, weight) for prefix, weight in prefixes),
            (self.logins_by_name, login, 1.0),
        )

    def take_failed_device_login(self, source: str) -> Attempt:
        """Charge a known device's log-in as a failed one. Strangers cannot use up this allowance."""
        return Attempt((self.logins, source, 1.0))

    def take_failed_session_login(self, source: str, person: str) -> Attempt:
        """Charge a password re-entered in a session as a failed one, to the session and to all the person's sessions.

        A stolen session can create any number of others through resume codes.
        """
        # Names contain no NUL, so no log-in of a stranger uses this key.
        return Attempt((self.logins, source, 1.0), (self.logins_by_name, f"\0{person}", 1.0))

    def take_successful_login(self, login: str, address: str) -> Attempt:
        """Charge a log-in as a successful one, which costs as much work. Refund it if it fails."""
        return Attempt(
            (self.right_logins, f"{login} {address}", 1.0), (self.right_logins_by_address, address, 1.0)
        )

    def take_successful_known_login(self, source: str) -> Attempt:
        """Like `take_successful_login`, for a known device or a session."""
        return Attempt((self.right_logins, source, 1.0))

    def take_code(self, address: str, *more: tuple[Buckets, str, float]) -> Attempt:
        """Charge a typed code as a wrong one. Raise TooMany."""
        return Attempt((self.codes, address, 1.0), *more)

    def open_socket(self, connection: HTTPConnection, person: str | None) -> SocketQuota:
        """Count a socket of an address and a person until it is released. Raise TooMany at the limit."""
        address = self.key_of(connection)
        if self._by_address.get(address, 0) >= self.settings.sockets_per_address:
            raise TooMany(60, "Too many connections from your address are open.")
        if person is not None and self._by_person.get(person, 0) >= self.settings.sockets_per_person:
            raise TooMany(60, "Too many of your pages are open. Close some.")
        self.count_socket(address, person, 1)
        return SocketQuota(self, address, person)

    def count_socket(self, address: str, person: str | None, change: int) -> None:
        """Change the number of open sockets of an address and a person."""
        held = [(self._by_address, address)] + ([(self._by_person, person)] if person is not None else [])
        for counts, key in held:
            counts[key] = counts.get(key, 0) + change
            if not counts[key]:
                del counts[key]

    @property
    def open_sockets(self) -> int:
        """Number of open sockets in this process."""
        return sum(self._by_address.values())


class SocketQuota:
    """The limits of one open socket. It counts until released; frames are charged to socket, person and address.

    Kept small, because one exists for every open socket.
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
        of_person = () if person is None else (limits.frames_by_person.bucket_for(person),)
        # References to the buckets, so that no look-up is needed per frame.
        self._frames: tuple[Bucket, ...] = (own, *of_person, limits.frames_by_address.bucket_for(address))

    def is_too_heavy(self, milliseconds: float) -> bool:
        """Charge the work of a frame to its address before it starts. Return whether the limit is exceeded."""
        return self._limits.work.try_take(self._address, milliseconds) > 0

    def is_too_fast(self) -> bool:
        """Charge a frame. Return whether a limit is exceeded."""
        now = self._limits.clock()
        for bucket in self._frames:  # `Bucket.take` inlined: this runs for every frame
            full_at = bucket.full_at
            full_at = (full_at if full_at > now else now) + bucket.interval
            if full_at > now + bucket.span:
                return True
            bucket.full_at = full_at
        return False

    def charge_frames(self, frames: int) -> float:
        """Charge frames that were read and are not messages. Return the seconds until the debt is paid."""
        now = self._limits.clock()
        return max([bucket.overdraw(now, frames) for bucket in self._frames])

    def release(self) -> None:
        """Stop counting the socket. Calling it again is a no-op."""
        if self._is_counted:
            self._is_counted = False
            self._limits.count_socket(self._address, self._person, -1)

    def __enter__(self) -> SocketQuota:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class CommandLimits:
    """Per-person limits on expensive commands, across all tables and on sockets and HTTP alike.

    A chat line is sent to the whole table and stored; a hint takes a second of a strong bot; muting is stored and sent
    to every worker; a pace is sent to every worker and may schedule the sweeper; a password is hashed. All rates are
    derived from the setting for writes, so that an operator has one number to adjust.
    """

    def __init__(self, settings: Settings, clock: Callable[[], float]) -> None:
        rate, burst = settings.writes_per_second, settings.writes_burst
        self._chat = Buckets(rate / 10, max(2.0, burst / 4), clock)  # burst of 15 lines, then one every 2 s
        self._hints = Buckets(rate / 25, max(2.0, burst / 10), clock)  # burst of 6 hints, then one every 5 s
        self._mutes = Buckets(rate / 25, max(2.0, burst / 6), clock)
        self._passwords = Buckets(rate / 25, max(2.0, burst / 10), clock)
        self._paces = Buckets(rate / 5, max(2.0, burst / 3), clock)  # burst of 20, then one per second

    def check(self, actor: Actor, command: cmd.Command) -> None:
        """Charge a command before it is processed. Raise Refusal."""
        match command:
            case cmd.Chat() if self._chat.try_take(actor.id):
                raise Refusal("chat_too_fast")
            case cmd.AskForHint() if self._hints.try_take(actor.id):
                raise Refusal("hint_too_fast")
            case cmd.Mute() if self._mutes.try_take(actor.id):
                raise Refusal("mute_too_fast")
            case cmd.NewPassword() if self._passwords.try_take(actor.id):
                raise Refusal("password_too_fast")
            case cmd.SetPace() if self._paces.try_take(actor.id):
                raise Refusal("too_fast")
