"""Token buckets and held sockets."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import HTTPConnection

from app.play.ports import StoreUnavailable
from app.settings import Settings
from app.web.errors import TooMany
from app.web.security.buckets import Attempt, Bucket, Buckets
from app.web.security.limits import Limits


class HandClock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def _connection(address: str) -> HTTPConnection:
    return HTTPConnection({"type": "websocket", "client": (address, 1), "headers": []})


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(rate=2.0, burst=3.0)
    assert [bucket.take(0.0) for _ in range(4)] == [0.0, 0.0, 0.0, pytest.approx(0.5)]
    assert bucket.take(0.5) == 0.0
    assert bucket.take(0.6) == pytest.approx(0.4)


def test_a_clock_that_goes_backwards_fills_nothing() -> None:
    bucket = Bucket(rate=1.0, burst=1.0)
    assert bucket.take(100.0) == 0.0
    assert bucket.take(0.0) >= 1.0
    assert bucket.take(100.0) == pytest.approx(1.0)


@pytest.mark.parametrize("now", [0.0, 1.0, 86_400.1, 3e7 + 0.7])
@pytest.mark.parametrize("rate", [0.01, 3.0, 20.0, 100_000.0])
def test_a_whole_burst_is_given_whatever_the_clock_says(rate: float, now: float) -> None:
    """Sums of fractions are not exact: the last of a burst must not be refused for that."""
    bucket = Bucket(rate, 300)
    assert [bucket.take(now) for _ in range(300)] == [0.0] * 300
    assert bucket.take(now) > 0
    assert bucket.owe(now, 2) == pytest.approx(2 / rate, rel=0.2)
    bucket.give_back(3)
    assert bucket.take(now) == 0.0


def test_giving_back_does_not_fill_above_the_burst() -> None:
    bucket = Bucket(1.0, 2.0)
    bucket.give_back(50)
    assert [bucket.take(10.0) > 0 for _ in range(3)] == [False, False, True]


def test_keys_do_not_share_and_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.web.security.buckets._KEYS", 100)
    clock = HandClock()
    buckets = Buckets(1.0, 1.0, clock)
    for n in range(1000):
        buckets.take(f"address {n}")
    assert len(buckets._of) == 100
    with pytest.raises(TooMany):
        buckets.take("address 999")


def _left(buckets: Buckets) -> int:
    """Tokens that Ann could take now."""
    bucket, now = buckets.of("ann"), buckets._clock()
    was, left = bucket.full_at, 0
    while bucket.take(now) == 0.0:
        left += 1
    bucket.full_at = was
    return left


def test_what_a_right_attempt_took_is_given_back_and_a_wrong_one_has_paid() -> None:
    buckets, other = Buckets(0.01, 2.0, HandClock()), Buckets(0.01, 10.0, HandClock())
    for _ in range(5):
        with Attempt((buckets, "ann", 1.0), (other, "ann", 10.0)):
            assert _left(buckets) == 1, "paid while it is made"
    for fault in (ValueError, asyncio.CancelledError):
        with pytest.raises(fault), Attempt((buckets, "ann", 1.0)):
            raise fault
    with pytest.raises(TooMany) as refusal:
        Attempt((other, "ann", 10.0), (buckets, "ann", 1.0))
    assert refusal.value.retry_after == 100
    assert _left(other) == 10, "whoever is refused has taken nothing"
    for reason in (StoreUnavailable(), TooMany(1)):
        with pytest.raises(type(reason)), Attempt((other, "ann", 10.0)):
            raise reason
    assert _left(other) == 10, "what was not tried costs nothing"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "a moment"), (60, "a moment"), (61, "2 minutes"), (540, "9 minutes"), (900, "15 minutes")],
)
def test_a_wait_is_told_as_long_as_it_is(seconds: float, words: str) -> None:
    refusal = TooMany(seconds)
    assert words in refusal.message
    assert seconds <= refusal.retry_after < seconds + 1


def test_sockets_are_counted_by_address_and_person_and_given_back() -> None:
    limits = Limits(Settings(sockets_per_address=3, sockets_per_person=2), HandClock())
    here, there = _connection("198.51.100.7"), _connection("203.0.113.9")
    with limits.socket(here, "ann"), limits.socket(there, "ann"):
        with pytest.raises(TooMany), limits.socket(there, "ann"):
            raise AssertionError("a third socket of one person")
        with limits.socket(here, "bo"), limits.socket(here, None):
            with pytest.raises(TooMany), limits.socket(here, "cy"):
                raise AssertionError("a fourth socket of one address")
            assert limits.open_sockets == 4
    assert limits.open_sockets == 0
    assert not limits._by_address
    assert not limits._by_person


def test_a_socket_that_ends_in_an_error_is_given_back_too() -> None:
    limits = Limits(Settings(), HandClock())
    with pytest.raises(RuntimeError), limits.socket(_connection("198.51.100.7"), "ann"):
        raise RuntimeError("cut")
    assert limits.open_sockets == 0


def test_a_socket_that_is_released_twice_counts_once() -> None:
    limits = Limits(Settings(), HandClock())
    here = _connection("198.51.100.7")
    one, other = limits.socket(here, "ann"), limits.socket(here, "ann")
    one.release()
    one.release()
    assert limits.open_sockets == 1
    other.release()
    assert not limits._by_person


def test_frames_are_counted_by_socket_person_and_address() -> None:
    limits = Limits(Settings(frames_per_second=1.0, frames_burst=10), HandClock())
    here = _connection("198.51.100.7")
    one = limits.socket(here, "ann")
    assert [one.is_too_fast() for _ in range(11)] == [False] * 10 + [True], "one socket has its burst"
    others = [limits.socket(here, "ann") for _ in range(5)]
    taken = sum(not other.is_too_fast() for other in others for _ in range(10))
    assert taken == 20, "all sockets of a person have three times that"
    crowd = [limits.socket(here, f"person {n}") for n in range(60)]
    taken = sum(not socket.is_too_fast() for socket in crowd for _ in range(10))
    assert taken == 500 - 30, "an address has fifty times that, whoever sends"
    elsewhere = limits.socket(_connection("203.0.113.9"), "bo")
    assert not elsewhere.is_too_fast()


def test_a_frame_that_was_refused_costs_its_neighbours_nothing() -> None:
    limits = Limits(Settings(frames_per_second=1.0, frames_burst=10), HandClock())
    flood = limits.socket(_connection("198.51.100.7"), None)
    for _ in range(10_000):
        flood.is_too_fast()
    neighbour = limits.socket(_connection("198.51.100.7"), None)
    assert not neighbour.is_too_fast()


def test_what_counts_by_the_hour_counts_in_all_workers_and_tells_no_names() -> None:
    settings = Settings(logins_per_hour=2, guests_per_hour=3)
    workers = [Limits(settings, lambda: 0.0) for _ in range(3)]
    told: list[tuple[str, tuple[str, float]]] = []

    def tell(name: str, what: tuple[str, float]) -> None:
        told.append((name, what))
        for worker in workers[1:]:
            worker.counted_elsewhere(name, what)

    workers[0].share(tell)
    for _ in range(2):
        for worker in workers:
            worker.login("ann@example.org", "203.0.113.9").give_back()
        workers[0].login("ann@example.org", "203.0.113.9")
    for worker in workers:
        with pytest.raises(TooMany):
            worker.login("ann@example.org", "203.0.113.9")
        worker.login("bo", "203.0.113.9")
    assert {name for name, _ in told} == {"logins", "logins_by_name", "logins_by_address"}
    assert "ann" not in str(told)
    assert "203.0" not in str(told)
    workers[0].counted_elsewhere("of_a_newer_release", ("x", 1.0))
