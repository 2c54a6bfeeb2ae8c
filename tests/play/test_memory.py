"""Memory of a worker: rooms in use are not evicted, an evicted room is not entered, nothing grows without bound."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from app.play.commands.messages import Hello
from app.play.join import enter
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.room.room import Room
from tests.play.simple_bot import SimpleBot
from tests.play.stage import Stage, replace_ports


class Thinker(SimpleBot):
    """A bot that thinks until the test lets it move."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_move = asyncio.Event()

    async def choose(self, view: Any, actions: Sequence[Any], *args: Any, **named: Any) -> Any:
        self.asked.set()
        await self.may_move.wait()
        return await super().choose(view, actions, *args, **named)


async def test_a_room_whose_bot_is_thinking_is_not_evicted(stage: Stage) -> None:
    bot = Thinker()
    replace_ports(stage.game_server, bots=bot)
    (ann,) = await stage.start_game("ann", bots=["sailor"], options={"first": 1})
    await ann.leave()
    stage.clock.advance(1)
    looking = asyncio.create_task(stage.game_server.sweeper.sweep())
    await bot.asked.wait()
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**9) == 0
    back = await stage.guest("ann").enter(ann.game)
    bot.may_move.set()
    await looking
    assert back.listener.of_kind("events")[-1]["by"] == "bot"  # sent to the client that entered meanwhile


async def test_entering_a_room_that_is_being_evicted_is_retried(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    room = await stage.game_server.rooms.get(game)
    assert room is not None
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    with pytest.raises(Refusal, match="try_again"):
        await enter(stage.game_server, room, ann.subscriber, Hello(v=1))
    await ann.enter(game)
    await ann.sit()


async def test_short_visits_of_spectators_leave_no_memory_behind(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    room = await ann.room()
    for n in range(20):
        watcher = await stage.guest(f"w{n}").enter(ann.game)
        await watcher.leave()
    await bo.leave()
    assert set(room.presence._active) == {"p_ann", "p_bo"}


@pytest.mark.parametrize("query", ["read_lines", "set_mute", "read_entries"])
async def test_an_unavailable_store_is_a_refusal_for_every_command(stage: Stage, query: str) -> None:
    ann, _ = await stage.start_game("ann", "bo", hints=True)
    room = await ann.room()
    room.history = None

    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("away")

    replace_ports(stage.game_server, store=_with(stage.store, query, away))
    command = {"read_entries": ("hint", {"version": room.table.seq})}.get(
        query, ("mute", {"person": "p_bo" if query == "set_mute" else "p_nobody", "on": True})
    )
    with pytest.raises(Refusal, match="try_again"):
        await ann.send(command[0], **command[1])


def _with(store: Any, name: str, query: Any) -> Any:
    class Patched:
        def __init__(self, part: Any) -> None:
            self._part = part

        def __getattr__(self, wanted: str) -> Any:
            return query if wanted == name else getattr(self._part, wanted)

    class PatchedStore:
        def __getattr__(self, part: str) -> Any:
            return Patched(getattr(store, part))

    return PatchedStore()


async def test_a_repeated_rematch_request_always_gets_the_same_answer(stage: Stage) -> None:
    ann, bo = await stage.start_game("ann", "bo")
    await ann.act({"type": "resign"}, version=0)
    first = await ann.send("rematch", id="rematch-0001")
    await ann.send("close_chat", closed=True)
    assert (await ann.send("rematch", id="rematch-0001")).seq == first.seq
    assert (await bo.send("rematch")).seq == first.seq


async def test_a_mute_applies_in_every_worker(shared_stage: Stage) -> None:
    ann, bo = await shared_stage.start_game("ann", "bo")
    phone = await shared_stage.guest("bo", await shared_stage.add_worker()).enter(ann.game)
    await bo.send("mute", person="p_ann", on=True)
    await ann.send("chat", text="can you hear me")
    assert "text" not in phone.listener.of_kind("chat")[-1]


async def test_rooms_of_equal_games_share_options_and_terms(stage: Stage) -> None:
    async def room_of(name: str, players: int) -> Room:
        host = stage.guest(name)
        await host.enter(await stage.open_table(host, players=players))
        return await host.room()

    first, second, other = await room_of("ann", 2), await room_of("bo", 2), await room_of("cy", 3)
    assert first.row.options is second.row.options
    assert first.row.terms is second.row.terms is other.row.terms
    assert first.table.terms is other.table.terms
    assert (first.row.options["players"], other.row.options["players"]) == (2, 3)
    assert first.row.summary is None, "rooms keep no summary"
