"""A client written from docs/protocol.md and docs/interchange.md alone: nothing of app/ is used here.

It keeps what §1 says a client keeps, folds events by the table of docs/interchange.md, and holds every frame it
gets against the examples of the document: a field that is not written there is an error.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
from collections.abc import Callable
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.docs.protocol_page import PAGE, examples, under

Json = dict[str, Any]

VERSION = int(re.findall(r"^# The wire protocol, version (\d+)", PAGE)[0])
KINDS = ("welcome", "state", "events", "table", "ack", "refused", "chat", "presence", "hint", "pong", "bye")
DOCUMENTED_FIELDS = {
    kind: {name for each in examples(under(3, kind), "t") for name in each} for kind in KINDS
}


def new_id() -> str:
    return secrets.token_urlsafe(9)


class DocumentedClient:
    """One player's connection to one table."""

    def __init__(self, base: str, who: dict[str, str], game: str) -> None:
        self.address = "ws" + base.removeprefix("http") + f"/ws/game/{game}"
        self.headers = who
        self.seq: int | None = None
        self.table: Json = {}
        self.view: Json | None = None
        self.choices: list[Json] = []
        self.undo = False
        self.clock: Json | None = None
        self.seat: int | None = None
        self.frames: list[Json] = []
        self.met: dict[str, set[str]] = {kind: set() for kind in KINDS}
        self.socket: ClientConnection | None = None
        self.closed: int | None = None
        self.nonce = secrets.token_hex(16)
        self._opened_for: list[str | None] = []
        self._reading: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()

    # -- coming and going (§1) ---------------------------------------------------------------------

    async def connect(self, *, resume: bool = False) -> list[Json]:
        """Connect and send hello; return the frames up to `presence`, the last one of the greeting."""
        self.closed = None
        start = len(self.frames)
        self.socket = await connect(self.address, additional_headers=self.headers)
        self._reading = asyncio.create_task(self._read(self.socket))
        hello: Json = {"do": "hello", "v": VERSION}
        if resume:
            hello["seq"] = self.seq
        await self.send(hello)
        await self.wait_until(lambda: any(frame["t"] == "presence" for frame in self.frames[start:]))
        return self.frames[start:]

    async def disconnect(self) -> None:
        assert self.socket is not None
        assert self._reading is not None
        await self.socket.close()
        await self._reading

    async def _read(self, socket: ClientConnection) -> None:
        try:
            async for text in socket:
                await self.handle_frame(json.loads(text))
                async with self._news:
                    self._news.notify_all()
        except ConnectionClosed:
            pass
        finally:
            self.closed = socket.close_code
            async with self._news:
                self._news.notify_all()

    async def wait_until(self, met: Callable[[], Any]) -> Any:
        async with asyncio.timeout(60), self._news:
            await self._news.wait_for(lambda: met() or (self._reading is not None and self._reading.done()))
        if self._reading is not None and self._reading.done():
            self._reading.result()
        return met()

    async def wait_for_status(self, status: str) -> None:
        await self.wait_until(lambda: self.table["status"] == status)

    async def wait_for_frames(self, kind: str, times: int) -> None:
        await self.wait_until(lambda: sum(frame["t"] == kind for frame in self.frames) == times)

    async def send(self, message: Json) -> None:
        assert self.socket is not None
        await self.socket.send(json.dumps(message))

    async def command(self, do: str, **fields: Any) -> Json:
        """Send a command and return the frame that acknowledges or refuses it."""
        fields.setdefault("id", new_id())
        start = len(self.frames)
        await self.send({"do": do, **fields})
        found: Json = await self.wait_until(lambda: self._answer(fields["id"], start))
        return found

    def _answer(self, command: str, start: int) -> Json | None:
        for frame in self.frames[start:]:
            if frame.get("ack") == command or (frame["t"] == "refused" and frame["id"] == command):
                return frame
        return None

    # -- what a frame changes (§1, §3) -------------------------------------------------------------

    async def handle_frame(self, frame: Json) -> None:
        kind = frame["t"]
        assert frame.keys() <= DOCUMENTED_FIELDS[kind], (
            f"{kind} has {frame.keys() - DOCUMENTED_FIELDS[kind]}, which is not written"
        )
        self.met[kind] |= frame.keys()
        self.frames.append(frame)
        if kind in ("events", "table"):
            assert self.seq is None or frame["seq"] == self.seq + 1, "a gap in the sequence numbers"
        if kind in ("state", "events", "table"):
            self._take(frame)
        elif kind == "refused" and "state" in frame:
            self._take(frame["state"])
        if "you" in frame:
            self.seat = frame["you"]["seat"]
        await self._open_seal_if_needed()

    def _take(self, frame: Json) -> None:
        self.seq = frame["seq"]
        self.table = frame.get("table", self.table)
        self.clock = frame.get("clock", self.clock)
        self.view = frame.get("view", self.view)
        self.choices = frame.get("choices", [])
        self.undo = frame.get("undo", False)
        for event in frame.get("events", ()):
            assert self.view is not None
            fold(self.view, event)

    # -- sitting down (§2, docs/interchange.md) -----------------------------

    def seal(self) -> str:
        return hashlib.sha256(f"{self.table['commitment']}|{self.nonce}".encode()).hexdigest()

    async def sit(self, **fields: Any) -> Json:
        self.nonce = secrets.token_hex(16)
        return await self.command("sit", seal=self.seal(), **fields)

    async def _open_seal_if_needed(self) -> None:
        opening = self.table.get("opening")
        if opening is None or self.seal() in self._opened_for or self.seal() not in opening["seals"]:
            return
        self._opened_for.append(self.seal())
        nonce, self.nonce = self.nonce, secrets.token_hex(16)
        await self.send({"do": "open", "id": new_id(), "nonce": nonce, "next_seal": self.seal()})
        self._opened_for.append(self.seal())
        self.nonce = nonce


# -- folding, by the table of docs/interchange.md ---------------------------------------------------


def fold(view: Json, event: Json) -> None:
    """Apply an event of the basic game; the tables of these tests have no others."""
    kind = event["type"]
    players = view["players"]

    def lose(seat: int, cards: list[str]) -> None:
        player = players[seat]
        player["cards"] -= len(cards)
        for card in cards if player["hand"] is not None else ():
            player["hand"].remove(card)
        view["discard"] += cards

    def gain(seat: int, cards: list[str] | None, count: int) -> None:
        player = players[seat]
        player["cards"] += count
        if player["hand"] is not None and cards is not None:
            player["hand"] = sorted(player["hand"] + cards)

    def move(seat: int) -> None:
        pirates = players[seat]["pirates"]
        pirates.remove(event["from"])
        pirates.append(event["to"])
        pirates.sort(key=lambda place: {"start": 0, "goal": 99}.get(place, place))

    match kind:
        case "advanced":
            lose(event["seat"], [event["card"]])
            move(event["seat"])
            view["turn"]["taken"] += 1
            view["forced_passes"] = 0
        case "retreated":
            move(event["seat"])
            view["turn"]["taken"] += 1
            view["forced_passes"] = 0
        case "cards_drawn":
            if event["source"] == "row":
                del view["row"][: event["count"]]
            else:
                view["deck"] -= event["count"]
            gain(event["seat"], event["cards"], event["count"])
        case "row_laid":
            view["deck"] -= len(event["cards"])
            view["row"] += event["cards"]
        case "deck_shuffled":
            view["deck"], view["discard"] = event["count"], []
            view["shuffles"] += 1
        case "turn_passed":
            view["turn"] = {"seat": event["next"], "taken": 0, "captain_used": False}
            view["forced_passes"] = view["forced_passes"] + 1 if event["forced"] else 0
        case "stalemate_broken":
            view["forced_passes"] = 0
        case "resigned":
            players[event["seat"]].update(hand=[], cards=0, resigned=True)
            view["discard"] += event["cards"]
            view["forced_passes"] = 0
        case "game_won":
            view["winner"] = event["seat"]
            for name in ("seed", "deck", "chests", "chests_aside"):
                view[name] = event[name]
            for player, hand in zip(players, event["hands"], strict=True):
                player["hand"] = hand
                del player["cards"]
        case _:
            raise AssertionError(f"{kind} does not happen in the basic game")
