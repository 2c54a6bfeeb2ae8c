"""A persistent client: it resumes, resends unanswered commands and records everything it receives.

It follows docs/protocol.md. Violations by the server (a repeated number, a gap, an answer to no command) go into
`problems`. What it received and what was acknowledged is kept until a ledger has compared it with the log.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from app.bots.choosing import fallback_action
from app.client.protocol import GameProtocol, must_resend
from app.client.sealing import SealKeeper
from app.client.socket import open_socket, receive, send
from tools.soak.pauses import AsPages, Hurried

Json = dict[str, Any]
PATIENCE = 1800.0  # seconds for a plain request: the whole run may be suspended and resumed
_MAX_ATTEMPTS = 200  # enough for a starved machine
_RESEND_SECONDS = 0.25  # before a command that could not be stored is resent


@dataclass
class Notes:
    """What a client received since the last audit."""

    shown: list[tuple[int, str, list[Json]]] = field(default_factory=list)
    """seq, kind of frame, events"""
    acked: dict[str, int] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """chat: command id and number of the line"""
    refused: dict[str, str] = field(default_factory=dict)
    seq: int = 0
    """the client's version when the notes were taken"""


class SoakClient(GameProtocol):
    """One person on one device, at one table."""

    def __init__(self, base: str, person: str, cookie: str, rng: Random) -> None:
        super().__init__()
        self.base = base
        self.person = person
        self.cookie = cookie
        self.rng = rng
        self.game = ""
        self.noted = Notes()
        self.closed_with: list[int] = []
        self.byes: list[str] = []
        self.connections = 0
        self.resumed = 0
        self.frames = 0
        self.answered_in: list[float] = []
        self.resumed_in: list[float] = []
        self.troubled = 0  # how often it was asked to try again
        self.greeted = False
        self.greeted_at = 0.0
        self.lost_at: float | None = None
        self.is_resting = False
        self.plays = True
        self.chatty = 0.03
        self.pauses: Hurried | AsPages = Hurried()
        self.link: ClientConnection | None = None
        self._sent_at: dict[str, float] = {}
        self._news = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []

    # -- connecting and disconnecting ----------------------------------------------------------------

    def take_notes(self) -> Notes:
        """Return the notes since the last audit and start new ones."""
        noted, self.noted = self.noted, Notes()
        noted.seq = self.seq
        return noted

    def join(self, game: str, *, plays: bool = True) -> None:
        """Join a table and reconnect whenever the connection is lost."""
        self.game = game
        self.reset()
        self.noted = Notes()
        self.keeper = SealKeeper()
        self.plays = plays
        self.come_back()

    def come_back(self) -> None:
        """Reconnect to the same table with the client's state; unanswered commands are resent."""
        self._tasks = [asyncio.create_task(self._stay())]
        if self.plays:
            self._tasks.append(asyncio.create_task(self._play()))

    async def leave(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        self.greeted = False

    async def _stay(self) -> None:
        while True:
            began = time.monotonic()
            try:
                async with open_socket(
                    self.base,
                    self.game,
                    {"Cookie": self.cookie, "Origin": self.base},
                    compression=None,
                    max_size=None,
                    open_timeout=30,
                    close_timeout=0.2,
                    ping_interval=None,
                    proxy=None,
                ) as link:
                    self.connections += 1
                    self.link = link
                    await self._converse(link, began)
            except (ConnectionClosed, InvalidHandshake, OSError, TimeoutError, EOFError):
                pass
            finally:
                was_greeted = self.greeted
                if self.greeted and self.lost_at is None:
                    self.lost_at = time.monotonic()
                self.greeted = False
                if self.link is not None and self.link.close_code is not None:
                    self.closed_with.append(self.link.close_code)
                self.link = None
                await self.stir()
            await asyncio.sleep(self.pauses.after(was_greeted))

    def move_to(self, base: str) -> None:
        """Connect to another worker from now on."""
        self.base = base
        if self.link is not None:
            self.link.transport.abort()

    async def _converse(self, link: ClientConnection, began: float) -> None:
        await send(link, self.hello())
        while (frame := await receive(link)) is not None:
            self.frames += 1
            was_sent = frame["t"] == "refused" and frame["id"] in self.pending
            self.receive(frame)
            if frame["t"] == "presence" and not self.greeted:
                # The last of a greeting.
                self.greeted = True
                self.greeted_at = time.monotonic()
                self.resumed += self.lost_at is not None
                if self.lost_at is not None:
                    self.resumed_in.append(time.monotonic() - began)
                self.lost_at = None
                for waiting in list(self.pending.values()):
                    await send(link, waiting)
            elif must_resend(frame):
                self.troubled += was_sent
                await asyncio.sleep(_RESEND_SECONDS)
                for message in self.messages_to_resend(frame):
                    await send(link, message)
            opening = self.next_sealing_command()
            if opening is not None:
                await send(link, opening)
            await self.stir()

    async def stir(self) -> None:
        """Notify all waiters that the state may have changed."""
        async with self._news:
            self._news.notify_all()

    # -- receiving -----------------------------------------------------------------------------------

    def receive(self, frame: Json) -> None:
        kind = frame["t"]
        sent = self.pending.get(frame.get("ack", ""))
        if kind in ("events", "table"):
            self.noted.shown.append((frame["seq"], kind, frame.get("events", [])))
        elif kind == "refused" and not must_resend(frame):
            self.noted.refused[frame["id"] or ""] = frame["code"]
            self._sent_at.pop(frame["id"] or "", None)
        elif kind == "bye":
            self.byes.append(frame["code"])
        super().receive(frame)
        if "ack" in frame:
            self._answered(frame, sent)

    def _answered(self, message: Json, sent: Json | None) -> None:
        command = message["ack"]
        began = self._sent_at.pop(command, None)
        if began is not None:
            self.answered_in.append(time.monotonic() - began)
        if sent is not None and sent["do"] == "chat":
            self.noted.lines[command] = message["chat"]
            return
        seq = message["seq"]
        known = self.noted.acked.setdefault(command, seq)
        if known != seq:
            self.problems.append(f"command {command} was acknowledged at {known} and at {seq}")

    @property
    def is_a_persons_turn(self) -> bool:
        """Return whether no choice is pending and no bot is to move."""
        turn = (self.view or {}).get("turn") or {}
        seat = turn.get("seat")
        return seat is not None and self.table["seats"][seat]["bot"] is None

    # -- acting --------------------------------------------------------------------------------------

    def begin(self, do: str, **fields: Any) -> Json:
        """Start a command that stays pending, over any number of connections, until it is answered."""
        message = super().begin(do, **fields)
        self._sent_at[message["id"]] = time.monotonic()
        return message

    async def command(self, do: str, **fields: Any) -> str | None:
        """Send a command; return None if it was acknowledged, or the code of its refusal."""
        message = self.begin(do, **fields)
        if self.greeted and self.link is not None:
            await send(self.link, message)
        await self.until(lambda client: message["id"] not in client.pending)
        return self.noted.refused.get(message["id"])

    async def until(self, met: Callable[[SoakClient], Any], seconds: float = 120.0) -> None:
        """Wait until `met` is true. Only seconds in which this process runs count, since it may be suspended."""
        for _ in range(max(1, round(seconds))):
            try:
                async with asyncio.timeout(1), self._news:
                    await self._news.wait_for(lambda: met(self))
                    return
            except TimeoutError:
                continue
        raise AssertionError(
            f"{self.person} at {self.game} timed out: seq {self.seq}, greeted {self.greeted}, "
            f"pending {list(self.pending.values())}, closed with {self.closed_with[-5:]}"
        )

    async def _play(self) -> None:
        while not self.is_over:
            await self.until(
                lambda client: (client.choices and not client.is_resting) or client.is_over, 3600
            )
            if not self.is_over:
                await self._move()

    async def _move(self) -> None:
        rng = self.rng
        if self.may_undo and rng.random() < 0.05:
            await self.command("undo", version=self.seq)
            return
        if rng.random() < self.chatty:
            await self.command("chat", text=f"line {rng.randrange(1000)}")
            return
        actions = [choice["action"] for choice in self.choices]
        ahead = [action for action in actions if action["type"] == "advance"]
        action = rng.choice(ahead if ahead and rng.random() < 0.8 else actions)
        if "count" in action:
            assert self.view is not None
            action = fallback_action(self.view, [action], self.seat)
        await self.command("act", version=self.seq, action=action)


def plain_http() -> httpx.AsyncClient:
    """Return a client with one connection per request: the server may close a kept one just as it is reused."""
    return httpx.AsyncClient(
        timeout=PATIENCE, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0)
    )


async def _posted(
    http: httpx.AsyncClient, url: str, body: Callable[[], Json], headers: dict[str, str]
) -> httpx.Response:
    """Post until the answer is not "try again"; each attempt has a new body, as an earlier one may have succeeded."""
    for _ in range(_MAX_ATTEMPTS):
        answer = await http.post(url, json=body(), headers=headers)
        if answer.status_code != 503:
            break
        await asyncio.sleep(_RESEND_SECONDS)
    return answer


async def new_client(base: str, rng: Random, http: httpx.AsyncClient) -> SoakClient:
    """Return a client with a new session."""
    http.cookies.clear()
    answer = await _posted(
        http, f"{base}/api/v1/me", lambda: {"name": f"Guest {secrets.token_hex(6)}"}, {"Origin": base}
    )
    if answer.status_code != 200:
        raise AssertionError(f"no session: {answer.status_code} {answer.text[:300]}")
    cookie = "; ".join(f"{key}={value}" for key, value in answer.cookies.items())
    return SoakClient(base, answer.json()["person"]["id"], cookie, Random(rng.random()))


async def open_table(client: SoakClient, http: httpx.AsyncClient, options: Json, **terms: Any) -> str:
    http.cookies.clear()
    answer = await _posted(
        http,
        f"{client.base}/api/v1/games",
        lambda: {"options": options, **terms},
        {"Origin": client.base, "Cookie": client.cookie},
    )
    if answer.status_code != 201:
        raise AssertionError(f"no table: {answer.status_code} {answer.text[:300]}")
    return str(answer.json()["id"])
