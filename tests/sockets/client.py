"""A client as docs/protocol.md describes one: holds seq, table, view, choices and clock, and resumes."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import Callable
from random import Random
from typing import Any

import httpx
import orjson
import websockets
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from app import rules
from app.bots import Budget, choose
from app.client.sealing import Keeper
from tests.sockets.running_server import RunningServer

_names = itertools.count(1)
Message = dict[str, Any]


class Refused(Exception):
    """The server refused a command."""

    def __init__(self, message: Message) -> None:
        super().__init__(message["code"])
        self.code: str = message["code"]
        self.message = message


class Client:
    """One person's client."""

    def __init__(self, server: RunningServer, http: httpx.AsyncClient, person: str, name: str) -> None:
        self.server = server
        self.http = http
        self.person = person
        self.name = name
        self.game = ""
        self.link: ClientConnection | None = None
        self.seq = 0
        self.table: Message = {}
        self.view: Message | None = None
        self.choices: list[Message] = []
        self.may_undo = False
        self.clock: Message | None = None
        self.seat: int | None = None
        self.log: list[Message] = []
        self.closed_with: int | None = None
        self.keeper = Keeper()
        self.opens = True  # by itself, as clients do
        self.speaks = 2
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    # -- coming and going --------------------------------------------------------------------------

    async def open(self, path: str, sock: Any = None, **headers: str) -> ClientConnection:
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return await connect(
            f"{self.server.sockets}{path}",
            additional_headers={"Cookie": cookie, "Origin": self.server.base, **headers},
            compression=None,
            max_size=None,
            sock=sock,
        )

    async def join(self, game: str, *, resume: bool = False, password: str | None = None) -> Client:
        self.game = game
        self.closed_with = None
        if not resume:
            self.seq, self.table, self.view, self.choices, self.clock = 0, {}, None, [], None
        start = len(self.log)
        self.link = await self.open(f"/ws/game/{game}")
        self.keeper.again()
        self._reading = asyncio.create_task(self._read(self.link))
        hello = (
            {"v": self.speaks}
            | ({"seq": self.seq} if resume else {})
            | ({"password": password} if password else {})
        )
        await self.say("hello", **hello)
        await self.until(lambda: self._is_greeted(start) or self.closed_with)
        return self

    def _is_greeted(self, start: int) -> bool:
        """Welcomed with all that belongs to it, or turned away."""
        kinds = [message["t"] for message in self.log[start:]]
        return "presence" in kinds or "refused" in kinds

    async def leave(self) -> None:
        if self.link is not None:
            await self.link.close()
        if self._reading is not None:
            await self._reading

    async def _read(self, link: ClientConnection) -> None:
        try:
            async for frame in link:
                self.absorb(orjson.loads(frame))
                wanted = self.keeper.answer(self.table, self.seat) if self.opens and self.table else None
                if wanted is not None:
                    await self.say(**wanted, id=new_id())
                async with self._news:
                    self._news.notify_all()
        except ConnectionClosed:
            pass
        finally:
            self.closed_with = link.close_code
            async with self._news:
                self._news.notify_all()

    # -- what a client keeps -----------------------------------------------------------------------

    def absorb(self, message: Message) -> None:
        """Exactly what §1 of the protocol says."""
        self.log.append(message)
        kind = message["t"]
        if kind == "refused" and "state" in message:
            self._take_state(message["state"])
        elif kind == "state":
            self._take_state(message)
        elif kind in ("events", "table"):
            assert message["seq"] == self.seq + 1, (
                f"{self.name}: a hole between {self.seq} and {message['seq']}"
            )
            self.seq = message["seq"]
            if kind == "events":
                for event in message["events"]:
                    rules.fold(self.view or {}, event, self.seat)
            else:
                self.seat = message["you"]["seat"]
            self._take_common(message)

    def _take_state(self, state: Message) -> None:
        if state["seq"] < self.seq:
            return
        self.seq = state["seq"]
        self.seat = state["you"]["seat"]
        self.view = None
        self._take_common(state)

    def _take_common(self, message: Message) -> None:
        self.table = message.get("table", self.table)
        self.view = message.get("view", self.view)
        self.clock = message.get("clock", self.clock)
        self.choices = message.get("choices", [])
        self.may_undo = message.get("undo", False)

    # -- talking -----------------------------------------------------------------------------------

    async def say(self, do: str, **fields: Any) -> None:
        assert self.link is not None
        with contextlib.suppress(ConnectionClosed):  # the reader notes with which code
            await self.link.send(orjson.dumps({"do": do, **fields}).decode())

    async def until(self, met: Callable[[], Any], seconds: float = 30.0) -> Any:
        async with asyncio.timeout(seconds):
            async with self._news:
                await self._news.wait_for(met)
        return met()

    async def reaches(self, seq: int) -> None:
        await self.until(lambda: self.seq >= seq)

    async def is_closed(self) -> int:
        """The code the server closed this socket with."""
        return int(await self.until(lambda: self.closed_with))

    async def sees(self, name: str, value: Any) -> None:
        """Until the table says so."""
        await self.until(lambda: self.table.get(name) == value)

    async def command(self, do: str, **fields: Any) -> Message:
        """The frame that acknowledges it; raises Refused."""
        fields.setdefault("id", new_id())
        if do == "sit" and not {"nonce", "seal"} & fields.keys():
            fields |= self.keeper.sit(self.table)
        start = len(self.log)
        await self.say(do, **fields)

        def answer() -> Message | None:
            for message in self.log[start:]:
                if message.get("ack") == fields["id"] or (
                    message["t"] == "refused" and message["id"] == fields["id"]
                ):
                    return message
            return None

        found: Message | None = await self.until(lambda: answer() or self.closed_with)
        found = answer()
        assert found is not None, f"{self.name} was closed with {self.closed_with}"
        if found["t"] == "refused":
            raise Refused(found)
        if do == "start" and self.opens:  # until everybody else's client has opened
            await self.until(lambda: self.table["status"] != "open")
        return found

    async def act(self, action: Message, **fields: Any) -> Message:
        return await self.command("act", **{"version": self.seq, "action": action, **fields})

    async def refused(self, do: str, **fields: Any) -> str:
        """The code it is refused with."""
        try:
            await self.command(do, **fields)
        except Refused as refused:
            return refused.code
        raise AssertionError(f"{do} was accepted")

    def of(self, kind: str) -> list[Message]:
        return [message for message in self.log if message["t"] == kind]


def new_id() -> str:
    return secrets.token_urlsafe(9)


class Clients:
    """All clients of a test; closes them at its end."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.everyone: list[Client] = []

    async def person(self, name: str | None = None) -> Client:
        """Somebody with a session."""
        http = httpx.AsyncClient(base_url=self.server.base, headers={"Origin": self.server.base}, timeout=30)
        wanted = name or f"Guest {next(_names)} {secrets.token_hex(3)}"
        answer = await http.post("/api/v1/me", json={"name": wanted})
        assert answer.status_code == 200, answer.text
        client = Client(self.server, http, answer.json()["person"]["id"], wanted)
        self.everyone.append(client)
        return client

    async def nobody(self) -> Client:
        """Somebody without a session."""
        http = httpx.AsyncClient(base_url=self.server.base, timeout=30)
        client = Client(self.server, http, "", "")
        self.everyone.append(client)
        return client

    def twin(self, client: Client) -> Client:
        """The same person on another device, as far as the server can tell."""
        twin = Client(self.server, client.http, client.person, client.name)
        self.everyone.append(twin)
        return twin

    async def open_table(self, host: Client, preset: str = "jamaica", players: int = 2, **wishes: Any) -> str:
        options = {"preset": preset, "players": players, **wishes.pop("options", {})}
        answer = await host.http.post("/api/v1/games", json={"options": options, **wishes})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def game(self, players: int = 2, preset: str = "jamaica", **wishes: Any) -> list[Client]:
        """A running game; its seated in seat order, seat 0 is host and begins."""
        seated = [await self.person() for _ in range(players)]
        options = {"first": 0, **wishes.pop("options", {})}
        seats = players + len(wishes.get("bots", []))
        game = await self.open_table(seated[0], preset, seats, options=options, **wishes)
        for client in seated:
            await client.join(game)
            await client.command("sit")
            await client.command("ready", ready=True)
        await seated[0].command("start")
        for client in seated:
            await client.sees("status", "running")
        return seated

    async def close(self) -> None:
        for client in self.everyone:
            await client.leave()
        for http in {id(client.http): client.http for client in self.everyone}.values():
            await http.aclose()


def advance(client: Client) -> Message:
    return next(choice["action"] for choice in client.choices if choice["action"]["type"] == "advance")


def good_choice(client: Client) -> Message:
    """What a plain bot would do with what this client knows, so that games end.

    Two such bots may both wait for the other to move: now and then one of them does anything at all.
    """
    assert client.view is not None
    actions = [choice["action"] for choice in client.choices]
    chance = Random(client.seq)
    chosen = choose(client.view, actions, [], "sailor", Budget(nodes=500), chance, seat=client.seat)
    if chosen["type"] == "end" and chance.random() < 0.1:
        return chance.choice([action for action in actions if action["type"] != "resign"])
    return chosen


async def play_out(seated: list[Client], actions: int = 3000) -> None:
    """Play so many actions, or until the game is over."""
    done = 0
    for _ in range(20 * actions):
        if seated[0].table["status"] != "running" or done >= min(actions, 3000):
            break
        actor = next((client for client in seated if client.choices), None)
        if actor is None:
            await asyncio.sleep(0.002)
            continue
        await actor.act(good_choice(actor))
        done += 1
        await asyncio.gather(*(client.reaches(actor.seq) for client in seated))
    assert done < 3000, "the game did not end"


__all__ = ["Client", "Clients", "Refused", "advance", "good_choice", "new_id", "play_out", "websockets"]
