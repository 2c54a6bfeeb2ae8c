"""Token buckets and open sockets."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import HTTPConnection

from app.play.ports import StoreUnavailable
from app.settings import Settings
from app.web.errors import TooMany
from app.web.security.buckets import Attempt, Bucket, Buckets
from app.web.security.limits import Limits


class ManualClock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def _connection(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "websocket", "client": (address, 1), "headers": []})


def test_a_bucket_allows_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(rate=2.0, burst=3.0)
    assert [bucket.take(0.0) for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.5)]
    assert bucket.take(0.5) == 0.0
    assert bucket.take(0.6) == pytest.approx(0.4)


def test_a_clock_that_goes_backwards_refills_nothing() -> None:
    bucket = Bucket(rate=1.0, burst=1.0)
    assert bucket.take(100.0) == 0.0
    assert bucket.take(0.0) >= 1.0
    assert bucket.take(100.0) == pytest.approx(1.0)


@pytest.mark.parametrize("now", [0.0, 1.0, 86_400.1, 3e7 + 0.7])
@pytest.mark.parametrize("rate", [0.01, 3.0, 20.0, 100_000.0])
def test_a_whole_burst_is_allowed_at_any_clock_value(rate: float, now: float) -> None:
    """Floating-point sums are inexact; the last token of a burst must not be refused because of that."""
    bucket = Bucket(rate, 300)
    assert [bucket.take(now) for _ in range(300)] == [0.0] * 300
    assert bucket.take(now) > 0
    assert bucket.overdraw(now, 2) == pytest.approx(2 / rate, rel=0.2)
    bucket.give_back(3)
    assert bucket.take(now) == 0.0


def test_a_refund_does_not_exceed_the_burst() -> None:
    bucket = Bucket(1.0, 2.0)
    bucket.give_back(50)
    assert [bucket.take(10.0) > 0 for _ in range(3)] == [False, False, True]


def test_keys_have_separate_buckets_and_the_oldest_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.security.buckets._MAX_KEYS", 100)
    clock = ManualClock()
    buckets = Buckets(1.0, 1.0, clock)
    for n in range(1000):
        buckets.take(f"address {n}")
    assert len(buckets._of) == 100
    with pytest.raises(TooMany):
        buckets.take("address 999")


def _tokens_left(buckets: Buckets) -> int:
    """Return the tokens that Ann could take now."""
    bucket, now = buckets.bucket_for("ann"), buckets._clock()
    was, left = bucket.full_at, 0
    while bucket.take(now) == 0.0:
        left += 1
    bucket.full_at = was
    return left


def test_a_successful_attempt_is_refunded_and_a_failed_one_is_not() -> None:
    buckets, other = Buckets(0.01, 2.0, ManualClock()), Buckets(0.01, 10.0, ManualClock())
    for _ in range(5):
        with Attempt((buckets, "ann", 1.0), (other, "ann", 10.0)):
            assert _tokens_left(buckets) == 1, "charged during the attempt"
    for fault in (ValueError, asyncio.CancelledError):
        with pytest.raises(fault), Attempt((buckets, "ann", 1.0)):
            raise fault
    with pytest.raises(TooMany) as refusal:
        Attempt((other, "ann", 10.0), (buckets, "ann", 1.0))
    assert refusal.value.retry_after == 100
    assert _tokens_left(other) == 10, "a refused attempt takes nothing"
    for reason in (StoreUnavailable(), TooMany(1)):
        with pytest.raises(type(reason)), Attempt((other, "ann", 10.0)):
            raise reason
    assert _tokens_left(other) == 10, "an attempt that was not made is refunded"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "a moment"), (60, "a moment"), (61, "2 minutes"), (540, "9 minutes"), (900, "15 minutes")],
)
def test_the_message_gives_the_length_of_the_wait(seconds: float, words: str) -> None:
    refusal = TooMany(seconds)
    assert words in refusal.message
    assert seconds <= refusal.retry_after < seconds + 1


def test_sockets_are_counted_by_address_and_person_until_released() -> None:
    limits = Limits(Settings(sockets_per_address=3, sockets_per_person=2), ManualClock())
    here, there = _connection("198.51.100.7"), _connection("203.0.113.9")
    with limits.open_socket(here, "ann"), limits.open_socket(there, "ann"):
        with pytest.raises(TooMany), limits.open_socket(there, "ann"):
            raise AssertionError("a third socket of one person")
        with limits.open_socket(here, "bo"), limits.open_socket(here, None):
            with pytest.raises(TooMany), limits.open_socket(here, "cy"):
                raise AssertionError("a fourth socket of one address")
            assert limits.open_sockets == 4
    assert limits.open_sockets == 0
    assert not limits._by_address
    assert not limits._by_person


def test_a_socket_that_fails_is_released() -> None:
    limits = Limits(Settings(), ManualClock())
    with pytest.raises(RuntimeError), limits.open_socket(_connection("198.51.100.7"), "ann"):
        raise RuntimeError("cut")
    assert limits.open_sockets == 0


def test_releasing_a_socket_twice_is_a_no_op() -> None:
    limits = Limits(Settings(), ManualClock())
    here = _connection("198.51.100.7")
    one, other = limits.open_socket(here, "ann"), limits.open_socket(here, "ann")
    one.release()
    one.release()
    assert limits.open_sockets == 1
    other.release()
    assert not limits._by_person


def test_frames_are_counted_by_socket_person_and_address() -> None:
    limits = Limits(Settings(frames_per_second=1.0, frames_burst=10), ManualClock())
    here = _connection("198.51.100.7")
    one = limits.open_socket(here, "ann")
    assert [one.is_too_fast() for _ in range(11)] == [False] * 10 + [True], "one socket has its burst"
    others = [limits.open_socket(here, "ann") for _ in range(5)]
    taken = sum(not other.is_too_fast() for other in others for _ in range(10))
    assert taken == 20, "all sockets of a person have three times that"
    crowd = [limits.open_socket(here, f"person {n}") for n in range(60)]
    taken = sum(not socket.is_too_fast() for socket in crowd for _ in range(10))
    assert taken == 500 - 30, "an address has fifty times that"
    elsewhere = limits.open_socket(_connection("203.0.113.9"), "bo")
    assert not elsewhere.is_too_fast()


def test_a_refused_frame_is_not_charged_to_neighbours() -> None:
    limits = Limits(Settings(frames_per_second=1.0, frames_burst=10), ManualClock())
    flood = limits.open_socket(_connection("198.51.100.7"), None)
    for _ in range(10_000):
        flood.is_too_fast()
    neighbour = limits.open_socket(_connection("198.51.100.7"), None)
    assert not neighbour.is_too_fast()


def test_hourly_limits_are_shared_between_workers_without_revealing_keys() -> None:
    settings = Settings(logins_per_hour=2, guests_per_hour=3)
    workers = [Limits(settings, lambda: 0.0) for _ in range(3)]
    told: list[tuple[str, tuple[str, float]]] = []

    def publish(name: str, what: tuple[str, float]) -> None:
        told.append((name, what))
        for worker in workers[1:]:
            worker.on_remote_charge(name, what)

    workers[0].start_publishing(publish)
    for _ in range(2):
        for worker in workers:
            worker.take_failed_login("ann@example.org", "203.0.113.9").give_back()
        workers[0].take_failed_login("ann@example.org", "203.0.113.9")
    for worker in workers:
        with pytest.raises(TooMany):
            worker.take_failed_login("ann@example.org", "203.0.113.9")
        worker.take_failed_login("bo", "203.0.113.9")
    assert {name for name, _ in told} == {"logins", "logins_by_name", "logins_by_address"}
    assert "ann" not in str(told)
    assert "203.0" not in str(told)
    workers[0].on_remote_charge("of_a_newer_release", ("x", 1.0))
