"""`cartagena serve`: read the settings, migrate the database, run uvicorn, and stop in the right order.

uvicorn closes all sockets before the lifespan ends. A shutdown that started there would disconnect clients without
telling them to resume, so `DrainingServer` drains the app first: readiness goes off, clients are told to resume, the
log is flushed.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import multiprocessing
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, cast

import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from app.main import create_app
from app.settings import BadSettings, Settings, settings_from
from app.store.database import open_database
from app.store.file_lock import FileInUse, lock_database_file
from app.store.migrate import upgrade
from app.web.logs import configure_logs
from app.web.security.connections import Connections, raise_file_limit
from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.ws.transport.protocol import SocketProtocol

log = logging.getLogger("cartagena.serve")
_MAX_MIGRATION_ATTEMPTS = 10  # five seconds each, for a database that does not respond at start-up
_SEND_BUFFER_BYTES = 131_072  # Linux doubles it
_UNSENT_TIMEOUT_MS = 60_000
# The longest that a thread waits for the interpreter lock after disk I/O while the event loop is busy. A commit waits
# several times; with Python's default of 5 ms an action took 10 ms longer while many clients connected.
_THREAD_SWITCH_SECONDS = 0.0005
_RESTART_PAUSE_SECONDS = 1.0  # before a worker that died is restarted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a flag for every setting. Missing flags are read from CARTAGENA_* variables."""
    parser.set_defaults(run=run)
    for setting in fields(Settings):
        flag = "--" + setting.name.replace("_", "-")
        default = setting.default if setting.default != "" else "empty"
        shown_default = "" if setting.metadata["secret"] else f" ({default})"
        parser.add_argument(
            flag,
            dest=setting.name,
            default=None,
            help=setting.metadata["sentence"] + shown_default.replace("%", "%%"),
        )


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped. Return 2 if the settings are invalid."""
    try:
        settings = settings_from(arguments)
    except BadSettings as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 2
    configure_logs(settings.log_level, settings.log_format)
    if settings.webhooks and not settings.calls_webhooks:
        log.info("webhooks are disabled: their links need CARTAGENA_PUBLIC_URL")
    try:
        with lock_database_file(settings.database_url, settings.stop_seconds):
            return _serve(settings)
    except FileInUse:
        print(
            "cartagena: another server is using this SQLite file. Stop it first; "
            "several servers need PostgreSQL and Redis (CARTAGENA_DATABASE, CARTAGENA_REDIS).",
            file=sys.stderr,
        )
        return 1


def _serve(settings: Settings) -> int:
    """Serve with valid settings and the database file locked."""
    try:
        _migrate_with_retries(settings)
    except (SQLAlchemyError, OSError) as problem:
        print(f"cartagena: cannot use the database: {_first_line(problem)}", file=sys.stderr)
        return 1
    try:
        listener = _listen(settings)
    except OSError as problem:
        print(
            f"cartagena: cannot listen on {settings.host}:{settings.port}: {problem.strerror}.",
            file=sys.stderr,
        )
        return 1
    print(f"Cartagena is open at {_address(settings, listener)}", flush=True)
    if settings.workers == 1:
        _run_worker(settings, listener)
        return 0
    return _supervise(settings, listener)


class DrainingServer(uvicorn.Server):
    """A uvicorn server that drains the app before it closes sockets."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], Any]) -> None:
        super().__init__(config)
        self._drain = drain

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop like uvicorn, but do not raise the signal again afterwards: a requested stop exits with 0."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        _tune_runtime()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        seconds = float(self.config.timeout_graceful_shutdown or 5)
        try:
            async with asyncio.timeout(seconds):
                await self._drain()
        except TimeoutError:
            log.warning("shutdown took too long; closing remaining connections")
        await super().shutdown(sockets)


def _run_worker(settings: Settings, listener: socket.socket) -> None:
    """Run one server process until it is stopped."""
    raise_file_limit()
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        # A factory is enough: uvicorn only calls it.
        http=cast(
            "type[asyncio.Protocol]",
            partial(BoundedHttpProtocol, connections=Connections.from_settings(settings)),
        ),
        ws=SocketProtocol,
        ws_max_size=settings.frame_bytes,
        ws_per_message_deflate=False,  # takes 2-4 times the memory per socket, for frames of a few dozen bytes
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        proxy_headers=False,  # app/web/security/address.py counts trusted hops itself
        server_header=False,
        access_log=False,
        log_config=None,
        # Longer than proxies and browsers keep an idle connection, so that the side that sends requests closes first.
        # Otherwise a request occasionally arrives while the server is closing.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
    )
    DrainingServer(config, lambda: app.state.site.drain()).run(sockets=[listener])


def _tune_runtime() -> None:
    """Set garbage collection and thread switching for low latency.

    Objects created so far are excluded from collection: rooms make few cycles, and the default thresholds cost a fifth
    of an action's time. Each collection blocks the event loop: 21 ms with a threshold of 50,000 objects, 3 ms with
    10,000 (4-13 ms with cold caches while many clients connect), 1-2 ms with 2,000.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 500, 50)
    sys.setswitchinterval(_THREAD_SWITCH_SECONDS)


def _start_worker(settings: Settings, listener: socket.socket) -> None:
    configure_logs(settings.log_level, settings.log_format)
    _run_worker(settings, listener)


def _supervise(settings: Settings, listener: socket.socket) -> int:
    """Run several worker processes on one listening socket, and restart those that die."""
    context = multiprocessing.get_context("spawn")
    stopping = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    def start() -> BaseProcess:
        process = context.Process(target=_start_worker, args=(settings, listener))
        process.start()
        return process

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    workers = [start() for _ in range(settings.workers)]
    while not stopping:
        time.sleep(0.2)
        for index, worker in enumerate(workers):
            if not worker.is_alive():
                log.error("a worker died", extra={"fields": {"pid": worker.pid, "exit": worker.exitcode}})
                time.sleep(_RESTART_PAUSE_SECONDS)
                workers[index] = start()
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join(settings.stop_seconds * 2 + 5)
        if worker.is_alive():
            worker.kill()
    return 0


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Accepted connections inherit these options. By default the kernel buffers up to 4 MB for a peer that does not
    # read, and keeps unsent data of an abandoned connection for a quarter of an hour.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNSENT_TIMEOUT_MS)
    listener.bind((settings.host, settings.port))
    # Not inheritable: a bot process that outlives a killed server for a moment would keep the port occupied.
    return listener


def _address(settings: Settings, listener: socket.socket) -> str:
    if settings.public_url:
        return settings.public_url
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def _first_line(problem: Exception) -> str:
    """Return the first line of a database error; the rest is SQL."""
    lines = str(getattr(problem, "orig", None) or problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__


def _migrate_with_retries(settings: Settings) -> None:
    """Migrate the database. Retry while it does not respond; raise at once if it refuses."""
    for _ in range(_MAX_MIGRATION_ATTEMPTS):
        try:
            return asyncio.run(migrate(settings))
        except TimeoutError:
            log.warning("the database does not respond; trying again")
    return asyncio.run(migrate(settings))


async def migrate(settings: Settings) -> None:
    """Upgrade the database to this release's schema; a no-op if it is current."""
    database = open_database(settings.database_url)
    try:
        await upgrade(database)
    finally:
        await database.close()
