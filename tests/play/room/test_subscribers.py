"""Those who watch are told everything in order; when much happens at once, several actions together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from app.play.frames import Frame
from app.play.ports import Actor
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from tests.play.commands.test_play import choices_of
from tests.play.stage import Ear, Guest, Stage, open_stage


class Watcher(Ear):
    """Counts how often it was written to."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def tell(self, frame: Frame) -> None:
        self.writes += 1
        super().tell(frame)

    def tell_several(self, frames: Sequence[Frame]) -> None:
        super().tell_several(frames)
        self.writes -= len(frames) - 1

    @property
    def seqs(self) -> list[int]:
        return [message["seq"] for message in self.heard if message["t"] in ("events", "table")]


@pytest.fixture
async def watched(sqlite_url: str) -> AsyncIterator[tuple[Stage, Guest, Room, Watcher]]:
    """A table of two, and somebody who watches; the delay does not end by itself."""
    async with open_stage(sqlite_url) as stage:
        ann, _ = await stage.game("ann", "ben")
        room, watcher = await ann.room(), Watcher()
        room.subscribers._watch_delay = 3600.0
        room.enter(Subscriber(Actor((), ""), watcher), stage.clock.now())
        yield stage, ann, room, watcher
        if room.subscribers._timer is not None:
            room.subscribers._timer.cancel()


async def acted(guest: Guest, times: int) -> None:
    for _ in range(times):
        await guest.act(choices_of(guest)[0]["action"])


async def test_the_first_action_is_told_at_once_and_those_after_it_together(
    watched: tuple[Stage, Guest, Room, Watcher],
) -> None:
    _, ann, room, watcher = watched
    seq = room.table.seq
    await acted(ann, 1)
    assert (watcher.seqs, watcher.writes) == ([seq + 1], 1)
    await acted(ann, 2)
    assert (watcher.seqs, watcher.writes) == ([seq + 1], 1)
    room.subscribers._end_delay()
    assert (watcher.seqs, watcher.writes) == ([seq + 1, seq + 2, seq + 3], 2)
    await acted(ann, 1)
    assert watcher.writes == 2, "what comes now waits again"
    room.subscribers._end_delay()
    room.subscribers._end_delay()
    assert (room.subscribers._timer, watcher.writes) == (None, 3)


@pytest.mark.parametrize("what", ["entry", "presence", "state", "comes", "goes", "again", "chat"])
async def test_nothing_overtakes_what_was_gathered(
    watched: tuple[Stage, Guest, Room, Watcher], what: str
) -> None:
    stage, ann, room, watcher = watched
    seq = room.table.seq
    await acted(ann, 2)
    assert watcher.seqs == [seq + 1]
    match what:
        case "entry":
            await ann.send("consent", to="pause", yes=True)
        case "presence":
            room.subscribers.tell_all(room.presence.shown(room.table, stage.clock.now()))
        case "state":
            room.resend_state()
        case "comes":
            other = Watcher()
            room.enter(Subscriber(Actor((), ""), other), stage.clock.now())
            assert other.heard == [], "whoever comes is told the state, and nothing from before it"
        case "goes":
            (subscriber,) = room.subscribers._by_seat[None]
            room.leave(subscriber, stage.clock.now())
        case "again":
            room.subscribers.missed(room.table, seq, None)
        case "chat":
            await ann.send("chat", text="hello")
    assert watcher.seqs[:2] == [seq + 1, seq + 2]
    assert [message["t"] for message in watcher.heard][:2] == ["events", "events"]


async def test_the_end_of_a_game_is_not_waited_for(watched: tuple[Stage, Guest, Room, Watcher]) -> None:
    _, ann, room, watcher = watched
    await acted(ann, 2)
    await ann.send("act", version=room.table.seq, action={"type": "resign"})
    assert room.table.is_over
    assert watcher.seqs[-1] == room.table.seq
