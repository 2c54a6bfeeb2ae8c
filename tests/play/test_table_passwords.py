"""Passwords of tables are hashed off the event loop, in turn by asker, and no more often than needed."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
import pytest

from app.bots.fair_queue import QueueFull, Share
from app.play.commands.messages import NewPassword
from app.play.fair_threads import FairThreads
from app.play.log.terms import hash_password, parse_terms
from app.play.refusals import Refusal
from app.play.table_passwords import TablePasswords
from tests.play.stage import Stage


@pytest.fixture
async def passwords() -> AsyncIterator[TablePasswords]:
    opened = TablePasswords()
    yield opened
    opened.close()


class Blocked:
    """A thread that waits until the test lets it go on; what it did, in order."""

    def __init__(self, capacity: int = 64) -> None:
        self.thread = FairThreads(1, "test", capacity)
        self.done: list[str] = []
        self._may_go_on = threading.Event()
        self._first = asyncio.create_task(self.thread.run(("first",), self._may_go_on.wait))

    async def ask(self, share: Share, name: str) -> asyncio.Task[None]:
        """Queue a job; it waits when this returns."""
        job = asyncio.create_task(self.thread.run(share, lambda: self.done.append(name)))
        await asyncio.sleep(0)
        return job

    async def go_on(self, *asked: asyncio.Task[None]) -> list[str]:
        self._may_go_on.set()
        await asyncio.gather(self._first, *asked, return_exceptions=True)
        self.thread.close()
        return self.done


async def test_a_new_asker_is_served_after_one_job_of_each_other() -> None:
    blocked = Blocked()
    asked = [await blocked.ask(("mallory",), "m") for _ in range(8)]
    asked += [await blocked.ask(("trudy",), "t"), await blocked.ask(("ann",), "a")]
    assert "a" in (await blocked.go_on(*asked))[:3]


async def test_many_guests_of_one_network_cannot_keep_a_newcomer_out() -> None:
    blocked = Blocked()
    guests = [await blocked.ask(("2001:db8::/48", f"/64 number {n}"), "g") for n in range(100)]
    assert sum(guest.done() for guest in guests) == 100 - 63, "the queue is full"
    newcomer = await blocked.ask(("ann",), "a")
    assert "a" in (await blocked.go_on(*guests, newcomer))[:2]


async def test_waiting_jobs_of_a_cancelled_asker_are_dropped() -> None:
    blocked = Blocked()
    gone, stays = await blocked.ask(("mallory",), "gone"), await blocked.ask(("ann",), "stays")
    gone.cancel()
    assert await blocked.go_on(stays) == ["stays"]


async def test_a_thread_stays_busy_until_the_job_of_a_cancelled_asker_ends() -> None:
    threads, may_go_on, done = FairThreads(1, "test", 8), threading.Event(), list[str]()
    gone = asyncio.create_task(threads.run(("mallory",), may_go_on.wait))
    await asyncio.sleep(0)
    gone.cancel()
    stays = asyncio.create_task(threads.run(("ann",), lambda: done.append("stays")))
    await asyncio.sleep(0.01)
    assert (threads.job_count, done) == (2, [])
    may_go_on.set()
    await stays
    assert done == ["stays"]
    with pytest.raises(asyncio.CancelledError):
        await gone
    threads.close()
    with pytest.raises(QueueFull):
        await threads.run(("ann",), may_go_on.wait)


async def test_a_full_queue_is_a_refusal(passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_thread", FairThreads(1, "test", 0))
    for ask in (passwords.hash("open sesame", "ann"), passwords.matches(None, "open sesame", "ann")):
        with pytest.raises(Refusal, match="too_fast"):
            await ask


def count_hashes(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """The thread of each hash that is computed from now on."""
    hashed: list[threading.Thread] = []
    really: Callable[..., bytes] = hashlib.scrypt

    def counted(*given: Any, **named: Any) -> bytes:
        hashed.append(threading.current_thread())
        return really(*given, **named)

    monkeypatch.setattr(hashlib, "scrypt", counted)
    return hashed


async def test_a_right_password_is_hashed_once(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = hash_password("open sesame")
    hashed, charged = count_hashes(monkeypatch), []
    for person in ("ann", "bo", "ann"):
        for _ in range(3):
            assert await passwords.matches(stored, "open sesame", person, lambda: charged.append(1))
    assert (len(hashed), len(charged)) == (1, 1)
    for _ in range(2):  # a wrong one is paid for each time
        assert not await passwords.matches(stored, "open barley", "bo", lambda: charged.append(1))
    assert (len(hashed), len(charged)) == (3, 3)


async def test_spaces_around_a_password_do_not_count(passwords: TablePasswords) -> None:
    stored = await passwords.hash("open sesame ", "ann")
    for typed in ("open sesame", "open sesame ", "  open sesame\n"):
        assert await passwords.matches(stored, typed, "bo")
    assert not await passwords.matches(stored, "opensesame", "bo")
    kept = hash_password("open sesame ")  # by release 0.1.0
    assert await passwords.matches(kept, "open sesame ", "bo")
    assert not await passwords.matches(kept, "open sesame", "bo")


def test_password_of_spaces_is_refused() -> None:
    with pytest.raises(Refusal, match="bad_options"):
        parse_terms({"visibility": "password", "password": "  "})
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"do": "password", "id": "k3v9x0re", "password": "  "}, NewPassword)


async def test_each_hash_of_a_password_with_spaces_is_charged(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = hash_password("open sesame")
    hashed, charged = count_hashes(monkeypatch), []
    assert not await passwords.matches(stored, " open barley ", "bo", lambda: charged.append(1))
    assert (len(hashed), len(charged)) == (2, 2)


async def test_concurrent_checks_of_one_password_share_one_hash(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = hash_password("open sesame")
    hashed = count_hashes(monkeypatch)
    asked = [passwords.matches(stored, "open sesame", "the club's address") for _ in range(50)]
    assert all(await asyncio.gather(*asked))
    assert len(hashed) == 1


async def test_nothing_is_hashed_if_the_charge_is_refused(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise Refusal("too_fast")

    hashed = count_hashes(monkeypatch)
    for stored in (hash_password("open sesame"), None):
        before = len(hashed)
        with pytest.raises(Refusal, match="too_fast"):
            await passwords.matches(stored, "open sesame", "ann", refuse)
        assert len(hashed) == before


async def test_a_missing_table_never_matches_and_always_costs_a_hash(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = count_hashes(monkeypatch)
    for _ in range(2):
        assert not await passwords.matches(None, "open sesame", "ann")
    assert len(hashed) == 2


async def test_hashing_runs_off_the_event_loop(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = count_hashes(monkeypatch)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, password="open sesame")
    await ann.enter(game)
    await bo.enter(game, password="open sesame")
    await ann.send("password", password="parrot")
    assert len(hashed) == 3
    assert threading.main_thread() not in hashed
