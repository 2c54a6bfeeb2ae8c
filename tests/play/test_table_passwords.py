"""Passwords of tables are hashed off the event loop, in turn by asker, and no more often than needed."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from app.play import table_passwords
from app.play.log.terms import hash_of
from app.play.refusals import Refusal
from app.play.table_passwords import MAX_WAITING_PER_ASKER, FairThread, TablePasswords
from tests.play.stage import Stage


@pytest.fixture
async def passwords() -> AsyncIterator[TablePasswords]:
    opened = TablePasswords()
    yield opened
    opened.close()


class Blocked:
    """A thread that waits until the test lets it go on; what it did, in order."""

    def __init__(self) -> None:
        self.thread = FairThread("test")
        self.done: list[str] = []
        self._may_go_on = threading.Event()
        self.thread.run("first", self._may_go_on.wait)

    def ask(self, asker: str, name: str) -> asyncio.Future[None]:
        return self.thread.run(asker, lambda: self.done.append(name))

    async def go_on(self, *asked: asyncio.Future[Any]) -> list[str]:
        self._may_go_on.set()
        await asyncio.gather(*asked)
        self.thread.close()
        return self.done


async def test_a_bystander_is_served_after_one_of_each_other_asker() -> None:
    blocked = Blocked()
    asked = [blocked.ask("mallory", f"m{number}") for number in range(MAX_WAITING_PER_ASKER)]
    asked += [blocked.ask("trudy", "t0"), blocked.ask("ann", "a0")]
    assert (await blocked.go_on(*asked))[:4] == ["m0", "t0", "a0", "m1"]


async def test_one_asker_cannot_fill_the_queue() -> None:
    blocked = Blocked()
    asked = [blocked.ask("mallory", "m") for _ in range(MAX_WAITING_PER_ASKER)]
    with pytest.raises(Refusal, match="too_fast"):
        blocked.ask("mallory", "one more")
    asked.append(blocked.ask("ann", "a"))
    assert (await blocked.go_on(*asked))[1] == "a"


async def test_many_askers_cannot_keep_a_newcomer_out() -> None:
    blocked = Blocked()
    asked = [
        blocked.ask(f"guest {n}", "g")
        for n in range(table_passwords.MAX_WAITING // MAX_WAITING_PER_ASKER)
        for _ in range(MAX_WAITING_PER_ASKER)
    ]
    with pytest.raises(Refusal, match="too_fast"):
        blocked.ask("guest 0", "one more")
    asked.append(blocked.ask("ann", "a"))
    assert "a" in (await blocked.go_on(*asked))[:10]


async def test_work_of_an_asker_who_has_gone_is_left_out() -> None:
    blocked = Blocked()
    gone, stays = blocked.ask("mallory", "gone"), blocked.ask("ann", "stays")
    gone.cancel()
    assert await blocked.go_on(stays) == ["stays"]


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
    stored = hash_of("open sesame")
    hashed, charged = count_hashes(monkeypatch), []
    for person in ("ann", "bo", "ann"):
        for _ in range(3):
            assert await passwords.is_right(stored, "open sesame", person, lambda: charged.append(1))
    assert (len(hashed), len(charged)) == (1, 1)
    for _ in range(2):  # a wrong one is paid for each time
        assert not await passwords.is_right(stored, "open barley", "bo", lambda: charged.append(1))
    assert (len(hashed), len(charged)) == (3, 3)


async def test_people_who_come_at_once_share_one_hash(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = hash_of("open sesame")
    hashed = count_hashes(monkeypatch)
    asked = [passwords.is_right(stored, "open sesame", "the club's address") for _ in range(50)]
    assert all(await asyncio.gather(*asked))
    assert len(hashed) == 1


async def test_whoever_cannot_pay_has_nothing_hashed(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise Refusal("too_fast")

    hashed = count_hashes(monkeypatch)
    for stored in (hash_of("open sesame"), None):
        before = len(hashed)
        with pytest.raises(Refusal, match="too_fast"):
            await passwords.is_right(stored, "open sesame", "ann", refuse)
        assert len(hashed) == before


async def test_no_table_is_never_right_and_always_hashed(
    passwords: TablePasswords, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed = count_hashes(monkeypatch)
    for _ in range(2):
        assert not await passwords.is_right(None, "open sesame", "ann")
    assert len(hashed) == 2


async def test_the_event_loop_hashes_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = count_hashes(monkeypatch)
    ann, bo = stage.guest("ann"), stage.guest("bo")
    game = await stage.open_table(ann, password="open sesame")
    await ann.come(game)
    await bo.come(game, password="open sesame")
    await ann.send("password", password="parrot")
    assert len(hashed) == 3
    assert threading.main_thread() not in hashed
