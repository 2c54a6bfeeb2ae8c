"""Token buckets: a rate, a burst, one bucket a key; and those that all workers share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b

from app.play.ports import StoreUnavailable
from app.web.errors import TooMany

_ROUNDING = 1e-6  # seconds: a whole burst added up is not more than the burst
_KEYS = 50_000  # remembered keys a kind; the longest untouched are forgotten first


class Bucket:
    """So many tokens, so many more each second, never above the burst.

    Kept as one number, the moment at which it is full again (the generic cell rate algorithm): a token taken is that
    moment put off by the time one takes to come.
    """

    __slots__ = ("full_at", "interval", "span")

    def __init__(self, rate: float, burst: float) -> None:
        self.interval = 1 / rate  # seconds until one more token is there
        self.span = burst / rate + _ROUNDING  # seconds from empty to full
        self.full_at = 0.0

    def take(self, now: float, cost: float = 1.0) -> float:
        """0 when taken, else the seconds to wait for it (and nothing was taken)."""
        full_at = (self.full_at if self.full_at > now else now) + cost * self.interval
        if full_at <= now + self.span:
            self.full_at = full_at
            return 0.0
        return full_at - now - self.span + _ROUNDING

    def owe(self, now: float, cost: float) -> float:
        """Takes even what is not there; the seconds until nothing is owed."""
        self.full_at = (self.full_at if self.full_at > now else now) + cost * self.interval
        return max(0.0, self.full_at - now - self.span)

    def give_back(self, cost: float) -> None:
        self.full_at -= cost * self.interval


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
        self._bucket(key).give_back(cost)

    def of(self, key: str) -> Bucket:
        """The bucket of a key, to hold on to."""
        return self._bucket(key)

    def _bucket(self, key: str) -> Bucket:
        bucket = self._of.get(key)
        if bucket is None:
            if len(self._of) >= _KEYS:
                self._of.popitem(last=False)
            bucket = self._of[key] = Bucket(self.rate, self.burst)
        else:
            self._of.move_to_end(key)
        return bucket


class HourlyBuckets(Buckets):
    """Counted by the hour, and in all workers; keys are kept and told as digests: some are e-mail addresses."""

    def __init__(self, number: int, clock: Callable[[], float], burst: int | None = None) -> None:
        super().__init__(number / 3600, number if burst is None else burst, clock)
        self.publish: Callable[[str, float], None] | None = None

    def wait(self, key: str, cost: float = 1.0) -> float:
        wait = super().wait(key, cost)
        if not wait and self.publish is not None:
            self.publish(_digest(key), cost)
        return wait

    def give_back(self, key: str, cost: float = 1.0) -> None:
        super().give_back(key, cost)
        if self.publish is not None:
            self.publish(_digest(key), -cost)

    def hold(self, key: str, cost: float) -> float:
        """As `wait`, but the others are told only by `settle`: for what is nearly always given back."""
        return super().wait(key, cost)

    def settle(self, key: str, cost: float, *, is_kept: bool) -> None:
        """What was held is spent, or given back."""
        if not is_kept:
            super().give_back(key, cost)
        elif self.publish is not None:
            self.publish(_digest(key), cost)

    def taken_elsewhere(self, digest: str, cost: float) -> None:
        """Another worker has let somebody take (or given back): here as well, as far as there is any."""
        bucket, now = super()._bucket(digest), self._clock()
        bucket.owe(now, cost)
        bucket.full_at = min(bucket.full_at, now + bucket.span)

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
