"""docs/protocol.md from a client's side, without a connection: what to say, and what each frame changes.

Programs that play (`seat.py`), the tests, the soak and the bench each put a connection of their own under it.
"""

from __future__ import annotations

import json
import secrets
from typing import Any

import orjson

from app import rules
from app.client.sealing import Keeper
from app.rules import Json

VERSION = 2
_OVER = ("finished", "aborted", "closed")


def fresh_id() -> str:
    """Of a command: it goes again under the same one."""
    return secrets.token_hex(12)


def encode(message: Json) -> str:
    """By the standard library: what a program of somebody's own answered may be too large a number for orjson."""
    return json.dumps(message)


def decode(frame: str | bytes) -> Json:
    message: Json = orjson.loads(frame)
    return message


def must_go_again(frame: Json) -> bool:
    """Whether the server asks for the same command once more, a little later. Such a refusal may name no id."""
    return frame["t"] == "refused" and frame["code"] in ("too_fast", "try_again")


class GameProtocol:
    """One person at one table, over any number of connections."""

    def __init__(self) -> None:
        self.speaks = VERSION
        self.password: str | None = None
        """Of a locked table."""
        self.is_watching = False
        """Whether it asks for a spectator's view, whoever it is."""
        self.keeper = Keeper()
        self.forget()

    def forget(self) -> None:
        """As one who comes for the first time; what was sealed is kept."""
        self.seq = 0
        """The last entry that was told; 0: none yet."""
        self.seat: int | None = None
        self.table: Json = {}
        self.view: Json | None = None
        self.choices: list[Json] = []
        self.may_undo = False
        self.clock: Json | None = None
        self.is_welcome = False
        """Whether the present connection has been let in."""
        self.pending: dict[str, Json] = {}
        """Commands without an answer: after a break they go again as they are."""
        self.refusal: Json | None = None
        """The last one."""
        self.problems: list[str] = []
        """What cannot happen on a healthy socket."""

    @property
    def is_over(self) -> bool:
        return self.table.get("status") in _OVER

    # -- what to say -------------------------------------------------------------------------------

    def hello(self) -> Json:
        """The first message of a connection; on a live one it asks to be told anew."""
        self.is_welcome = False
        hello: Json = {"do": "hello", "v": self.speaks}
        if self.seq:
            hello["seq"] = self.seq
        if self.password is not None:
            hello["password"] = self.password
        if self.is_watching:
            hello["watch"] = True
        return hello

    def begin(self, do: str, **fields: Any) -> Json:
        """A command, under way until it is answered."""
        message = {"do": do, "id": fresh_id(), **fields}
        self.pending[message["id"]] = message
        return message

    def owed(self) -> Json | None:
        """What the table's chance wants from this client now: a game with sealed seats begins when all opened."""
        wanted = self.keeper.answer(self.table, self.seat) if self.table else None
        return None if wanted is None else self.begin(**wanted)

    def repeated(self, refused: Json) -> list[Json]:
        """What to send once more after a refusal that asks for it."""
        if not self.is_welcome:
            return [self.hello()]
        named = self.pending.get(refused["id"] or "")
        return list(self.pending.values()) if named is None else [named]

    # -- what it is told ---------------------------------------------------------------------------

    def receive(self, frame: Json) -> None:
        kind = frame["t"]
        if kind == "welcome":
            self.is_welcome = True
        elif kind == "refused":
            self.refusal = frame
            if not must_go_again(frame):
                self.pending.pop(frame["id"] or "", None)
        elif "ack" in frame:
            self.pending.pop(frame["ack"], None)
        if kind == "state":
            self._take_state(frame)
        elif kind in ("events", "table"):
            self._take_entry(frame)
        elif "state" in frame:  # inside a refusal
            self._take_state(frame["state"])
        elif "you" in frame:
            self.seat = frame["you"]["seat"]

    def _take_state(self, state: Json) -> None:
        if state["seq"] < self.seq:
            self.problems.append(f"a state at {state['seq']} after {self.seq} was shown")
            return
        self.view = None
        self._take(state)

    def _take_entry(self, frame: Json) -> None:
        if not self.seq or frame["seq"] != self.seq + 1:
            self.problems.append(f"{frame['t']} {frame['seq']} after {self.seq}")
        if self.view is not None:
            for event in frame.get("events", ()):
                rules.fold(self.view, event, self.seat)
        self._take(frame)

    def _take(self, frame: Json) -> None:
        self.seq = frame["seq"]
        if "you" in frame:
            self.seat = frame["you"]["seat"]
        self.table = frame.get("table", self.table)
        self.view = frame.get("view", self.view)
        self.clock = frame.get("clock", self.clock)
        self.choices = frame.get("choices", [])
        self.may_undo = frame.get("undo", False)
