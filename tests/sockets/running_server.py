"""Servers for tests over real sockets: in this process, or in a process that can be killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import httpx
import uvicorn
from fastapi import FastAPI
from uvicorn.server import ServerState

from app.main import create_app
from app.play.server import GameServer
from app.settings import Settings
from app.web.auth.passwords import Passwords
from app.web.security.connections import Connections
from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.ws.transport.protocol import SocketProtocol
from tests.databases import at_head
from tests.maintenance_rounds import first_rounds
from tests.web.running_site import FAST_HASHER
from tools.soak import fork_server

ROOT = Path(__file__).resolve().parents[2]

# Higher limits than on a public site: these tests send many requests at once from one address.
ROOMY: dict[str, Any] = {
    "requests_per_second": 100_000.0,
    "requests_burst": 100_000,
    "writes_per_second": 100_000.0,
    "writes_burst": 100_000,
    "guests_per_hour": 100_000,
    "frames_per_second": 100_000.0,
    "frames_burst": 100_000,
    "sockets_per_address": 10_000,
}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class RunningServer:
    """A server that listens at `base`."""

    def __init__(self, port: int, app: FastAPI | None = None, state: ServerState | None = None) -> None:
        self.port = port
        self._state = state
        self.base = f"http://127.0.0.1:{port}"
        self.sockets = f"ws://127.0.0.1:{port}"
        self._app = app

    @property
    def game_server(self) -> GameServer:
        assert self._app is not None, "this server is another process"
        game_server: GameServer = self._app.state.game_server
        return game_server

    @property
    def connections(self) -> int:
        """Number of the server's HTTP and WebSocket connections, open or closing."""
        assert self._state is not None, "this server is another process"
        return len(self._state.connections)

    async def head(self, game: str) -> int:
        return (await self.game_server.store.log.read_heads([game]))[game]


@asynccontextmanager
async def in_process(
    database_url: str, *, migrated: bool = False, port: int | None = None, **changes: Any
) -> AsyncIterator[RunningServer]:
    """Run the whole server in this event loop. With `migrated`, its database is ready."""
    is_empty = not migrated and await at_head(database_url)
    port = port or free_port()
    settings = Settings(database=database_url, port=port, **{**ROOMY, **changes})
    app = create_app(settings)
    connections = Connections.from_settings(settings)
    config = uvicorn.Config(
        app,
        port=port,
        http=cast("type[asyncio.Protocol]", partial(BoundedHttpProtocol, connections=connections)),
        ws=SocketProtocol,
        ws_max_size=settings.frame_bytes,
        ws_per_message_deflate=False,
        log_config=None,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    with first_rounds(skip=is_empty):
        serving = asyncio.create_task(server.serve())
    try:
        while not server.started:
            if serving.done():
                serving.result()
            await asyncio.sleep(0.01)
        app.state.site.passwords = Passwords(FAST_HASHER)
        yield RunningServer(port, app, server.server_state)
    finally:
        server.should_exit = True
        await serving


class ServerProcess(RunningServer):
    """`cartagena serve` in a separate process."""

    def __init__(self, database_url: str, folder: Path, **changes: Any) -> None:
        super().__init__(free_port())
        plain = database_url.replace("+asyncpg", "")
        settings = {**ROOMY, "database": plain, "port": self.port, **changes}
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")},
            **{f"CARTAGENA_{name.upper()}": str(value) for name, value in settings.items()},
        }
        self._log = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.cli", "serve"],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 60
        async with httpx.AsyncClient() as client:
            while True:
                with contextlib.suppress(httpx.TransportError):
                    if (await client.get(f"{self.base}/readyz")).status_code == 200:
                        return
                if self._process.poll() is not None or time.monotonic() > until:
                    raise AssertionError(f"the server did not start:\n{self.said()[-3000:]}")
                await asyncio.sleep(0.05)

    async def stop(self, with_signal: int = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(with_signal)
            await asyncio.to_thread(self._process.wait, 30)
            self._process = None

    async def kill(self) -> None:
        await self.stop(signal.SIGKILL)

    def said(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


@asynccontextmanager
async def own_process(database_url: str, folder: Path, **changes: Any) -> AsyncIterator[ServerProcess]:
    server = ServerProcess(database_url, folder, **changes)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


class ForkedServer(RunningServer):
    """`cartagena serve` in a forked process, which starts quickly, for tests that restart it often."""

    def __init__(self, process: fork_server.Server) -> None:
        super().__init__(process.port)
        self.start = process.start
        self.stop = process.stop
        self.kill = process.kill
        self.said = process.said


@asynccontextmanager
async def forked(
    parent: fork_server.ForkServer, database_url: str, folder: Path, **changes: Any
) -> AsyncIterator[ForkedServer]:
    async with fork_server.serving(parent, database_url, folder, **changes) as process:
        yield ForkedServer(process)
