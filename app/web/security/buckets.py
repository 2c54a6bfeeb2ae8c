"""Token buckets: one per key with a rate and a burst, and buckets whose charges all workers share."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from cachetools import LRUCache

from app.play.ports import StoreUnavailable
from app.web.errors import TooMany

_ROUNDING_SECONDS = 1e-6  # tolerance, so that a whole burst taken token by token fits into the burst
_MAX_KEYS = 50_000  # per kind of bucket; the least recently used are evicted


class Bucket:
    """Token bucket that refills at `rate` tokens per second up to `burst`.

    Its state is one number, the time at which it is full again (generic cell rate algorithm). Taking a token moves
    that time by one refill interval.
    """

    __slots__ = ("full_at", "interval", "span")

    def __init__(self, rate: float, burst: float) -> None:
        self.interval = 1 / rate  # seconds per token
        self.span = burst / rate + _ROUNDING_SECONDS  # seconds from empty to full
        self.full_at = 0.0

    def take(self, now: float, cost: float = 1.0) -> float:
        """Take tokens and return 0, or take nothing and return the seconds until they are available."""
        full_at = (self.full_at if self.full_at > now else now) + cost * self.interval
        if full_at <= now + self.span:
            self.full_at = full_at
            return 0.0
        return full_at - now - self.span + _ROUNDING_SECONDS

    def overdraw(self, now: float, cost: float) -> float:
        """Take tokens even if the bucket runs into debt. Return the seconds until the debt is paid."""
        self.full_at = (self.full_at if self.full_at > now else now) + cost * self.interval
        return max(0.0, self.full_at - now - self.span)

    def give_back(self, cost: float) -> None:
        self.full_at -= cost * self.interval


class Buckets:
    """One bucket per key. The least recently used keys are evicted."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self.rate = rate
        self.burst = burst
        self._clock = clock
        self._of: LRUCache[str, Bucket] = LRUCache(_MAX_KEYS)

    def take(self, key: str, cost: float = 1.0) -> None:
        """Take tokens, or raise TooMany."""
        wait = self.try_take(key, cost)
        if wait:
            raise TooMany(wait)

    def try_take(self, key: str, cost: float = 1.0) -> float:
        """Take tokens and return 0, or take nothing and return the seconds to wait."""
        return self.bucket_for(key).take(self._clock(), cost)

    def give_back(self, key: str, cost: float = 1.0) -> None:
        """Refund tokens."""
        self.bucket_for(key).give_back(cost)

    def bucket_for(self, key: str) -> Bucket:
        """Return the bucket of a key. The caller may keep a reference."""
        bucket = self._of.get(key)
        if bucket is None:
            bucket = self._of[key] = Bucket(self.rate, self.burst)
        return bucket


class HourlyBuckets(Buckets):
    """Buckets with an hourly rate, shared by all workers. Keys are stored and published as digests, because some are
    e-mail addresses.
    """

    def __init__(self, number: int, clock: Callable[[], float], burst: int | None = None) -> None:
        super().__init__(number / 3600, number if burst is None else burst, clock)
        self.publish: Callable[[str, float], None] | None = None

    def try_take(self, key: str, cost: float = 1.0) -> float:
        wait = super().try_take(key, cost)
        if not wait and self.publish is not None:
            self.publish(_digest(key), cost)
        return wait

    def give_back(self, key: str, cost: float = 1.0) -> None:
        super().give_back(key, cost)
        if self.publish is not None:
            self.publish(_digest(key), -cost)

    def take_unannounced(self, key: str, cost: float) -> float:
        """Like `try_take`, but other workers learn of it only through `settle`. For mostly refunded charges."""
        return super().try_take(key, cost)

    def settle(self, key: str, cost: float, *, is_kept: bool) -> None:
        """Publish a charge of `take_unannounced` if it is kept; otherwise refund it."""
        if not is_kept:
            super().give_back(key, cost)
        elif self.publish is not None:
            self.publish(_digest(key), cost)

    def charge_remote(self, digest: str, cost: float) -> None:
        """Apply another worker's charge or refund, without running into debt."""
        bucket, now = super().bucket_for(digest), self._clock()
        bucket.overdraw(now, cost)
        bucket.full_at = min(bucket.full_at, now + bucket.span)

    def bucket_for(self, key: str) -> Bucket:
        return super().bucket_for(_digest(key))


def _digest(key: str) -> str:
    return blake2b(key.encode(), digest_size=12).hexdigest()


class Attempt:
    """Charges taken before an attempt and refunded if it succeeds. Use it as a context manager.

    If charges were only checked before and taken afterwards, any number of concurrent attempts would pass the check.
    A cancelled attempt is not refunded.
    """

    def __init__(self, *costs: tuple[Buckets, str, float]) -> None:
        """Take all charges, or raise TooMany and take none."""
        self._taken: list[tuple[Buckets, str, float]] = []
        for buckets, key, cost in costs:
            wait = buckets.try_take(key, cost)
            if wait:
                self.give_back()
                raise TooMany(wait)
            self._taken.append((buckets, key, cost))

    def give_back(self) -> None:
        """Refund all charges. Calling it again is a no-op."""
        for buckets, key, cost in self._taken:
            buckets.give_back(key, cost)
        self._taken.clear()

    def __enter__(self) -> Attempt:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None or issubclass(kind, (TooMany, StoreUnavailable)):
            self.give_back()
