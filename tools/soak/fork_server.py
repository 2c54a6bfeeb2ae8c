"""Servers that start fast: one process imports the server once and forks a child for every start.

A child is a `cartagena serve` like any other (settings, migrations, listening socket, uvicorn). Only the second of
importing is saved, without which a thousand kills would take an afternoon.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# Limits that a public site would not set: all clients here share one address and send every command.
ROOMY: dict[str, Any] = {
    "requests_per_second": 100_000.0,
    "requests_burst": 100_000,
    "writes_per_second": 100_000.0,
    "writes_burst": 100_000,
    "guests_per_hour": 1_000_000,
    "frames_per_second": 100_000.0,
    "frames_burst": 100_000,
    "sockets_per_address": 10_000,
    "rooms_per_guest": 1_000_000,
}
WAITS = "waiting until it has stopped"  # logged by a server that was started before its predecessor stopped
START_SECONDS = 180.0  # enough for a busy machine


class ForkServer:
    """Process that forks servers; it ends with this process, and every server ends with it.

    `root` is the folder of the server's code, possibly of another release.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self._root = root
        self._process: subprocess.Popen[str] | None = None
        self._one_at_a_time = threading.Lock()  # an order and its answer belong together

    def start(self) -> ForkServer:
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).resolve())],
            cwd=self._root,
            env={**os.environ, "PYTHONPATH": str(self._root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._read()  # all imports are done
        return self

    def fork(self, environment: dict[str, str], log: Path, *, fresh: bool = False, fault: str = "") -> int:
        """Start a server and return its process id. `fresh`: in a new Python; `fault`: its fault point."""
        assert self._process is not None
        assert self._process.stdin is not None
        order = json.dumps({"environment": environment, "log": str(log), "fresh": fresh, "fault": fault})
        with self._one_at_a_time:
            self._process.stdin.write(order + "\n")
            self._process.stdin.flush()
            return int(self._read())

    def _read(self) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the fork server has ended")
        return line

    def stop(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()  # it exits at the end of its input
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def __enter__(self) -> ForkServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class Server:
    """A server that keeps its port across restarts."""

    def __init__(self, fork_server: ForkServer, database_url: str, folder: Path, **changes: Any) -> None:
        self.fork_server = fork_server
        # Bound but not listening: no other process gets this port while the server is down.
        self._kept = socket.socket()
        self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._kept.bind(("127.0.0.1", 0))
        self.port = int(self._kept.getsockname()[1])
        self.base = f"http://127.0.0.1:{self.port}"
        plain = database_url.replace("+asyncpg", "")
        self.settings: dict[str, Any] = {**ROOMY, "database": plain, "port": self.port, **changes}
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / f"server-{self.port}.log"
        self.pid = 0
        self.starts = 0
        self.stopped_at = 0.0  # when it was last asked to stop

    async def start(self, **changes: Any) -> None:
        """Start the server and wait until it is ready; with a fault point it may already be dead."""
        await self.launch(**changes)
        await self.until_ready(may_die=bool(changes.get("fault")))

    async def launch(self, *, fresh: bool = False, fault: str = "", **changes: Any) -> None:
        """Start the server without waiting for it."""
        settings = {**self.settings, **changes}
        environment = {f"CARTAGENA_{name.upper()}": str(value) for name, value in settings.items()}
        self.pid = await asyncio.to_thread(
            self.fork_server.fork, environment, self._log, fresh=fresh, fault=fault
        )
        self.starts += 1

    async def until_ready(self, *, may_die: bool = False) -> None:
        until = time.monotonic() + START_SECONDS
        while not await self._is_ready():
            if not self.is_alive:
                if may_die:
                    return
                raise AssertionError(f"the server did not start:\n{self.said()[-3000:]}")
            if time.monotonic() > until:
                raise AssertionError(f"the server was not ready in time:\n{self.said()[-3000:]}")
            await asyncio.sleep(0.01)

    async def succeed(self, *, fresh: bool) -> None:
        """Start the successor first; it waits for the database file until this server has stopped."""
        old, said = self.pid, len(self.said())
        await self.launch(fresh=fresh)
        while WAITS not in self.said()[said:]:
            if not self.is_alive:
                raise AssertionError(f"the next server did not start:\n{self.said()[-3000:]}")
            await asyncio.sleep(0.01)
        self.pid, new = old, self.pid
        await self.stop()
        self.pid = new
        await self.until_ready()

    async def until_said(self, words: str) -> None:
        """Wait until its log contains `words`."""
        until = time.monotonic() + START_SECONDS
        while words not in self.said():
            if time.monotonic() > until:
                raise AssertionError(f"the server did not log {words!r}:\n{self.said()[-3000:]}")
            await asyncio.sleep(0.01)

    async def _is_ready(self) -> bool:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        try:
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            return b" 200 " in await reader.readline()
        except OSError:
            return False
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    @property
    def is_alive(self) -> bool:
        if self.pid == 0:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def send(self, which: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, which)

    async def gone(self, seconds: float) -> bool:
        """Wait until the process has ended; return whether it did in time."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return True
        try:
            return await asyncio.to_thread(lambda: bool(select.select([handle], [], [], seconds)[0]))
        finally:
            os.close(handle)

    async def kill(self) -> None:
        await self.stop(signal.SIGKILL)

    async def stop(self, which: int = signal.SIGTERM) -> None:
        self.stopped_at = time.monotonic()
        if self.pid:
            self.send(which)
            if not await self.gone(30):
                self.send(signal.SIGKILL)
                await self.gone(30)
            self.pid = 0

    def said(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def tracebacks(self) -> list[str]:
        """Return the end of its log if it contains a traceback: an unreported error is still an error."""
        said = self.said()
        return [f"the server's log has a traceback:\n{said[-2000:]}"] if "Traceback" in said else []

    def close(self) -> None:
        self._kept.close()


@asynccontextmanager
async def serving(
    fork_server: ForkServer, database_url: str, folder: Path, **changes: Any
) -> AsyncIterator[Server]:
    """Run a server and stop it at the end of the block."""
    server = Server(fork_server, database_url, folder, **changes)
    try:
        await server.start()
        yield server
    finally:
        await server.stop()
        server.close()


def _main() -> None:
    """Read one order per line and answer each with the process id of the new server."""
    import gc

    from app import serve

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # dead servers leave no zombies
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    children: list[int] = []
    print("ready", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _serve(serve, order)
        children.append(child)
        print(child, flush=True)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def _serve(serve: Any, order: dict[str, Any]) -> None:
    """Run the server in the child with its own environment and log, as if it had been started alone."""
    for which in (signal.SIGCHLD, signal.SIGINT):  # ignored signals are inherited
        signal.signal(which, signal.SIG_DFL)
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)
    for name in [name for name in os.environ if name.startswith("CARTAGENA_")]:
        del os.environ[name]
    os.environ.update(order["environment"])
    if order["fresh"]:
        os.set_inheritable(0, True)
        os.execv(sys.executable, [sys.executable, "-m", "app.cli", "serve"])
    code = 1
    try:
        if order["fault"]:
            from tools.soak.fault_points import arm

            arm(order["fault"])
        code = serve.run(argparse.Namespace())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    _main()
