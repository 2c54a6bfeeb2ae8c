"""One table in two worlds: the same people, log, commitment and commands; only unseen cards differ.

A world is the whole server on real sockets. Its rules are unchanged except that the test determines the deal. That
requires a patch inside the process; no setting, route or message allows it.
"""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import orjson
import pytest
from websockets.asyncio.client import ClientConnection, connect

from app import rules
from app.play import create, deal_rules, engines
from app.play.deal import days
from app.web.ws import session
from app.web.ws.transport.protocol import SocketProtocol
from tests.attack.received_bytes import ReceivedBytes
from tests.attack.slots import Audience, Move
from tests.play.stage import replace_ports
from tests.sockets.running_server import RunningServer, in_process

HOST = "table.example"
NOW = 1_800_000_000_000
SEED = "5e" * 32


class Laid:
    """The rules with a given deal."""

    def __init__(self, position: rules.Position, engine: Any = rules) -> None:
        self._position = position
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def new_game(self, options: rules.Options, seed: str) -> rules.Position:
        return self._position.copy()


@dataclass
class Stage:
    """A table with all players ready, stored as files from which worlds start."""

    folder: Path
    game: str
    people: list[str]
    cookies: list[str]
    position: rules.Position


Leak = Callable[[pytest.MonkeyPatch, Laid], None]


async def set_up(folder: Path, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Create the people (one more than seats, as a spectator), their sessions and the table."""
    with monkeypatch.context() as fixed:
        letters = random.Random(5)
        fixed.setattr(
            create,
            "secrets",
            SimpleNamespace(
                token_hex=lambda n: SEED[: 2 * n], choice=letters.choice, randbelow=letters.randrange
            ),
        )
        async with in_process(f"sqlite:///{folder / 'table.db'}") as server:
            people, cookies = [], []
            for seat in range(options["players"] + 1):
                async with _client(server) as http:
                    answer = await http.post("/api/v1/me", json={"name": f"Sailor {'ABCDEF'[seat]}"})
                    people.append(answer.json()["person"]["id"])
                    cookies.append(f"cartagena={http.cookies['cartagena']}")
            async with _client(server, cookies[0]) as http:
                made = await http.post("/api/v1/games", json={"options": {**options, "first": 0}})
                game = made.json()["id"]
            nonces = [f"{seat:032x}" for seat in range(options["players"])]
            commitment = rules.commitment_of(SEED)
            for seat, nonce in enumerate(nonces):
                seal = rules.seal_of(commitment, nonce)
                async with _client(server, cookies[seat]) as http:
                    for number, command in enumerate(
                        ({"do": "sit", "seal": seal, "seat": seat}, {"do": "ready", "ready": True})
                    ):
                        body = {**command, "id": f"setup-{seat}-{number}"}
                        done = await http.post(f"/api/v1/games/{game}/commands", json=body)
                        assert done.status_code == 200, done.text
    parsed = rules.parse_options({**options, "first": 0})
    position = rules.new_game(parsed, rules.seed_from(SEED, nonces))
    return Stage(folder, game, people, cookies, position)


def _client(server: RunningServer, cookie: str = "") -> httpx.AsyncClient:
    headers = {"Host": HOST, "Origin": f"http://{HOST}"} | ({"Cookie": cookie} if cookie else {})
    return httpx.AsyncClient(base_url=server.base, headers=headers, timeout=300)


class World:
    """The stage's table on its own server, seen by one viewer."""

    def __init__(self, server: RunningServer, stage: Stage, audience: Audience) -> None:
        self.server = server
        self.stage = stage
        self.audience = audience
        self.me = len(stage.people) - 1 if audience is None else audience
        self.heard = ReceivedBytes()
        self.seq = 0
        self._sockets: list[ClientConnection] = []
        self._https = [_client(server, cookie) for cookie in stage.cookies]

    async def close(self) -> None:
        for socket in self._sockets:
            await socket.close()
        for http in self._https:
            await http.aclose()

    # -- the viewer --------------------------------------------------------------------------------

    async def open(self, path: str, seat: int | None = None) -> ClientConnection:
        socket = await connect(
            f"{self.server.sockets}{path}",
            additional_headers={
                "Cookie": self.stage.cookies[self.me if seat is None else seat],
                "Origin": self.server.base,
            },
            compression=None,
            open_timeout=60,
            ping_interval=None,
            max_size=None,
            max_queue=None,  # sockets that are only present do not read, so a regular close would not arrive
        )
        self._sockets.append(socket)
        return socket

    async def until(self, socket: ClientConnection, met: Callable[[dict[str, Any]], bool]) -> None:
        """Receive everything up to the first frame of this type."""
        async with asyncio.timeout(300):
            while True:
                frame = await socket.recv(decode=False)
                self.heard.add(frame)
                message = orjson.loads(frame)
                if message["t"] in ("state", "events", "table"):
                    self.seq = message["seq"]
                if met(message):
                    return

    async def say(self, socket: ClientConnection, do: str, **fields: Any) -> None:
        await socket.send(orjson.dumps({"do": do, **fields}).decode())

    async def get(self, path: str) -> None:
        """Request an address and record status, headers and body."""
        answer = await self._https[self.me].get(path, headers={"Accept": "text/html,application/json"})
        headers = [(name, value) for name, value in answer.headers.raw if name.lower() != b"date"]
        self.heard.answers.append((path, (answer.status_code, headers, answer.content)))

    async def post(self, path: str, body: Any) -> None:
        answer = await self._https[self.me].post(path, json=body)
        headers = [(name, value) for name, value in answer.headers.raw if name.lower() != b"date"]
        self.heard.answers.append((path, (answer.status_code, headers, answer.content)))

    async def stream(self, since: int | None) -> None:
        """Record the server-sent events up to the presence that ends a greeting."""
        path = f"/api/v1/games/{self.stage.game}/events" + ("" if since is None else f"?since={since}")
        async with asyncio.timeout(300), self._https[self.me].stream("GET", path) as answer:
            async for line in answer.aiter_lines():
                if line:
                    self.heard.answers.append((path, line))
                if '"t":"presence"' in line:
                    self.heard.answers.pop()
                    return

    # -- the game ----------------------------------------------------------------------------------

    async def act(self, seat: int, action: dict[str, Any], number: int) -> None:
        """Play a move of another player, or of the viewer from another device; the viewer's socket receives it."""
        body = {"id": f"move-{number:05}", "version": self.seq, "action": action}
        done = await self._https[seat].post(f"/api/v1/games/{self.stage.game}/act", json=body)
        assert done.status_code == 200, done.text

    async def play(self, moves: list[Move], looks: set[int], pages: list[str]) -> ReceivedBytes:
        """Play the game up to the horizon. After the moves in `looks`, request everything."""
        game = self.stage.game
        lobby = await self.open("/ws/lobby")
        await self.say(lobby, "hello", v=2)
        await self.until(lobby, lambda message: message["t"] == "lobby")
        # All players stay connected, so that absence does not distinguish the worlds.
        for seat in range(len(self.stage.people) - 1):
            there = await self.open(f"/ws/game/{game}", seat)
            await self.say(there, "hello", v=2)
            while orjson.loads(await there.recv())["t"] != "presence":
                continue
        socket = await self.open(f"/ws/game/{game}")
        await self.say(socket, "hello", v=2)
        await self.until(socket, lambda message: message["t"] == "presence")
        start = {"do": "start", "id": "setup-start"}
        done = await self._https[0].post(f"/api/v1/games/{game}/commands", json=start)
        assert done.status_code == 200, done.text
        for seat in range(len(self.stage.people) - 1):
            opened = {"do": "open", "id": f"setup-open-{seat}", "nonce": f"{seat:032x}"}
            opened["next_seal"] = rules.seal_of(rules.commitment_of(SEED), f"{seat + 9:032x}")
            done = await self._https[seat].post(f"/api/v1/games/{game}/commands", json=opened)
            assert done.status_code == 200, done.text
        await self.until(socket, lambda message: message.get("kind") == "started")
        for number, (seat, action) in enumerate(moves, 1):
            at = self.seq
            if seat == self.audience:
                body = {"id": f"move-{number:05}", "version": at, "action": action}
                await self.say(socket, "act", **body)
            else:
                await self.act(seat, action, number)
            await self.until(socket, lambda message, at=at: message.get("seq") == at + 1)  # type: ignore[misc]
            if number in looks:
                await self._look(socket, number, pages)
        await self.say(lobby, "filter")
        await self.until(lobby, lambda message: message["t"] == "lobby")
        return self.heard

    async def _look(self, socket: ClientConnection, number: int, pages: list[str]) -> None:
        for path in pages:
            await self.get(path)
        await self.stream(None)
        await self.stream(max(0, self.seq - 3))
        await self._pry(socket, number)
        game = self.stage.game
        for since in (None, self.seq - 2, 0):
            again = {} if since is None else {"seq": since}
            await self.say(socket, "hello", v=2, **again)
            await self.until(socket, lambda message: message["t"] == "presence")
        room = self.server.game_server.rooms.get_loaded(game)
        here = len(room.subscribers) if room is not None else 0
        frame = await self.open(f"/ws/embed/{game}")  # with the viewer's cookie, which it must ignore
        await self.say(frame, "hello", v=2, chat=10**6)  # chat may come before or after presence
        await self.until(frame, lambda message: message["t"] == "presence")
        await frame.close()
        await self._watch()
        for _ in range(6000):  # the lobby counts spectators: both must be gone in both worlds
            if room is None or len(room.subscribers) <= here:
                break
            await asyncio.sleep(0.01)

    async def _watch(self) -> None:
        """Request what the big-screen page does, on a device where the viewer is signed in."""
        screen = await self.open(f"/ws/game/{self.stage.game}")
        await self.say(screen, "hello", v=2, watch=True, chat=10**6)  # as above
        await self.until(screen, lambda message: message["t"] == "presence")
        await screen.close()

    async def _pry(self, socket: ClientConnection, number: int) -> None:
        """Request everything that a curious client must not get."""
        game, version = self.stage.game, self.seq
        names = self.stage.position.ruleset.kinds.names
        tries: list[dict[str, Any]] = [
            {"type": "advance", "card": card, "from": place} for card in names for place in ("start", 1)
        ]
        tries += [{"type": "steal", "card": names[0]}, {"type": "discard", "cards": [names[0]] * 2}]
        tries += [{"type": "share", "keep": list(names[:2]), "give": {"0": names[0]}}]
        tries += [
            {"type": "stack", "keep": names[0], "back": []},
            {"type": "chest", "card": names[0], "from": 1},
        ]
        tries += [{"type": "rum", "card": "rum"}, {"type": "pistol", "card": "pistol", "player": 0}]
        for n, action in enumerate(tries):
            # A stale version, because an accepted move would change the world.
            await self.say(socket, "act", id=f"pry-{number:03}-{n:03}", version=0, action=action)
            await self.until(socket, lambda message: message["t"] == "refused")
        wrong = {"type": "advance", "card": "doubloon", "from": "start"}
        doors: tuple[tuple[str, dict[str, Any]], ...] = (
            ("act", {"id": f"pry-http-{number:03}", "version": version, "action": wrong}),
            ("hint", {"id": f"pry-hint-{number:03}", "version": version}),
            ("commands", {"do": "undo", "id": f"pry-undo-{number:03}", "version": 0}),
            ("commands", {"do": "rematch", "id": f"pry-more-{number:03}"}),
            ("commands", {"do": "chat", "id": f"pry-chat-{number:03}", "preset": "hello"}),
        )
        for path, body in doors:
            await self.post(f"/api/v1/games/{game}/{path}", body)
        await self.until(socket, lambda message: message["t"] == "chat")
        await self._illegal(socket, number)

    async def _illegal(self, socket: ClientConnection, number: int) -> None:
        """Send an action with a card that is not in the hand, at the current version."""
        if self.audience is None:
            return
        whole = rules.position_to_json(self.stage.position)
        hand = set(whole["players"][self.audience]["hand"])
        for n, card in enumerate(self.stage.position.ruleset.kinds.names):
            for place in ("goal", 36) if card in hand else ("goal", "start"):
                action = {"type": "advance", "card": card, "from": place}
                if place == "start":
                    continue  # the card may have been drawn since, which would make it a legal move
                body = {"id": f"ill-{number:03}-{n:03}-{place}", "version": self.seq, "action": action}
                await self.say(socket, "act", **body)
                await self.until(socket, lambda message: message["t"] in ("refused", "events"))


@contextmanager
def as_laid(monkeypatch: pytest.MonkeyPatch, position: rules.Position, leak: Leak | None) -> Iterator[None]:
    with monkeypatch.context() as patch:
        laid = Laid(position)
        patch.setitem(engines.ENGINES, engines.CURRENT_RULES_VERSION, laid)
        patch.setitem(
            engines.ENGINES,
            engines.DEAL_RULES_VERSIONS[engines.CURRENT_RULES_VERSION],
            Laid(position, deal_rules),
        )
        # The deal of the day is not part of this table and is the same in both worlds.
        patch.setattr(days, "secrets", SimpleNamespace(token_hex=lambda n: "7c" * n))
        if leak is not None:
            leak(patch, laid)
        yield


async def heard_in(
    stage: Stage,
    position: rules.Position,
    moves: list[Move],
    audience: Audience,
    monkeypatch: pytest.MonkeyPatch,
    *,
    looks: set[int],
    pages: list[str],
    leak: Leak | None = None,
) -> ReceivedBytes:
    """Run one world from its start to the horizon."""
    copy = stage.folder / "world.db"
    for old in stage.folder.glob("world.db*"):
        old.unlink()
    shutil.copyfile(stage.folder / "table.db", copy)
    with as_laid(monkeypatch, position, leak), monkeypatch.context() as patch:
        # Independent of machine speed: no timeouts for silence or a late hello.
        patch.setattr(session, "HELLO_TIMEOUT_SECONDS", 3600)
        patch.setattr(SocketProtocol, "visit", lambda _: None)
        # The clock jumps ahead below, and retention would close the table.
        async with in_process(f"sqlite:///{copy}", migrated=True, dead_room_days=0) as server:
            app = server._app
            assert app is not None
            app.state.site.clock = lambda: NOW / 1000
            app.state.site.chance = random.Random(3)
            replace_ports(server.game_server, clock=SimpleNamespace(now=lambda: NOW))
            world = World(server, stage, audience)
            try:
                return await world.play(moves, looks, pages)
            finally:
                await world.close()


__all__ = [
    "Laid",
    "Leak",
    "Stage",
    "heard_in",
    "set_up",
]
