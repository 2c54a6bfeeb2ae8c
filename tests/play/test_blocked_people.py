"""Blocks in rooms and lobbies: chat lines, listed tables, seats and quick play, also across workers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import pytest

from app.play.lobby_clients import LobbySubscriber
from app.play.matchmaking import find_table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.server import GameServer
from tests.play.stage import Guest, RecordingListener, Stage


class Blocks:
    """The store's blocks, as pairs of ids: who has blocked whom."""

    def __init__(self, *pairs: tuple[str, str]) -> None:
        self.pairs = set(pairs)
        self.before_answer = asyncio.Event()
        self.before_answer.set()

    async def has_blocked(self, person: Actor, others: Iterable[str]) -> bool:
        found = any((other, id_) in self.pairs for other in others for id_ in person.ids)
        await self.before_answer.wait()
        return found

    async def fetch(self, ids: Sequence[str]) -> frozenset[str]:
        found = frozenset(blocked for blocker, blocked in self.pairs if blocker in ids)
        await self.before_answer.wait()
        return found

    def install(self, *servers: GameServer) -> Blocks:
        for server in servers:
            server.blocked_people.has_blocked = self.has_blocked
            server.blocked_people.fetch_blocked = self.fetch
        return self

    def add(self, server: GameServer, blocker: Guest, blocked: Guest) -> None:
        """Store a block and apply it, as the API does."""
        self.pairs.add((blocker.actor.id, blocked.actor.id))
        server.blocked_people.change(blocker.actor.id, [blocked.actor.id])


def texts(guest: Guest) -> list[str | None]:
    return [line.get("text") for line in guest.listener.of_kind("chat")]


async def test_chat_lines_of_blocked_people_are_hidden_from_the_blocker_alone(stage: Stage) -> None:
    ann, bo, cy = (stage.guest(name) for name in ("ann", "bo", "cy"))
    Blocks((ann.actor.id, bo.actor.id)).install(stage.game_server)
    game = await stage.open_table(ann, "tortuga", 3)
    for guest in (ann, bo, cy):
        await guest.enter(game)
    await bo.send("chat", text="Ahoy")
    await ann.send("chat", text="Good luck")
    assert (texts(ann), texts(bo), texts(cy)) == (
        [None, "Good luck"], ["Ahoy", "Good luck"], ["Ahoy", "Good luck"],
    )  # fmt: skip
    again = await stage.guest("ann").enter(game)
    assert texts(again) == [None, "Good luck"], "in the history, too"
    assert "Ahoy" not in str(again.listener.payloads)


async def test_a_new_block_hides_later_lines_in_every_worker(shared_stage: Stage) -> None:
    other = await shared_stage.add_worker()
    ann, bo = shared_stage.guest("ann", other), shared_stage.guest("bo")
    blocks = Blocks().install(shared_stage.game_server, other)
    game = await shared_stage.open_table(bo, "tortuga", 3)
    for guest in (ann, bo):
        await guest.enter(game)
    await bo.send("chat", text="Ahoy")
    blocks.add(shared_stage.game_server, ann, bo)
    await bo.send("chat", text="Anybody here?")
    assert texts(ann) == ["Ahoy", None]


async def test_a_block_during_the_greeting_is_not_missed(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    blocks = Blocks().install(stage.game_server)
    game = await stage.open_table(bo, "tortuga", 3)
    await bo.enter(game)
    await bo.send("chat", text="Ahoy")
    blocks.before_answer.clear()
    entering = asyncio.create_task(ann.enter(game))
    await asyncio.sleep(0.01)  # the store has read the blocks and not answered yet
    blocks.add(stage.game_server, ann, bo)
    blocks.before_answer.set()
    await entering
    assert texts(ann) == [None]


async def test_players_who_sit_down_at_the_same_time_are_checked(stage: Stage) -> None:
    ann, bo, cy = (stage.guest(name) for name in ("ann", "bo", "cy"))
    game = await stage.open_table(cy, "tortuga", 3)
    for guest in (ann, bo, cy):
        await guest.enter(game)
    await cy.sit()
    blocks = Blocks((bo.actor.id, ann.actor.id)).install(stage.game_server)
    blocks.before_answer.clear()
    sitting = asyncio.create_task(ann.sit())
    await asyncio.sleep(0.01)  # the store has answered for the table with Cy alone
    stage.game_server.blocked_people.has_blocked = None  # nobody has blocked Bo
    await bo.sit()
    blocks.install(stage.game_server).before_answer.set()
    with pytest.raises(Refusal) as refused:
        await sitting
    assert refused.value.code == "blocked"
    assert (ann.seat, bo.seat) == (None, 1)


async def test_quick_play_avoids_people_blocked_in_either_direction(stage: Stage) -> None:
    ann, bo = stage.guest("ann"), stage.guest("bo")
    blocks = Blocks().install(stage.game_server)
    game = await stage.open_table(ann, "tortuga", 3)
    await bo.enter(game)
    await bo.sit()

    async def found(guest: Guest) -> str | None:
        row = await find_table(stage.game_server, guest.actor, "tortuga", 3)
        return None if row is None else row.id

    for pair in ((ann.actor.id, bo.actor.id), (bo.actor.id, ann.actor.id)):
        assert await found(ann) == game
        blocks.pairs.add(pair)
        assert await found(ann) is None, "their own table, where the other now sits"
        blocks.pairs.clear()
    wim = stage.guest("wim")
    assert await found(wim) == game
    blocks.pairs.add((wim.actor.id, bo.actor.id))
    assert await found(wim) is None


@pytest.mark.parametrize("own_worker", [True, False], ids=["here", "elsewhere"])
async def test_tables_of_blocked_people_are_not_listed(shared_stage: Stage, own_worker: bool) -> None:
    server = shared_stage.game_server if own_worker else await shared_stage.add_worker()
    ann, bo, cy = shared_stage.guest("ann", server), shared_stage.guest("bo"), shared_stage.guest("cy")
    blocks = Blocks().install(shared_stage.game_server, server)
    game = await shared_stage.open_table(cy, "tortuga", 3)
    await cy.enter(game)
    await cy.sit()
    listener = RecordingListener()
    subscriber = LobbySubscriber(ann.actor, listener)
    subscriber.blocked = await server.blocked_people.read(ann.actor)
    server.lobby.enter(subscriber)
    await server.lobby.send_lists(subscriber)
    assert [row["id"] for row in listener.of_kind("lobby")[-1]["open"]] == [game]
    blocks.add(shared_stage.game_server, ann, bo)
    await bo.enter(game)
    await bo.sit()
    await asyncio.sleep(0.02)
    assert listener.last["t"] == "gone" or [row["id"] for row in listener.of_kind("lobby")[-1]["open"]] == []
    assert {frame["id"] for frame in listener.of_kind("gone") if frame["list"] == "open"} == {game}
    await server.lobby.send_lists(subscriber)
    assert listener.of_kind("lobby")[-1]["open"] == []
    assert [row["id"] for row in await server.lobby.read_rows("open")] == [game], "others see it"
    blocks.pairs.clear()
    shared_stage.game_server.blocked_people.change(ann.actor.id, [])
    await asyncio.sleep(0.02)
    assert [row["id"] for row in listener.of_kind("lobby")[-1]["open"]] == [game]
