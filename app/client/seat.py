"""A seat over a WebSocket: keeps its view and the events it has seen, and asks a player for moves."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus, WebSocketException

from app.client.api import RETRY_PAUSES_SECONDS, Api
from app.client.errors import ApiError, ClientError, PlayerFailed, SeatLost, Unreachable, unreachable
from app.client.protocol import GameProtocol, encode, must_resend
from app.client.socket import open_socket, receive, send
from app.rules import Json

MAX_ILLEGAL_ANSWERS = 3
"""Consecutive illegal answers after which the player is given up."""
_RESEND_SECONDS = 1.0
_MAX_FRAME_BYTES = 4096
_ILLEGAL_MOVE_CODES = ("illegal", "bad_action", "bad_message")
_MAX_QUOTED_CHARACTERS = 300  # of JSON in an error message

# Close codes of docs/protocol.md §7 after which reconnecting would fail in the same way.
_INCOMPATIBLE_CLIENT = "The server did not understand this client; use the client of the server's release."
_FINAL_CLOSES: dict[int, str] = {
    **dict.fromkeys((1002, 1007, 1009, 4002), _INCOMPATIBLE_CLIENT),
    4001: "The server uses a newer protocol; use the client of its release.",
    4008: "The token was removed or its account was banned; create a new one on the account page.",
    4009: "Too many connections from this account or address are open; close some.",
    4010: "The operator has closed this table.",
}
_CLOSE_WAIT_SECONDS: dict[int, float] = {4005: 60.0, 4006: 10.0}  # as docs/protocol.md asks


@dataclass
class Seat:
    """What a player knows when it must choose: exactly what a person in that seat could know."""

    seat: int
    view: Json
    actions: list[Json]
    history: list[Json] = field(default_factory=list)
    """Every event the seat has seen since the game started, even before the program connected."""


Player = Callable[[Seat], Json | Awaitable[Json]]


class Table(GameProtocol):
    """A table as a bot program needs it: with every event its seat has seen, and the pending move."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[Json] = []
        self._event_counts: list[int] = []
        """Number of events of each action, so that an undone action can be removed."""
        self._history_seq = 0
        """The history is complete up to this entry; earlier frames add nothing."""
        self.needs_history = False
        """Whether a full state arrived, so that the events before it must be fetched."""
        self.last_answer: Json = {}
        self.illegal_answers = 0
        """Consecutive answers that were refused as illegal."""

    @property
    def actions(self) -> list[Json]:
        return [choice["action"] for choice in self.choices]

    @property
    def move(self) -> Json | None:
        """The unanswered move, if any. The player is asked for no other meanwhile."""
        return next((message for message in self.pending.values() if message["do"] == "act"), None)

    @property
    def is_bot_playing(self) -> bool:
        return (
            bool(self.table) and self.seat is not None and self.table["seats"][self.seat]["bot"] is not None
        )

    def receive(self, frame: Json) -> None:
        move, seat, view = self.move, self.seat, self.view
        super().receive(frame)
        if move is not None:
            self._note_answer(move, frame)
        kind = frame["t"]
        if kind == "refused":
            return  # all frames before it have arrived, so no history is missing
        if kind == "state" and self.view is not None:
            self.needs_history = True
        if self.seat != seat and view is not None:  # another seat has seen other events
            self.needs_history = True
        if kind in ("events", "table") and frame["seq"] > self._history_seq:
            self._append_history(frame)

    def _note_answer(self, move: Json, frame: Json) -> None:
        """Note whether this frame answers the pending move. A refusal of an unreadable frame has no id."""
        if frame.get("ack") == move["id"]:
            self.illegal_answers = 0
        elif frame["t"] == "refused" and not must_resend(frame) and frame["id"] in (move["id"], None):
            self.pending.pop(move["id"], None)
            self.illegal_answers += frame["code"] in _ILLEGAL_MOVE_CODES

    def _append_history(self, frame: Json) -> None:
        if frame["t"] == "events":
            self._event_counts.append(len(frame["events"]))
            self.history += frame["events"]
        elif frame["kind"] == "undo" and self._event_counts:
            del self.history[len(self.history) - self._event_counts.pop() :]

    def load_history(self, past: Json) -> None:
        """Replace the history with the server's, from the start of the game. It may be ahead of the frames."""
        self.history = [event for step in past["steps"] for event in step["events"]]
        self._event_counts = [len(step["events"]) for step in past["steps"]]
        self._history_seq = past["seq"]
        self.needs_history = False

    def request_full_state(self) -> None:
        """Recover from a gap in the sequence: the next hello asks for the full state."""
        self.problems.clear()
        self.seq = 0


async def play_seat(api: Api, game: str, player: Player, *, password: str | None = None) -> Json | None:
    """Play a seat until the game ends and return the result. Resume after a lost connection.

    Raise a ClientError if the server does not answer, the seat is not ours or the player returns no legal moves.
    """
    table = Table()
    table.keeper, table.password = api.keeper(game), password
    table.keeper.on_reconnect()  # pending answers of an earlier Table are lost
    lost = 0
    while not table.is_over:
        table.is_welcome = False
        wait, problem = 0.0, None
        try:
            socket = await open_socket(api.base, game, api.headers)
        except (OSError, WebSocketException) as error:
            wait, problem = _after_failed_handshake(api.base, error)
        else:
            try:
                await _run_connection(socket, table, player, api, game)
            finally:
                await socket.close()
            if not table.is_over:
                wait, problem = _after_close(api.base, socket, table)
        if problem is not None:
            lost = 0 if table.is_welcome else lost
            if lost >= len(RETRY_PAUSES_SECONDS):
                raise problem
            await api.sleep(max(wait, RETRY_PAUSES_SECONDS[lost]))
            lost += 1
    result: Json | None = table.table["result"]
    return result


def _after_failed_handshake(base: str, problem: Exception) -> tuple[float, ClientError]:
    """Return the seconds to wait and the error to raise after the last attempt. Raise it now if retrying is useless."""
    if not isinstance(problem, InvalidStatus):
        found = unreachable(base, problem)
        if found.is_final or not isinstance(problem, OSError):
            raise found from problem
        return 0.0, found
    response = problem.response
    if response.status_code not in (429, 502, 503, 504):
        raise Unreachable(
            f"{base} opens no game socket (it answered {response.status_code}); check the address, and "
            "that any proxy in front of it forwards WebSockets."
        ) from problem
    retry_after = response.headers.get("Retry-After", "")
    return float(retry_after) if retry_after.isdecimal() else 1.0, unreachable(base, problem)


def _after_close(base: str, socket: ClientConnection, table: Table) -> tuple[float, ClientError]:
    code = socket.close_code or 1006
    if code == 4003 and table.refusal is not None:
        raise ApiError(table.refusal["code"], table.refusal["message"])
    if code in _FINAL_CLOSES:
        raise SeatLost(_FINAL_CLOSES[code])
    reason = f"the connection was closed with code {code}"
    if code == 4006:
        reason = "it does not know this table's rules yet; it may be updating"
    return _CLOSE_WAIT_SECONDS.get(code, 0.0), Unreachable(
        f"{base} refuses the connection: {reason}. Try again later."
    )


async def _run_connection(
    socket: ClientConnection, table: Table, player: Player, api: Api, game: str
) -> None:
    """Process frames until the game ends or the socket closes."""
    for message in (table.hello(), *table.pending.values()):
        await send(socket, message)
    while (frame := await receive(socket)) is not None:
        was_bot_playing = table.is_bot_playing
        table.receive(frame)
        if table.is_over:
            return
        if table.is_welcome and table.seat is None:
            raise SeatLost("You have no seat at this table; sit down again, or choose another table.")
        if table.problems:
            table.request_full_state()
            await send(socket, table.hello())
            continue
        if table.needs_history:
            table.load_history(await api.seen(game))
        if must_resend(frame):
            await api.sleep(_RESEND_SECONDS)
            for message in table.messages_to_resend(frame):
                await send(socket, message)
            continue
        if (opening := table.next_sealing_command()) is not None:
            await send(socket, opening)
        if table.is_bot_playing:
            if not was_bot_playing:
                await send(socket, table.begin("return"))
            continue
        await _play_move(socket, table, player)


async def _play_move(socket: ClientConnection, table: Table, player: Player) -> None:
    """Ask the player for a move and send it, if one is due."""
    if not table.choices or table.move is not None or table.seat is None or table.view is None:
        return
    if table.illegal_answers >= MAX_ILLEGAL_ANSWERS:
        assert table.refusal is not None
        raise PlayerFailed(
            f"{MAX_ILLEGAL_ANSWERS} answers in a row were illegal, the last was {_quote(table.last_answer)} "
            f"({table.refusal['message'].rstrip('.')}); legal were {_quote(table.actions)}."
        )
    version = table.seq
    answer = player(Seat(table.seat, table.view, table.actions, table.history))
    action = await answer if inspect.isawaitable(answer) else answer
    table.last_answer = action
    message = table.begin("act", version=version, action=action)
    if len(encode(message)) > _MAX_FRAME_BYTES:
        raise PlayerFailed(
            f"The answer {_quote(action)} is longer than any action; legal were {_quote(table.actions)}."
        )
    await send(socket, message)


def _quote(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= _MAX_QUOTED_CHARACTERS else f"{text[:_MAX_QUOTED_CHARACTERS]} …"
