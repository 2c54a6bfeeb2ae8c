"""The client side of docs/protocol.md, without I/O: which messages to send, and what each frame changes.

Bot programs (`seat.py`), the tests, the soak test and the benchmarks each add their own connection.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import orjson

from app import rules
from app.client.sealing import SealKeeper
from app.rules import Json

VERSION = 2
_FINAL_STATUSES = ("finished", "aborted", "closed")


def new_command_id() -> str:
    """Return an id for a command. A command is resent under the same id."""
    return secrets.token_hex(12)


def encode(message: Json) -> str:
    """Encode a message with the standard library: a bot program may answer with numbers too large for orjson."""
    return json.dumps(message)


def decode(frame: str | bytes) -> Json:
    message: Json = orjson.loads(frame)
    return message


def must_resend(frame: Json) -> bool:
    """Return whether the server asks for the same command again a little later. Such a refusal may have no id."""
    return frame["t"] == "refused" and frame["code"] in ("too_fast", "try_again")


class GameProtocol:
    """State of one person at one table, over any number of connections."""

    def __init__(self) -> None:
        self.password: str | None = None
        """Password of a locked table."""
        self.is_watching = False
        """Whether to ask for a spectator's view, even with a seat."""
        self.keeper = SealKeeper()
        self.reset()

    def reset(self) -> None:
        """Return to the state of a new client, but keep the seals."""
        self.seq = 0
        """Sequence number of the last entry received; 0 before the first."""
        self.seat: int | None = None
        self.table: Json = {}
        self.view: Json | None = None
        self.choices: list[Json] = []
        self.may_undo = False
        self.clock: Json | None = None
        self.is_welcome = False
        """Whether the server has admitted the current connection."""
        self.pending: dict[str, Json] = {}
        """Unanswered commands by id; they are resent unchanged after a reconnect."""
        self.refusal: Json | None = None
        """The last refusal."""
        self.problems: list[str] = []
        """Protocol violations found so far."""

    @property
    def is_over(self) -> bool:
        return self.table.get("status") in _FINAL_STATUSES

    # -- outgoing ----------------------------------------------------------------------------------

    def hello(self) -> Json:
        """Return the first message of a connection. On an open connection it requests the state again."""
        self.is_welcome = False
        hello: Json = {"do": "hello", "v": VERSION}
        if self.seq:
            hello["seq"] = self.seq
        if self.password is not None:
            hello["password"] = self.password
        if self.is_watching:
            hello["watch"] = True
        return hello

    def begin(self, do: str, **fields: Any) -> Json:
        """Return a command with a new id, and keep it as pending until it is answered."""
        message = {"do": do, "id": new_command_id(), **fields}
        self.pending[message["id"]] = message
        return message

    def next_sealing_command(self) -> Json | None:
        """Return the sealing command that is due from this client, if any. A game starts once all seats have opened."""
        command = self.keeper.next_command(self.table, self.seat) if self.table else None
        return None if command is None else self.begin(**command)

    def messages_to_resend(self, refused: Json) -> list[Json]:
        """Return the messages to resend after a refusal that asks for it."""
        if not self.is_welcome:
            return [self.hello()]
        refused_message = self.pending.get(refused["id"] or "")
        return list(self.pending.values()) if refused_message is None else [refused_message]

    # -- incoming ----------------------------------------------------------------------------------

    def receive(self, frame: Json) -> None:
        kind = frame["t"]
        if kind == "welcome":
            self.is_welcome = True
        elif kind == "refused":
            self.refusal = frame
            if not must_resend(frame):
                self.pending.pop(frame["id"] or "", None)
        elif "ack" in frame:
            self.pending.pop(frame["ack"], None)
        if kind == "state":
            self._apply_state(frame)
        elif kind in ("events", "table"):
            self._apply_entry(frame)
        elif "state" in frame:  # a refusal contains one
            self._apply_state(frame["state"])
        elif "you" in frame:
            self.seat = frame["you"]["seat"]

    def _apply_state(self, state: Json) -> None:
        if state["seq"] < self.seq:
            self.problems.append(f"state {state['seq']} after {self.seq}")
            return
        self.view = None
        self._apply(state)

    def _apply_entry(self, frame: Json) -> None:
        if not self.seq or frame["seq"] != self.seq + 1:
            self.problems.append(f"{frame['t']} {frame['seq']} after {self.seq}")
        if self.view is not None:
            for event in frame.get("events", ()):
                rules.fold(self.view, event, self.seat)
        self._apply(frame)

    def _apply(self, frame: Json) -> None:
        self.seq = frame["seq"]
        if "you" in frame:
            self.seat = frame["you"]["seat"]
        self.table = frame.get("table", self.table)
        self.view = frame.get("view", self.view)
        self.clock = frame.get("clock", self.clock)
        self.choices = frame.get("choices", [])
        self.may_undo = frame.get("undo", False)
