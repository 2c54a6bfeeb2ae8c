"""A seat over the WebSocket: keeps the view and the events it has seen, and asks a player for moves."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus, WebSocketException

from app.client.api import PAUSES, Api
from app.client.errors import ApiError, ClientError, PlayerFailed, SeatLost, Unreachable, unreachable
from app.client.protocol import GameProtocol, encode, must_go_again
from app.client.socket import open_socket, receive, send
from app.rules import Json

TRIES = 3
"""So many answers in a row that are no moves, and the player is given up."""
_PATIENCE = 1.0
_LONGEST_FRAME = 4096
_NO_MOVE = ("illegal", "bad_action", "bad_message")
_SHOWN = 300  # characters of JSON in a sentence

# Codes of docs/protocol.md §7 after which another try would end the same way.
_FINAL: dict[int, str] = {
    1002: "The server did not understand this client; use the client of the server's release.",
    1007: "The server did not understand this client; use the client of the server's release.",
    1009: "The server did not understand this client; use the client of the server's release.",
    4001: "The server speaks a newer protocol; use the client of its release.",
    4002: "The server did not understand this client; use the client of the server's release.",
    4008: "The token was removed or its account shut out; make a new one on the account page.",
    4009: "Too many connections of this account or address are open; close some.",
    4010: "The operator has closed this table.",
}
_WAITS: dict[int, float] = {4005: 60.0, 4006: 10.0}  # seconds that the document asks for


@dataclass
class Seat:
    """What a player knows when it is asked: just what a person on that seat could know."""

    seat: int
    view: Json
    actions: list[Json]
    history: list[Json] = field(default_factory=list)
    """Every event the seat has seen since the game began, however late the program came."""


Player = Callable[[Seat], Json | Awaitable[Json]]


class Table(GameProtocol):
    """A table as a program that plays needs it: with every event its seat has seen, and the move under way."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[Json] = []
        self._lengths: list[int] = []
        """How many events each action brought, so that one taken back can be forgotten."""
        self._told_to = 0
        """Up to this entry the history is known: frames up to it add nothing."""
        self.is_late = False
        """A state came whole: what led to it must be asked for."""
        self.last_answer: Json = {}
        self.no_moves = 0
        """How many answers in a row were refused because they are no moves."""

    @property
    def actions(self) -> list[Json]:
        return [choice["action"] for choice in self.choices]

    @property
    def move(self) -> Json | None:
        """A move not yet answered: none other is asked for meanwhile."""
        return next((message for message in self.pending.values() if message["do"] == "act"), None)

    @property
    def is_played_by_a_bot(self) -> bool:
        return (
            bool(self.table) and self.seat is not None and self.table["seats"][self.seat]["bot"] is not None
        )

    def receive(self, frame: Json) -> None:
        move, seat, view = self.move, self.seat, self.view
        super().receive(frame)
        if move is not None:
            self._settle(move, frame)
        kind = frame["t"]
        if kind == "refused":
            return  # every frame up to it has been heard
        if kind == "state" and self.view is not None:
            self.is_late = True
        if self.seat != seat and view is not None:  # on another seat other things were seen
            self.is_late = True
        if kind in ("events", "table") and frame["seq"] > self._told_to:
            self._note(frame)

    def _settle(self, move: Json, frame: Json) -> None:
        """Whether this frame answers the move that was sent. Older servers do not name what they did not understand."""
        if frame.get("ack") == move["id"]:
            self.no_moves = 0
        elif frame["t"] == "refused" and not must_go_again(frame) and frame["id"] in (move["id"], None):
            self.pending.pop(move["id"], None)
            self.no_moves += frame["code"] in _NO_MOVE

    def _note(self, frame: Json) -> None:
        if frame["t"] == "events":
            self._lengths.append(len(frame["events"]))
            self.history += frame["events"]
        elif frame["kind"] == "undo" and self._lengths:
            del self.history[len(self.history) - self._lengths.pop() :]

    def recall(self, past: Json) -> None:
        """The history from the beginning, as the server tells it; it may be ahead of the frames."""
        self.history = [event for step in past["steps"] for event in step["events"]]
        self._lengths = [len(step["events"]) for step in past["steps"]]
        self._told_to = past["seq"]
        self.is_late = False

    def start_over(self) -> None:
        """After a hole in the numbers: the next hello asks for everything."""
        self.problems.clear()
        self.seq = 0


async def play_seat(api: Api, game: str, player: Player, *, password: str | None = None) -> Json | None:
    """Play a seat until the game is over; the result. A lost connection is taken up where it broke.

    Raises a ClientError whose text says what is wrong: nothing answers, the seat is not ours, the player
    gives no moves.
    """
    table = Table()
    table.keeper, table.password = api.keeper(game), password
    table.keeper.again()  # what another table object had under way is lost with it
    lost = 0
    while not table.is_over:
        table.is_welcome = False
        wait, problem = 0.0, None
        try:
            socket = await open_socket(api.base, game, api.headers)
        except (OSError, WebSocketException) as failed:
            wait, problem = _after_no_handshake(api.base, failed)
        else:
            try:
                await _converse(socket, table, player, api, game)
            finally:
                await socket.close()
            if not table.is_over:
                wait, problem = _after_close(api.base, socket, table)
        if problem is not None:
            lost = 0 if table.is_welcome else lost
            if lost >= len(PAUSES):
                raise problem
            await api.sleep(max(wait, PAUSES[lost]))
            lost += 1
    result: Json | None = table.table["result"]
    return result


def _after_no_handshake(base: str, problem: Exception) -> tuple[float, ClientError]:
    """How long to wait before the next try, and what to say when it was the last; raises where none can help."""
    if not isinstance(problem, InvalidStatus):
        found = unreachable(base, problem)
        if found.is_final or not isinstance(problem, OSError):
            raise found from problem
        return 0.0, found
    response = problem.response
    if response.status_code not in (429, 502, 503, 504):
        raise Unreachable(
            f"{base} opens no game socket (it answered {response.status_code}); check the address, and "
            "that a proxy before it lets WebSockets through."
        ) from problem
    said = response.headers.get("Retry-After", "")
    return float(said) if said.isdecimal() else 1.0, unreachable(base, problem)


def _after_close(base: str, socket: ClientConnection, table: Table) -> tuple[float, ClientError]:
    code = socket.close_code or 1006
    if code == 4003 and table.refusal is not None:
        raise ApiError(table.refusal["code"], table.refusal["message"])
    if code in _FINAL:
        raise SeatLost(_FINAL[code])
    closed = f"the connection was closed with code {code}"
    if code == 4006:
        closed = "it does not know the rules of this table yet; it may be in the middle of an update"
    return _WAITS.get(code, 0.0), Unreachable(f"{base} does not let us play: {closed}. Try again later.")


async def _converse(socket: ClientConnection, table: Table, player: Player, api: Api, game: str) -> None:
    """Until the game is over or the socket is closed."""
    for message in (table.hello(), *table.pending.values()):
        await send(socket, message)
    while (frame := await receive(socket)) is not None:
        was_played = table.is_played_by_a_bot
        table.receive(frame)
        if table.is_over:
            return
        if table.is_welcome and table.seat is None:
            raise SeatLost(
                "You have no seat at this table (any more); sit down again, or choose another one."
            )
        if table.problems:
            table.start_over()
            await send(socket, table.hello())
            continue
        if table.is_late:
            table.recall(await api.seen(game))
        if must_go_again(frame):
            await api.sleep(_PATIENCE)
            for message in table.repeated(frame):
                await send(socket, message)
            continue
        if (opening := table.owed()) is not None:
            await send(socket, opening)
        if table.is_played_by_a_bot:
            if not was_played:
                await send(socket, table.begin("return"))
            continue
        await _move(socket, table, player)


async def _move(socket: ClientConnection, table: Table, player: Player) -> None:
    """Ask for a move and send it, if one is wanted now."""
    if not table.choices or table.move is not None or table.seat is None or table.view is None:
        return
    if table.no_moves >= TRIES:
        assert table.refusal is not None
        raise PlayerFailed(
            f"{TRIES} answers in a row were no moves, the last was {_short(table.last_answer)} "
            f"({table.refusal['message'].rstrip('.')}); legal were {_short(table.actions)}."
        )
    version = table.seq
    answer = player(Seat(table.seat, table.view, table.actions, table.history))
    action = await answer if inspect.isawaitable(answer) else answer
    table.last_answer = action
    message = table.begin("act", version=version, action=action)
    if len(encode(message)) > _LONGEST_FRAME:
        raise PlayerFailed(
            f"The answer {_short(action)} is longer than any action; legal were {_short(table.actions)}."
        )
    await send(socket, message)


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"
