"""Token buckets: a rate, a burst, one bucket a key; and those that all workers share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from app.play.ports import StoreUnavailable
from app.web.errors import TooMany

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
