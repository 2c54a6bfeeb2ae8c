"""Latency of people's actions while bots think: action to acknowledgement, without and with many bot games.

    python -m bench.bots_latency --games 50 --seconds 20 --level captain

Starts a server of its own (SQLite in a temporary folder). People at some tables play one action after the
other over real sockets: first alone, then beside rooms full of bots that play without pause, watched by
somebody, then alone again. Measures the tails too, so the machine should be otherwise idle.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median, quantiles
from time import monotonic
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection

from app.client import Api
from app.client.protocol import GameProtocol
from app.client.socket import open_socket, receive, send
from tools.first_game import guest_api, new_guest

ROOT = Path(__file__).resolve().parents[1]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Player(GameProtocol):
    """A person's client: follows one game and acts whenever it may."""

    def __init__(self, api: Api) -> None:
        super().__init__()
        self.api = api

    @classmethod
    async def make(cls, base: str, stack: AsyncExitStack) -> Player:
        return cls(await stack.enter_async_context(guest_api(base, await new_guest(base))))

    async def create(self, players: int, **terms: Any) -> str:
        options = {"preset": "jamaica", "players": players}
        return await self.api.create(options, visibility="unlisted", **terms)

    async def watch(self, game: str, stack: AsyncExitStack) -> ClientConnection:
        link = await stack.enter_async_context(open_socket(self.api.base, game, self.api.headers))
        self.keeper = self.api.keeper(game)
        await send(link, self.hello())
        return link

    async def play(self, link: ClientConnection, until: float, waits: list[float]) -> None:
        """Take the first choice every 100 ms and record how long each acknowledgement takes."""
        sent_at = 0.0
        while (frame := await receive(link)) is not None:
            was_under_way = bool(self.pending)
            self.receive(frame)
            if was_under_way and not self.pending and sent_at:
                waits.append(monotonic() - sent_at)
                sent_at = 0.0
            if monotonic() > until:
                return
            opening = self.next_sealing_command()
            if opening is not None:
                await send(link, opening)
            if self.choices and not self.pending:
                await asyncio.sleep(0.1)
                move = self.begin("act", version=self.seq, action=self.choices[0]["action"])
                sent_at = monotonic()
                await send(link, move)


async def people_play(base: str, seconds: float, tables: int) -> list[float]:
    """Let two people at each table act alternately; return the time of every acknowledgement."""
    waits: list[float] = []
    async with AsyncExitStack() as stack:
        playing = []
        for _ in range(tables):
            people = [await Player.make(base, stack), await Player.make(base, stack)]
            game = await people[0].create(2)
            for player in people:
                await player.api.sit(game)
            playing += [(player, await player.watch(game, stack)) for player in people]
            await people[0].api.start(game)
        until = monotonic() + seconds
        try:
            async with asyncio.timeout(seconds + 5):
                await asyncio.gather(*(player.play(link, until, waits) for player, link in playing))
        except TimeoutError:
            pass  # a player who was not to move when time was up is still listening
    return waits


async def start_bot_games(base: str, games: int, level: str, stack: AsyncExitStack) -> list[str]:
    """Open rooms in which the host only watches: bots on every seat, no pause between their moves."""
    rooms = []
    for _number in range(games):
        host = await Player.make(base, stack)
        game = await host.create(3, pace=0)
        for _ in range(3):
            await host.api.add_bot(game, level)
        link = await host.watch(game, stack)
        await host.api.start(game)
        stack.push_async_callback(_cancelled, asyncio.create_task(_drain(link)))
        rooms.append(game)
    return rooms


async def _drain(link: ClientConnection) -> None:
    async for _ in link:
        pass


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def figures(waits: list[float]) -> tuple[float, float, float]:
    """Return the median, 95 % and 99 % in milliseconds."""
    cuts = quantiles(waits, n=100)
    return 1000 * median(waits), 1000 * cuts[94], 1000 * cuts[98]


def line(name: str, waits: list[float]) -> str:
    return f"| {name} | {len(waits)} | " + " | ".join(f"{value:.1f}" for value in figures(waits)) + " |"


async def measure(games: int, seconds: float, level: str, tables: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        base = f"http://127.0.0.1:{port}"
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")},
            "CARTAGENA_DATABASE": f"sqlite:///{folder}/bench.db",
            "CARTAGENA_PORT": str(port),
            "CARTAGENA_GUESTS_PER_HOUR": "100000",
            "CARTAGENA_REQUESTS_PER_SECOND": "10000",
            "CARTAGENA_REQUESTS_BURST": "100000",
            "CARTAGENA_WRITES_PER_SECOND": "10000",
            "CARTAGENA_WRITES_BURST": "100000",
            "CARTAGENA_SOCKETS_PER_ADDRESS": "1000",
            "CARTAGENA_FRAMES_PER_SECOND": "10000",
            "CARTAGENA_FRAMES_BURST": "100000",
        }
        server = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "app.cli",
            "serve",
            cwd=ROOT,
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            async with httpx.AsyncClient() as http:
                for _ in range(1_200):
                    try:
                        if (await http.get(f"{base}/readyz")).is_success:
                            break
                    except httpx.TransportError:
                        await asyncio.sleep(0.1)
            alone = await people_play(base, seconds, tables)
            async with AsyncExitStack() as stack:
                await start_bot_games(base, games, level, stack)
                beside = await people_play(base, seconds, tables)
                beside += await people_play(base, seconds, tables)
            await asyncio.sleep(2)
            alone += await people_play(base, seconds, tables)  # before and after, so that drift shows in both
            print("| while | actions | median ms | 95 % ms | 99 % ms |\n|---|---|---|---|---|")
            print(line("no bot plays", alone))
            print(line(f"{games} games of three {level}s", beside))
            ratios = [
                with_bots / without
                for with_bots, without in zip(figures(beside), figures(alone), strict=True)
            ]
            print("| ratio | | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)
            async with httpx.AsyncClient() as http:
                text = (await http.get(f"{base}/metrics")).text
                for row in text.splitlines():
                    if row.startswith("cartagena_bot") and "_count" in row:
                        print(f"<!-- {row} -->")
        finally:
            server.terminate()
            await server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--level", default="captain")
    parser.add_argument("--tables", type=int, default=4, help="tables of two people each")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.games, arguments.seconds, arguments.level, arguments.tables))


if __name__ == "__main__":
    main()
