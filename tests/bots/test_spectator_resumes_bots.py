"""A table of bots only goes on while it has spectators, whenever they joined."""

from __future__ import annotations

import asyncio
from typing import Any

from app.play.log.entries import Append
from tests.play.stage import append_with, open_stage, replace_ports


async def test_a_spectator_joining_during_a_takeover_resumes_the_bots(sqlite_url: str):
    async with open_stage(sqlite_url) as stage:
        ann, bo = await stage.start_game("ann", "bo", pace=0, absence=0)
        await bo.hand_seat_to_bot()
        for gone in (ann, bo):
            await gone.leave()
        store, is_on_its_way, may_go_on = stage.game_server.store, asyncio.Event(), asyncio.Event()

        class SlowLog:
            def __getattr__(self, name: str) -> Any:
                return getattr(store.log, name)

            @staticmethod
            @append_with
            async def append(append: Append) -> bool:
                is_on_its_way.set()
                await may_go_on.wait()
                return await store.log.append(append)

        class Slow:
            log = SlowLog()

            def __getattr__(self, name: str) -> Any:
                return getattr(store, name)

        replace_ports(stage.game_server, store=Slow())
        taking_over = asyncio.create_task(ann.hand_seat_to_bot())
        await is_on_its_way.wait()
        await stage.guest("cy").enter(ann.game)
        may_go_on.set()
        await taking_over
        replace_ports(stage.game_server, store=store)
        while stage.game_server.tasks.running:
            await asyncio.wait(stage.game_server.tasks.running)
        assert await stage.game_server.sweeper.sweep() == 1
