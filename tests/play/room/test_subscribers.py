"""Spectators receive every frame in order, and several frames at once when actions follow each other quickly."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from app.play.frames import Frame
from app.play.ports import Actor
from app.play.room.room import Room
from app.play.room.subscribers import Subscriber
from tests.play.commands.test_play import choices_of
from tests.play.stage import Guest, RecordingListener, Stage, open_stage


class Watcher(RecordingListener):
    """A listener that counts its writes."""

    def __init__(self) -> None:
        super().__init__()
        self.writes = 0

    def send(self, frame: Frame) -> None:
        self.writes += 1
        super().send(frame)

    def send_batch(self, frames: Sequence[Frame]) -> None:
        super().send_batch(frames)
        self.writes -= len(frames) - 1

    @property
    def seqs(self) -> list[int]:
        return [message["seq"] for message in self.received if message["t"] in ("events", "table")]


@pytest.fixture
async def watched_table(sqlite_url: str) -> AsyncIterator[tuple[Stage, Guest, Room, Watcher]]:
    """Return a table of two with a spectator; the batch delay does not end by itself."""
    async with open_stage(sqlite_url) as stage:
        ann, _ = await stage.start_game("ann", "ben")
        room, watcher = await ann.room(), Watcher()
        room.subscribers._batch_seconds = 3600.0
        room.enter(Subscriber(Actor((), ""), watcher), stage.clock.now())
        yield stage, ann, room, watcher
        if room.subscribers._timer is not None:
            room.subscribers._timer.cancel()


async def act_times(guest: Guest, times: int) -> None:
    for _ in range(times):
        await guest.act(choices_of(guest)[0]["action"])


async def test_spectators_receive_the_first_action_at_once_and_later_ones_in_a_batch(
    watched_table: tuple[Stage, Guest, Room, Watcher],
) -> None:
    _, ann, room, watcher = watched_table
    seq = room.table.seq
    await act_times(ann, 1)
    assert (watcher.seqs, watcher.writes) == ([seq + 1], 1)
    await act_times(ann, 2)
    assert (watcher.seqs, watcher.writes) == ([seq + 1], 1)
    room.subscribers._on_timer()
    assert (watcher.seqs, watcher.writes) == ([seq + 1, seq + 2, seq + 3], 2)
    await act_times(ann, 1)
    assert watcher.writes == 2, "a later frame is batched again"
    room.subscribers._on_timer()
    room.subscribers._on_timer()
    assert (room.subscribers._timer, watcher.writes) == (None, 3)


@pytest.mark.parametrize("what", ["entry", "presence", "state", "comes", "goes", "again", "chat"])
async def test_no_frame_overtakes_batched_frames(
    watched_table: tuple[Stage, Guest, Room, Watcher], what: str
) -> None:
    stage, ann, room, watcher = watched_table
    seq = room.table.seq
    await act_times(ann, 2)
    assert watcher.seqs == [seq + 1]
    match what:
        case "entry":
            await ann.send("consent", to="pause", yes=True)
        case "presence":
            room.subscribers.send_to_all(room.presence.to_frame(room.table, stage.clock.now()))
        case "state":
            room.resend_state()
        case "comes":
            other = Watcher()
            room.enter(Subscriber(Actor((), ""), other), stage.clock.now())
            assert other.received == [], "a new subscriber receives the state and no earlier frame"
        case "goes":
            (subscriber,) = room.subscribers._by_seat[None]
            room.leave(subscriber, stage.clock.now())
        case "again":
            room.subscribers.build_missed_frames(room.table, seq, None)
        case "chat":
            await ann.send("chat", text="hello")
    assert watcher.seqs[:2] == [seq + 1, seq + 2]
    assert [message["t"] for message in watcher.received][:2] == ["events", "events"]


async def test_the_end_of_a_game_is_sent_to_spectators_at_once(
    watched_table: tuple[Stage, Guest, Room, Watcher],
) -> None:
    _, ann, room, watcher = watched_table
    await act_times(ann, 2)
    await ann.send("act", version=room.table.seq, action={"type": "resign"})
    assert room.table.is_over
    assert watcher.seqs[-1] == room.table.seq
