"""A table that only bots play goes on while somebody watches, at whatever moment they came in."""

from __future__ import annotations

import asyncio
from typing import Any

from app.play.log.entries import Append
from tests.play.stage import exchange, open_stage, stored_by


async def test_a_watcher_who_comes_while_the_last_seat_is_taken_over_wakes_the_bots(sqlite_url: str):
    async with open_stage(sqlite_url) as stage:
        ann, bo = await stage.game("ann", "bo", pace=0, absence=0)
        await bo.taken_over()
        for gone in (ann, bo):
            await gone.go()
        store, is_on_its_way, may_go_on = stage.game_server.store, asyncio.Event(), asyncio.Event()

        class Slow:
            def __getattr__(self, name: str) -> Any:
                return getattr(store, name)

            @staticmethod
            @stored_by
            async def append(append: Append) -> bool:
                is_on_its_way.set()
                await may_go_on.wait()
                return await store.append(append)

        exchange(stage.game_server, store=Slow())
        taking_over = asyncio.create_task(ann.taken_over())
        await is_on_its_way.wait()
        await stage.guest("cy").come(ann.game)
        may_go_on.set()
        await taking_over
        exchange(stage.game_server, store=store)
        while stage.game_server.tasks.running:
            await asyncio.wait(stage.game_server.tasks.running)
        assert await stage.game_server.sweeper.sweep() == 1
