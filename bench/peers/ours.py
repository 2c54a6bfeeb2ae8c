"""How our own server is spoken to: guests with sessions, a table with hidden hands, actions the server listed."""

from __future__ import annotations

import random
import secrets

import orjson

from app import rules
from bench.peers.client import Socket, connect, post
from bench.peers.load import Adapter, Load, Table

__all__ = ["Ours"]

_TRIES = 6  # to find an action that does not bring a pirate home: so a table lasts as long as a run


class OurTable(Table):
    """A table of ours: the next action is one of the choices of whoever is to act."""

    __slots__ = ("actor", "chance", "choices", "commitment", "game", "nonces", "seq")

    def __init__(self, load: Load, number: int, players: int) -> None:
        super().__init__(load, number, players)
        self.chance = random.Random(number)
        self.game = ""
        self.commitment = ""
        self.nonces: list[str] = []
        self.seq = 0
        self.actor: Socket
        self.choices: list[dict[str, object]] = []


class Ours(Adapter):
    """Speaks docs/protocol.md."""

    table = OurTable

    async def join(self, table: Table, seat: int) -> Socket:
        assert isinstance(table, OurTable)
        origin = f"Origin: http://127.0.0.1:{self.port}"
        me, cookies = await post(self.port, "/api/v1/me", {"name": f"P{secrets.token_hex(6)}"}, origin)
        cookie = "Cookie: " + "; ".join(cookies)
        if seat == 0:
            wish = {"options": {"preset": "jamaica", "players": table.players}, "visibility": "unlisted"}
            made, _ = await post(self.port, "/api/v1/games", wish, origin, cookie, f"X-CSRF: {me['csrf']}")
            table.game, table.commitment = made["id"], made["commitment"]
        socket = await connect(
            self, self.port, f"/ws/game/{table.game}", origin, cookie, table=table, seat=seat
        )
        await self._say(socket, b'"t":"state"', do="hello", v=2)
        if seat < table.players:
            table.nonces.append(secrets.token_hex(16))
            seal = rules.seal_of(table.commitment, table.nonces[seat])
            await self._say(socket, b'"ack":', do="sit", seal=seal)
            await self._say(socket, b'"ack":', do="ready", ready=True)
        if seat == table.players - 1:
            host = table.sockets[0]
            await self._say(host, b'"ack":', do="start")
            for seated, nonce in zip([*table.sockets, socket], table.nonces, strict=True):
                await self._say(seated, b'"ack":', do="open", nonce=nonce, next_seal=secrets.token_hex(32))
        return socket

    async def _say(self, socket: Socket, until: bytes, **message: object) -> None:
        """Say something and wait for the frame that shows it was heard."""
        if message["do"] != "hello":
            message["id"] = secrets.token_hex(8)
        socket.send(orjson.dumps(message))
        await socket.hear(until)

    def act(self, table: Table) -> None:
        assert isinstance(table, OurTable)
        pick = table.chance.choice
        choice = pick(table.choices)
        for _ in range(_TRIES):
            if choice.get("to") != "goal":
                break
            choice = pick(table.choices)
        if choice.get("to") == "goal" and choice["final"]:
            # The last pirate stays: a game that is won before its time leaves its table with nothing to measure.
            others = [other for other in table.choices if other.get("to") != "goal"]
            choice = pick(others or table.choices)
        table.actor.send(
            b'{"do":"act","id":"bench%08d","version":%d,"action":%b}'
            % (table.seq, table.seq, orjson.dumps(choice["action"]))
        )

    def heard(self, socket: Socket, payload: bytes) -> None:
        is_to_act = b'"choices":' in payload
        if is_to_act:
            frame = orjson.loads(payload)
            if frame["t"] == "refused":
                self.load.failed(payload)
                return
            table = socket.table
            assert isinstance(table, OurTable)
            table.seq, table.choices, table.actor = frame["seq"], frame["choices"], socket
        if payload.startswith(b'{"t":"events"'):
            self.update(socket, len(payload), is_to_act=is_to_act)
        else:
            socket.give(payload)
            if payload.startswith(b'{"t":"refused"'):
                self.load.failed(payload)
