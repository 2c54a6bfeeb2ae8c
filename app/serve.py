"""`cartagena serve`: settings, migrations, uvicorn; and a stop in the right order.

uvicorn closes every socket before the lifespan ends, so a stop that began there would cut people off
first and tell them afterwards. `DrainingServer` drains the app (readiness off, clients told to resume, log
flushed) before uvicorn closes anything.
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
from functools import partial
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, cast

import uvicorn
from sqlalchemy.exc import SQLAlchemyError

from app.main import create_app
from app.settings import BadSettings, Settings, setting_names, settings_from
from app.store.engine import make_engine
from app.store.file_lock import FileInUse, locked_database_file
from app.store.migrate import upgrade
from app.web.logs import configure_logs
from app.web.security.connections import Connections, raise_file_limit
from app.web.security.http_protocol import BoundedHttpProtocol
from app.web.ws.transport.uvicorn import SocketProtocol

log = logging.getLogger("cartagena.serve")
_SLOW_TRIES = 10  # of five seconds each, for a database that does not answer at the start
_UNSENT_BYTES = 131_072  # Linux makes twice that of it
_UNSENT_MILLISECONDS = 60_000
# How long a thread that has come back from the disk waits for the interpreter while the event loop is busy. A commit
# comes back several times, and with Python's own 5 ms an action waited for 10 beside a crowd.
_SWITCH_SECONDS = 0.0005
_RESTART_PAUSE = 1.0  # seconds before a worker that died is started anew


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One flag a setting; what is not given comes from CARTAGENA_*."""
    parser.set_defaults(run=run)
    for each in setting_names():
        flag = "--" + each.name.replace("_", "-")
        shown = "" if each.metadata["secret"] else f" ({each.default if each.default != '' else 'empty'})"
        parser.add_argument(
            flag, dest=each.name, default=None, help=each.metadata["sentence"] + shown.replace("%", "%%")
        )


def run(arguments: argparse.Namespace) -> int:
    """Serves until told to stop; 2 when the settings are wrong."""
    try:
        settings = settings_from(arguments)
    except BadSettings as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 2
    configure_logs(settings.log_level, settings.log_format)
    if settings.webhooks and not settings.calls_webhooks:
        log.info("webhooks are not offered: without CARTAGENA_PUBLIC_URL their links would lead nowhere")
    try:
        with locked_database_file(settings.database_url, settings.stop_seconds):
            return _serve(settings)
    except FileInUse:
        print(
            "cartagena: another server has this SQLite file open. Stop it first; "
            "several servers need PostgreSQL and Redis (CARTAGENA_DATABASE, CARTAGENA_REDIS).",
            file=sys.stderr,
        )
        return 1


def _serve(settings: Settings) -> int:
    """With settings that are right and a database that is ours."""
    try:
        _migrate_in_time(settings)
    except (SQLAlchemyError, OSError) as problem:
        print(f"cartagena: the database cannot be used: {_short(problem)}", file=sys.stderr)
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
        _work(settings, listener)
        return 0
    return _supervise(settings, listener)


class DrainingServer(uvicorn.Server):
    """A uvicorn server that drains the app before sockets are closed."""

    def __init__(self, config: uvicorn.Config, drain: Callable[[], Any]) -> None:
        super().__init__(config)
        self._drain = drain

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """As uvicorn's, but the signal is not raised again afterwards: a stop that was asked for is a success."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        _settle_memory()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        seconds = float(self.config.timeout_graceful_shutdown or 5)
        try:
            async with asyncio.timeout(seconds):
                await self._drain()
        except TimeoutError:
            log.warning("the stop took too long; closing what is left")
        await super().shutdown(sockets)


def _work(settings: Settings, listener: socket.socket) -> None:
    """One server process."""
    raise_file_limit()
    app = create_app(settings)

    async def drain() -> None:
        await app.state.site.drain()

    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        # uvicorn only calls it.
        http=cast(
            "type[asyncio.Protocol]", partial(BoundedHttpProtocol, connections=Connections.of(settings))
        ),
        ws=SocketProtocol,
        ws_max_size=settings.frame_bytes,
        ws_per_message_deflate=False,  # 2-4 times the memory a socket, for frames of a few dozen bytes
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        proxy_headers=False,  # app/web/security/address.py counts trusted hops itself
        server_header=False,
        access_log=False,
        log_config=None,
        # Longer than a proxy or a browser keeps a connection it does not use: whoever closes first must be the one
        # that sends, or a request now and then meets a connection that is just being closed.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=max(1, round(settings.stop_seconds)),
    )
    DrainingServer(config, drain).run(sockets=[listener])


def _settle_memory() -> None:
    """What is there now stays: the collector need not look at it again. It found next to nothing to free, and
    at Python's own thresholds took a fifth of the time of an action: rooms make few cycles and keep much.
    Looking at 50,000 new objects at once held everybody up for 21 ms, at 10,000 for 3, and for 4 to 13 where a crowd
    comes in and all is out of the processor's caches, four times a second; at 2,000 it is 1 to 2.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 500, 50)
    sys.setswitchinterval(_SWITCH_SECONDS)


def _worker(settings: Settings, listener: socket.socket) -> None:
    configure_logs(settings.log_level, settings.log_format)
    _work(settings, listener)


def _supervise(settings: Settings, listener: socket.socket) -> int:
    """Several server processes on one listening socket; one that dies is started anew."""
    context = multiprocessing.get_context("spawn")
    stopping = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    def start() -> BaseProcess:
        process = context.Process(target=_worker, args=(settings, listener))
        process.start()
        return process

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    workers = [start() for _ in range(settings.workers)]
    while not stopping:
        time.sleep(0.2)
        for place, worker in enumerate(workers):
            if not worker.is_alive():
                log.error("a worker died", extra={"fields": {"pid": worker.pid, "exit": worker.exitcode}})
                time.sleep(_RESTART_PAUSE)
                workers[place] = start()
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
    # Every connection has these from here. The kernel would keep up to 4 MB for a peer that reads nothing, and what
    # is left when it was given up for a quarter of an hour.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNSENT_BYTES)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNSENT_MILLISECONDS)
    listener.bind((settings.host, settings.port))
    # Not inheritable: a bot's process that outlives a killed server by a thought would keep the port.
    return listener


def _address(settings: Settings, listener: socket.socket) -> str:
    if settings.public_url:
        return settings.public_url
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{listener.getsockname()[1]}"


def _short(problem: Exception) -> str:
    """The first line of what the database said; the rest is SQL."""
    said = str(getattr(problem, "orig", None) or problem).strip().splitlines()
    return said[0] if said else type(problem).__name__


def _migrate_in_time(settings: Settings) -> None:
    """One that refuses cannot be used; one that is only slow is asked again."""
    for _ in range(_SLOW_TRIES):
        try:
            return asyncio.run(migrate(settings))
        except TimeoutError:
            log.warning("the database does not answer; asked again")
    return asyncio.run(migrate(settings))


async def migrate(settings: Settings) -> None:
    """Brings the database to this release; nothing to do when it is there already."""
    engine = make_engine(settings.database_url)
    try:
        await upgrade(engine)
    finally:
        await engine.dispose()
