"""The servers under test: how each is started, and the settings ours ran with."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.peers.client import HOST
from tools.node import node

__all__ = ["LIMITS", "SERVERS", "WORK", "Server", "running"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "var" / "bench"
_START_SECONDS = 120.0

# Everybody sits behind one address here, and plays faster than people do. All else is as it comes.
LIMITS = {
    "REQUESTS_PER_SECOND": "100000",
    "REQUESTS_BURST": "100000",
    "WRITES_PER_SECOND": "100000",
    "WRITES_BURST": "100000",
    "GUESTS_PER_HOUR": "1000000",
    "SOCKETS_PER_ADDRESS": "100000",
    "FRAMES_PER_SECOND": "100000",
    "FRAMES_BURST": "100000",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A command line and the adapter that speaks to it.

    Filled in are {port}, {file} (of an empty database), {python} and {node}.
    """

    speak: str
    command: tuple[str, ...]
    settings: dict[str, str]
    is_slow: bool = False

    @property
    def is_python(self) -> bool:
        return self.command[0] == "{python}"


def _node(script: str, *arguments: str) -> tuple[str, ...]:
    return ("{node}", "--no-warnings", str(HERE / script), "{port}", *arguments)


_PRODUCTION = {"NODE_ENV": "production"}


SERVERS: dict[str, Server] = {
    "ours": Server(
        "ours",
        ("{python}", "-m", "app.cli", "serve", "--port", "{port}", "--database", "sqlite:///{file}"),
        {f"CARTAGENA_{name}": value for name, value in LIMITS.items()},
    ),
    "boardgame.io": Server("boardgame.io", _node("boardgameio/server.cjs"), _PRODUCTION, is_slow=True),
    "boardgame.io+job": Server(
        "boardgame.io", _node("boardgameio/same_job.cjs", "{file}"), _PRODUCTION, is_slow=True
    ),
    "colyseus": Server("colyseus", _node("colyseus/server.cjs"), _PRODUCTION),
    "colyseus+job": Server("colyseus+job", _node("colyseus/same_job.cjs", "{file}"), _PRODUCTION),
    "broadcast": Server(
        "broadcast",
        (
            *("{python}", "-m", "uvicorn", "--port", "{port}", "--log-level", "warning"),
            *("--loop", "uvloop", "--http", "httptools", "--ws", "websockets-sansio"),
            *("--ws-per-message-deflate", "false", "--no-access-log", "bench.peers.broadcast:app"),
        ),
        {},
    ),
}


@contextmanager
def running(
    server: Server, cpu: int, python: str = sys.executable, file: Path | None = None
) -> Iterator[tuple[int, int]]:
    """The server on a core of its own, with an empty database on the disk: its port and its process."""
    WORK.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=WORK) as folder, (WORK / "server.log").open("ab") as log:
        port = _free_port()
        file = file or Path(folder, "bench.db")
        runs_on = {"node": node()} if "{node}" in server.command else {"python": python}
        filled = {"port": port, "file": file, **runs_on}
        command = [part.format_map(filled) for part in server.command]
        pinned = [shutil.which("taskset") or "taskset", "-c", str(cpu), *command]
        process = subprocess.Popen(
            pinned,
            cwd=ROOT,
            env={**os.environ, **server.settings},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_for(port, process)
            yield port, process.pid
        finally:
            _stop(process)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        return int(found.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection((HOST, port), 0.5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server did not start; {WORK / 'server.log'} says why")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for order in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, order)
            process.wait(8)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
