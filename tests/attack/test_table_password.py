"""Sockets that repeat a correct table password delay no other client with their hashes."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable
from typing import Any

import pytest

from app.play.log import terms
from tests.sockets.client import Client, Clients
from tests.sockets.running_server import in_process
from tests.web.running_site import running
from tests.web.tables import open_table

SOCKETS = 20
HELLOS = 20


async def repeat_hello(client: Client, password: str) -> None:
    """Send hello repeatedly with the password, and wait for all answers."""
    before = sum(message["t"] == "welcome" for message in client.log)
    for _ in range(HELLOS):
        await client.say("hello", v=2, password=password)
    await client.until(lambda: sum(m["t"] == "welcome" for m in client.log) == before + HELLOS)


async def come_again(client: Client, game: str) -> None:
    await client.leave()
    await client.join(game, password="mallory's")


@pytest.mark.parametrize("comes", ["again on its socket", "with new sockets"])
async def test_a_repeated_correct_password_is_not_hashed_again(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, comes: str
) -> None:
    hashed: list[bytes] = []
    really: Callable[..., bytes] = hashlib.scrypt

    def counted(password: bytes, **named: Any) -> bytes:
        hashed.append(password)
        return really(password, **named)

    async with in_process(sqlite_url) as server:
        clients = Clients(server)
        host, ann, *attackers = [await clients.person() for _ in range(SOCKETS + 2)]
        theirs = await clients.open_table(host, visibility="password", password="mallory's")
        other = await clients.open_table(host, visibility="password", password="open sesame")
        monkeypatch.setattr(hashlib, "scrypt", counted)
        for each in attackers:
            await each.join(theirs, password="mallory's")
        if comes == "again on its socket":
            attacks = [asyncio.create_task(repeat_hello(each, "mallory's")) for each in attackers]
        else:
            attacks = [asyncio.create_task(come_again(each, theirs)) for each in attackers]
        began = time.perf_counter()
        await ann.join(other, password="open sesame")
        print(f"{SOCKETS} sockets, {HELLOS} hellos each: entered after {time.perf_counter() - began:.3f} s")
        await asyncio.gather(*attacks)
        assert ann.log[0]["t"] == "welcome"
        assert hashed == [b"mallory's", b"open sesame"]
        await clients.close()


@pytest.mark.parametrize("same", ["person", "address"])
async def test_correct_passwords_are_charged_to_person_and_address(sqlite_url: str, same: str) -> None:
    """Correct passwords at ever new tables are limited too."""
    affordable = 4
    limits = {"requests_per_second": 0.01, "requests_burst": int(affordable * terms.HASH_CHARGE_MS / 5)}
    async with running(sqlite_url, **limits) as site:
        games = []
        for number in range(affordable + 1):
            host, _ = await site.guest(f"Host {number}", f"198.51.100.{number}")
            games.append(await open_table(host, visibility="password", password="open sesame"))
        friend, _ = await site.guest("Bo Bellows", "203.0.113.1")
        codes = []
        for number, game in enumerate(games):
            address = "203.0.113.1" if same == "address" else f"203.0.113.{number + 1}"
            visitor = site.browser(address)
            if same == "person":
                visitor.cookies.update(friend.cookies)
            answer = await visitor.get(f"/api/v1/games/{game}", headers={"X-Room-Password": "open sesame"})
            codes.append(answer.status_code)
        assert codes == [200] * affordable + [429]
        stranger = site.browser("203.0.113.99")
        answer = await stranger.get(f"/api/v1/games/{games[-1]}", headers={"X-Room-Password": "open sesame"})
        assert answer.status_code == 200
