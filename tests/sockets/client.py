"""The protocol client of `app/client` on a socket, for tests: waits, resumes, and fails on every gap."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Callable
from random import Random
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect

from app.bots import Budget, choose
from app.client.protocol import GameProtocol, new_command_id
from app.client.socket import receive, send
from tests.sockets.running_server import RunningServer

_names = itertools.count(1)
Message = dict[str, Any]


class Refused(Exception):
    """The server refused a command."""

    def __init__(self, message: Message) -> None:
        super().__init__(message["code"])
        self.code: str = message["code"]
        self.message = message


class Client(GameProtocol):
    """One person's client: resumes when told to, keeps every frame, and fails on every gap."""

    def __init__(self, server: RunningServer, http: httpx.AsyncClient, person: str, name: str) -> None:
        super().__init__()
        self.server = server
        self.http = http
        self.person = person
        self.name = name
        self.game = ""
        self.link: ClientConnection | None = None
        self.log: list[Message] = []
        self.closed_with: int | None = None
        self.opens = True  # automatically, as clients do
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    # -- connecting --------------------------------------------------------------------------------

    @property
    def headers(self) -> dict[str, str]:
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        return {"Cookie": cookie, "Origin": self.server.base}

    async def open(self, path: str, sock: Any = None, **headers: str) -> ClientConnection:
        return await connect(
            f"{self.server.sockets}{path}",
            additional_headers={**self.headers, **headers},
            compression=None,
            max_size=None,
            sock=sock,
        )

    async def join(self, game: str, *, resume: bool = False, password: str | None = None) -> Client:
        self.game = game
        self.closed_with = None
        if not resume:
            self.reset()
        self.password = password
        start = len(self.log)
        self.link = await self.open(f"/ws/game/{game}")
        self.keeper.on_reconnect()  # nothing is resent unless a test does so
        self._reading = asyncio.create_task(self._read(self.link))
        await send(self.link, self.hello())
        await self.until(lambda: self._is_greeted(start) or self.closed_with)
        return self

    def _is_greeted(self, start: int) -> bool:
        """Return whether the greeting is complete, or the client was refused."""
        kinds = [message["t"] for message in self.log[start:]]
        return "presence" in kinds or "refused" in kinds

    async def leave(self) -> None:
        if self.link is not None:
            await self.link.close()
        if self._reading is not None:
            await self._reading

    async def _read(self, link: ClientConnection) -> None:
        try:
            while (frame := await receive(link)) is not None:
                self.receive(frame)
                opening = self.next_sealing_command() if self.opens else None
                if opening is not None:
                    await send(link, opening)
                async with self._news:
                    self._news.notify_all()
        finally:
            self.closed_with = link.close_code
            async with self._news:
                self._news.notify_all()

    def receive(self, frame: Message) -> None:
        self.log.append(frame)
        super().receive(frame)
        assert not self.problems, f"{self.name}: {self.problems}"

    # -- messages ----------------------------------------------------------------------------------

    async def say(self, do: str, **fields: Any) -> None:
        assert self.link is not None
        await send(self.link, {"do": do, **fields})

    async def until(self, met: Callable[[], Any], seconds: float = 30.0) -> Any:
        async with asyncio.timeout(seconds):
            async with self._news:
                await self._news.wait_for(met)
        return met()

    async def reaches(self, seq: int) -> None:
        await self.until(lambda: self.seq >= seq)

    async def is_closed(self) -> int:
        """Wait until the server closes this socket and return the code."""
        return int(await self.until(lambda: self.closed_with))

    async def sees(self, name: str, value: Any) -> None:
        """Wait until the table satisfies the condition."""
        await self.until(lambda: self.table.get(name) == value)

    async def command(self, do: str, **fields: Any) -> Message:
        """Send a command and return the frame that acknowledges it. Raise Refused."""
        if do == "sit" and "seal" not in fields:
            fields |= self.keeper.sit_fields(self.table)
        start = len(self.log)
        said = self.begin(do, **fields)
        assert self.link is not None
        await send(self.link, said)

        def answer() -> Message | None:
            for message in self.log[start:]:
                if message.get("ack") == said["id"] or (
                    message["t"] == "refused" and message["id"] == said["id"]
                ):
                    return message
            return None

        found: Message | None = await self.until(lambda: answer() or self.closed_with)
        found = answer()
        assert found is not None, f"{self.name} was closed with {self.closed_with}"
        if found["t"] == "refused":
            raise Refused(found)
        if do == "start" and self.opens:  # until all other clients have opened
            await self.until(lambda: self.table["status"] != "open")
        return found

    async def act(self, action: Message, **fields: Any) -> Message:
        return await self.command("act", **{"version": self.seq, "action": action, **fields})

    async def refused(self, do: str, **fields: Any) -> str:
        """Send a command that must be refused and return the code."""
        try:
            await self.command(do, **fields)
        except Refused as refused:
            return refused.code
        raise AssertionError(f"{do} was accepted")

    def of(self, kind: str) -> list[Message]:
        return [message for message in self.log if message["t"] == kind]


class Clients:
    """The clients of a test, closed at its end."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        self.everyone: list[Client] = []

    async def person(self, name: str | None = None) -> Client:
        """Connect a person with a session."""
        http = httpx.AsyncClient(base_url=self.server.base, headers={"Origin": self.server.base}, timeout=30)
        wanted = name or f"Guest {next(_names)} {secrets.token_hex(3)}"
        answer = await http.post("/api/v1/me", json={"name": wanted})
        assert answer.status_code == 200, answer.text
        client = Client(self.server, http, answer.json()["person"]["id"], wanted)
        self.everyone.append(client)
        return client

    async def nobody(self) -> Client:
        """Connect a client without a session."""
        http = httpx.AsyncClient(base_url=self.server.base, timeout=30)
        client = Client(self.server, http, "", "")
        self.everyone.append(client)
        return client

    def twin(self, client: Client) -> Client:
        """Connect the same person with the same session a second time."""
        twin = Client(self.server, client.http, client.person, client.name)
        self.everyone.append(twin)
        return twin

    async def open_table(self, host: Client, preset: str = "jamaica", players: int = 2, **wishes: Any) -> str:
        options = {"preset": preset, "players": players, **wishes.pop("options", {})}
        answer = await host.http.post("/api/v1/games", json={"options": options, **wishes})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def game(self, players: int = 2, preset: str = "jamaica", **wishes: Any) -> list[Client]:
        """Start a game and return its players in seat order. Seat 0 is host and starts."""
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
    """Return what a bot would do with what this client knows, so that games end.

    The bot needs the events it has seen: it gives up waiting for others after an unusual number of turns.
    """
    assert client.view is not None
    actions = [choice["action"] for choice in client.choices]
    history = [event for message in client.of("events") for event in message["events"]]
    rng = Random(client.seq)
    return choose(client.view, actions, history, "sailor", Budget(nodes=500), rng, seat=client.seat)


async def play_out(seated: list[Client], actions: int = 3000) -> None:
    """Play a number of actions, or until the game is over."""
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


__all__ = ["Client", "Clients", "Refused", "advance", "good_choice", "new_command_id", "play_out"]
