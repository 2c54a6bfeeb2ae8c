"""A table as a program that plays needs it: with every event its seat has seen, and the move under way."""

from __future__ import annotations

from app.client.protocol import GameProtocol, must_go_again
from app.rules import Json

__all__ = ["Table"]

_NO_MOVE = ("illegal", "bad_action", "bad_message")


class Table(GameProtocol):
    """What the frames have told one seat so far."""

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
