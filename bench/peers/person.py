"""Somebody who sits down at our own server: the protocol client of `app/client` over the generator's raw socket.

It joins, seals and opens; the actions that are measured go past it.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from copy import copy
from typing import Any

from app.client.protocol import GameProtocol, decode, encode
from bench.peers.client import Hearer, Socket, connect, post

__all__ = ["Guest", "Person", "start"]

_ACK = b'"ack":'


class Guest:
    """A session at one server, and what its requests say of it."""

    def __init__(self, port: int, cookies: list[str], csrf: str) -> None:
        self.port = port
        self.headers = (f"Origin: http://127.0.0.1:{port}", "Cookie: " + "; ".join(cookies))
        self._csrf = f"X-CSRF: {csrf}"

    def at(self, port: int) -> Guest:
        """The same browser at another worker, or at a server that was started again."""
        moved = copy(self)
        moved.port, moved.headers = port, (f"Origin: http://127.0.0.1:{port}", self.headers[1])
        return moved

    @classmethod
    async def new(cls, port: int) -> Guest:
        origin = f"Origin: http://127.0.0.1:{port}"
        me, cookies = await post(port, "/api/v1/me", {"name": f"P{secrets.token_hex(6)}"}, origin)
        return cls(port, cookies, me["csrf"])

    async def open_table(self, players: int) -> str:
        wish = {"options": {"preset": "jamaica", "players": players}, "visibility": "unlisted"}
        made, _ = await post(self.port, "/api/v1/games", wish, *self.headers, self._csrf)
        return str(made["id"])

    async def join(self, hearer: Hearer, game: str, *, table: Any, seat: int) -> Person:
        """At the table and told of it."""
        path = f"/ws/game/{game}"
        socket = await connect(hearer, self.port, path, *self.headers, table=table, seat=seat)
        person = Person(socket)
        await person.say(person.hello(), b'"t":"state"')
        return person


class Person(GameProtocol):
    """Hears only the answers to what it says itself."""

    def __init__(self, socket: Socket) -> None:
        super().__init__()
        self.socket = socket

    async def say(self, message: dict[str, Any], until: bytes = _ACK) -> None:
        """Say something and take the frame that shows it was heard."""
        self.socket.send(encode(message).encode())
        self.receive(decode(await self.socket.hear(until)))

    async def sit(self) -> None:
        await self.say(self.begin("sit", **self.keeper.sit_fields(self.table)))
        await self.say(self.begin("ready", ready=True))


async def start(people: Sequence[Person]) -> None:
    """The first of them starts the game and all open what they have sealed."""
    host = people[0]
    await host.say(host.begin("start"))
    for person in people:
        person.table = host.table  # which they were all told
        opening = person.next_sealing_command()
        assert opening is not None
        await person.say(opening)
