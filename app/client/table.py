"""A table as the frames of the socket tell it (docs/protocol.md §1), for one seat."""

from __future__ import annotations

from typing import Any

from app import rules

__all__ = ["Table", "must_go_again"]

Json = dict[str, Any]

_OVER = ("finished", "aborted", "closed")
_NO_MOVE = ("illegal", "bad_action", "bad_message")


def must_go_again(frame: Json) -> bool:
    """Whether the server asks for the same command once more, a little later. Such a refusal may name no id."""
    return frame["t"] == "refused" and frame["code"] in ("too_fast", "try_again")


class Table:
    """What the frames have told so far."""

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
        self.block: Json | None = None
        """The table block."""
        self.result: Json | None = None
        self.sent: Json | None = None
        """A move not yet answered: nothing else is sent meanwhile, and after a break it goes again."""
        self.last_answer: Json = {}
        self.no_moves = 0
        """How many answers in a row were refused because they are no moves."""
        self.refusal: Json | None = None
        """The last refusal, for the sentence when nothing comes after it."""
        self.is_in = False
        """Whether this connection has told us of the room."""
        self.is_played_by_a_bot = False

    def hear(self, frame: Json) -> None:
        kind = frame["t"]
        if kind == "refused":
            self.refusal = frame
        self._settle_sent(frame)
        self.is_in = self.is_in or kind == "welcome"
        if kind in ("state", "events", "table"):
            self.seq = frame["seq"]
            self.choices = [choice["action"] for choice in frame.get("choices", ())]
        if "you" in frame:
            seat = frame["you"].get("seat")
            # On another seat other things were seen.
            self.is_late = self.is_late or (seat != self.seat and self.view is not None)
            self.seat = seat
        if "table" in frame:
            self.block = frame["table"]
            self.status = frame["table"]["status"]
            self.result = frame["table"]["result"]
            seats = frame["table"]["seats"]
            self.is_played_by_a_bot = self.seat is not None and seats[self.seat]["bot"] is not None
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

    def _settle_sent(self, frame: Json) -> None:
        """Whether this frame answers the move that was sent."""
        if self.sent is None or must_go_again(frame):
            return
        if frame.get("ack") == self.sent["id"]:
            self.sent = None
            self.no_moves = 0
        elif frame["t"] == "refused" and frame["id"] in (self.sent["id"], None):
            self.sent = None
            self.no_moves += frame["code"] in _NO_MOVE

    def recall(self, past: Json) -> None:
        """The history from the beginning, as the server tells it; it may be ahead of the frames."""
        self.history = [event for step in past["steps"] for event in step["events"]]
        self._lengths = [len(step["events"]) for step in past["steps"]]
        self._told_to = past["seq"]
        self.is_late = False

    @property
    def is_over(self) -> bool:
        return self.status in _OVER
