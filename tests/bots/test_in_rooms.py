"""Bots at tables of a running server: joining, surviving a crash, taking part in a rematch, never chatting."""

from __future__ import annotations

import asyncio
import os
import signal

import httpx

from app.bots.pool import BotPool
from app.client.api import Api
from app.client.seat import Seat, play_seat
from tests.bots.test_third_party import create_token
from tests.sockets.running_server import in_process


async def test_bots_fill_seats_survive_a_crash_keep_their_seats_and_never_chat(sqlite_url: str):
    asked: list[Seat] = []
    is_killed = False
    async with in_process(sqlite_url) as server, Api(server.base, await create_token(server, "Ann")) as api:
        pool = server.game_server.context.bots
        assert isinstance(pool, BotPool)

        def play(seat: Seat) -> dict[str, object]:
            """Kill a worker process; the game goes on with a fallback action and a new process."""
            nonlocal is_killed
            for worker in () if is_killed else pool.workers:
                os.kill(worker, signal.SIGKILL)
                is_killed = True
            asked.append(seat)
            return seat.actions[0]

        options = {"preset": "jamaica", "players": 3, "pirates": 4}
        game = await api.create(options, visibility="unlisted", pace=0, bots=["sailor"])
        await api.sit(game)
        await api.add_bot(game, "mate")
        await api.start(game)
        seats = (await api.state(game))["table"]["seats"]
        assert sorted(seat["bot"] for seat in seats if seat["bot"]) == ["mate", "sailor"]
        async with asyncio.timeout(120):
            result = await play_seat(api, game, play)
        assert result is not None
        assert result["reason"] == "goal"
        assert pool.counts["crashed"] >= 1
        async with httpx.AsyncClient(base_url=server.base, timeout=60) as operator:
            shown = (await operator.get("/metrics")).text
        assert 'cartagena_bot_seconds_count{level="sailor",outcome="chosen"}' in shown
        assert 'outcome="crashed"' in shown

        await api.command(game, "rematch")
        following = (await api.state(game))["table"]["next"]
        seats = (await api.state(following))["table"]["seats"]
        assert sorted(seat["bot"] for seat in seats if seat["bot"]) == ["mate", "sailor"]
        for where in (game, following):
            assert await server.game_server.store.chat.read_lines(where, 0, 100) == []
