"""What a worker keeps in memory: rooms in use stay, rooms at the door are the right ones, nothing grows."""

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
from tests.play.stage import Stage, exchange


class Thinker(SimpleBot):
    """A bot that thinks until it is told to move."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.may_move = asyncio.Event()

    async def choose(self, view: Any, actions: Sequence[Any], *args: Any, **named: Any) -> Any:
        self.asked.set()
        await self.may_move.wait()
        return await super().choose(view, actions, *args, **named)


async def test_a_room_whose_bot_thinks_is_not_put_away(stage: Stage) -> None:
    bot = Thinker()
    exchange(stage.game_server, bots=bot)
    (ann,) = await stage.game("ann", bots=["sailor"], options={"first": 1})
    await ann.go()
    stage.clock.pass_seconds(1)
    looking = asyncio.create_task(stage.game_server.sweeper.sweep())
    await bot.asked.wait()
    assert stage.game_server.rooms.evict(stage.clock.now() + 10**9) == 0
    back = await stage.guest("ann").come(ann.game)
    bot.may_move.set()
    await looking
    assert back.ear.of("events")[-1]["by"] == "bot"  # told to whoever came meanwhile


async def test_whoever_stands_at_the_door_of_a_room_that_is_put_away_knocks_again(stage: Stage) -> None:
    ann = stage.guest("ann")
    game = await stage.open_table(ann)
    room = await stage.game_server.rooms.get(game)
    assert room is not None
    stage.game_server.rooms.evict(stage.clock.now() + 10**9)
    with pytest.raises(Refusal, match="try_again"):
        await enter(stage.game_server, room, ann.subscriber, Hello(v=1))
    await ann.come(game)
    await ann.sit()


async def test_passing_watchers_leave_nothing_behind(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    room = await ann.room()
    for n in range(20):
        watcher = await stage.guest(f"w{n}").come(ann.game)
        await watcher.go()
    await bo.go()
    assert set(room.presence._active) == {"p_ann", "p_bo"}


@pytest.mark.parametrize("query", ["chat", "set_mute", "entries"])
async def test_a_store_that_is_away_is_a_refusal_for_every_command(stage: Stage, query: str) -> None:
    ann, _ = await stage.game("ann", "bo", hints=True)
    room = await ann.room()
    room.history = None

    async def away(*_: object, **__: object) -> None:
        raise StoreUnavailable("away")

    exchange(stage.game_server, store=_with(stage.store, query, away))
    command = {"entries": ("hint", {"version": room.table.seq})}.get(
        query, ("mute", {"person": "p_bo" if query == "set_mute" else "p_nobody", "on": True})
    )
    with pytest.raises(Refusal, match="try_again"):
        await ann.send(command[0], **command[1])


def _with(store: Any, name: str, query: Any) -> Any:
    class Patched:
        def __getattr__(self, wanted: str) -> Any:
            return query if wanted == name else getattr(store, wanted)

    return Patched()


async def test_a_rematch_asked_for_again_is_answered_alike_for_ever(stage: Stage) -> None:
    ann, bo = await stage.game("ann", "bo")
    await ann.act({"type": "resign"}, version=0)
    first = await ann.send("rematch", id="rematch-0001")
    await ann.send("close_chat", closed=True)
    assert (await ann.send("rematch", id="rematch-0001")).seq == first.seq
    assert (await bo.send("rematch")).seq == first.seq


async def test_somebody_muted_on_one_worker_is_muted_on_the_other(shared_stage: Stage) -> None:
    ann, bo = await shared_stage.game("ann", "bo")
    phone = await shared_stage.guest("bo", await shared_stage.another_worker()).come(ann.game)
    await bo.send("mute", person="p_ann", on=True)
    await ann.send("chat", text="can you hear me")
    assert "text" not in phone.ear.of("chat")[-1]


async def test_rooms_of_equal_games_share_options_and_terms(stage: Stage) -> None:
    async def room_of(name: str, players: int) -> Room:
        host = stage.guest(name)
        await host.come(await stage.open_table(host, players=players))
        return await host.room()

    first, second, other = await room_of("ann", 2), await room_of("bo", 2), await room_of("cy", 3)
    assert first.row.options is second.row.options
    assert first.row.terms is second.row.terms is other.row.terms
    assert first.table.terms is other.table.terms
    assert (first.row.options["players"], other.row.options["players"]) == (2, 3)
    assert first.row.summary is None, "what lists show is read by lists"
