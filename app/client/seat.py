"""A seat over the WebSocket: keeps the view and the events it has seen, and asks a player for moves."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from app import rules
from app.client.api import Api, ApiError, fresh_id

__all__ = ["Seat", "play_seat"]

Json = dict[str, Any]


@dataclass
class Seat:
    """What a player knows when it is asked: just what a person on that seat could know."""

    seat: int
    view: Json
    actions: list[Json]
    history: list[Json] = field(default_factory=list)
    """Every event the seat has seen since the game began, however late the program came."""


Player = Callable[[Seat], Json | Awaitable[Json]]

_PAUSES = (0.2, 0.5, 1.0, 2.0, 5.0)
_PATIENCE = 1.0
_OVER = ("finished", "aborted", "closed")


def must_go_again(frame: Json) -> bool:
    """Whether the server asks for the same command once more, a little later. Such a refusal may name no id."""
    return frame["t"] == "refused" and frame["code"] in ("too_fast", "try_again")


class _Table:
    """The table as the frames tell it (docs/protocol.md §1)."""

    def __init__(self) -> None:
        self.seq: int | None = None
        self.seat: int | None = None
        self.view: Json | None = None
        self.history: list[Json] = []
        self._lengths: list[int] = []
        """How many events each action brought, so that one taken back can be forgotten."""
        self._told_to = 0
        """Up to this entry the history is known: frames up to it add nothing."""
        self.is_late = False
        """A state came whole: what led to it must be asked for."""
        self.choices: list[Json] = []
        self.status = "open"
        self.result: Json | None = None
        self.sent: Json | None = None
        """A move not yet answered: nothing else is sent meanwhile, and after a break it goes again."""

    def hear(self, frame: Json) -> None:
        kind = frame["t"]
        if self.sent is not None and self.sent["id"] in (frame.get("ack"), frame.get("id")):
            self.sent = self.sent if must_go_again(frame) else None
        if kind in ("state", "events", "table"):
            self.seq = frame["seq"]
            self.choices = [choice["action"] for choice in frame.get("choices", ())]
        if "you" in frame:
            seat = frame["you"].get("seat")
            # On another seat other things were seen.
            self.is_late = self.is_late or (seat != self.seat and self.view is not None)
            self.seat = seat
        if "table" in frame:
            self.status = frame["table"]["status"]
            self.result = frame["table"]["result"]
        if "view" in frame:
            self.view = frame["view"]
            self.is_late = self.is_late or (kind == "state" and frame["view"] is not None)
        is_news = kind in ("events", "table") and frame["seq"] > self._told_to
        if is_news and frame.get("kind") == "undo" and self._lengths:
            del self.history[len(self.history) - self._lengths.pop() :]
        if kind == "events" and is_news:
            self._lengths.append(len(frame["events"]))
            self.history += frame["events"]
        for event in frame.get("events", ()):
            if self.view is not None:
                rules.fold(self.view, event, self.seat)
                if event["type"] == "game_won":
                    self.status = "finished"
        if kind == "refused" and "state" in frame:
            was_late = self.is_late
            self.hear(frame["state"])
            self.is_late = was_late  # every frame up to a refusal has been heard

    def recall(self, past: Json) -> None:
        """The history from the beginning, as the server tells it; it may be ahead of the frames."""
        self.history = [event for step in past["steps"] for event in step["events"]]
        self._lengths = [len(step["events"]) for step in past["steps"]]
        self._told_to = past["seq"]
        self.is_late = False

    @property
    def is_over(self) -> bool:
        return self.status in _OVER


async def play_seat(api: Api, game: str, player: Player, *, password: str | None = None) -> Json | None:
    """Play a seat until the game is over; the result. A lost connection is taken up where it broke."""
    table = _Table()
    address = "ws" + api.base.removeprefix("http") + f"/ws/game/{game}"
    lost = 0
    while not table.is_over:
        try:
            async with connect(address, additional_headers=api.headers) as socket:
                await _say_hello(socket, table, password)
                lost = 0
                await _listen(socket, table, player, lambda: _past(api, game))
        except (ConnectionClosed, OSError):
            if lost >= len(_PAUSES):
                raise
            await asyncio.sleep(_PAUSES[lost])
            lost += 1
    return table.result if table.result is not None else (await api.state(game))["table"]["result"]


async def _say_hello(socket: ClientConnection, table: _Table, password: str | None) -> None:
    hello: Json = {"do": "hello", "v": 1}
    if table.seq is not None:
        hello["seq"] = table.seq
    if password is not None:
        hello["password"] = password
    await socket.send(json.dumps(hello))
    if table.sent is not None:
        await socket.send(json.dumps(table.sent))


async def _past(api: Api, game: str) -> Json:
    for pause in (*_PAUSES, None):
        try:
            return await api.seen(game)
        except ApiError as refused:
            if refused.code not in ("too_fast", "try_again") or pause is None:
                raise
            await asyncio.sleep(pause)
    raise AssertionError("the last try raises or returns")


async def _listen(
    socket: ClientConnection, table: _Table, player: Player, past: Callable[[], Awaitable[Json]]
) -> None:
    async for text in socket:
        frame = json.loads(text)
        table.hear(frame)
        if table.is_over:
            return
        if table.is_late:
            table.recall(await past())
        if table.sent is not None and must_go_again(frame):
            await asyncio.sleep(_PATIENCE)
            await socket.send(json.dumps(table.sent))
            continue
        if table.choices and table.sent is None and table.seat is not None and table.view is not None:
            version = table.seq
            answer = player(Seat(table.seat, table.view, table.choices, table.history))
            action = await answer if inspect.isawaitable(answer) else answer
            table.sent = {"do": "act", "id": fresh_id(), "version": version, "action": action}
            await socket.send(json.dumps(table.sent))
