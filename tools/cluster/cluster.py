"""The parts of a cluster put together: PostgreSQL, Redis, workers, and Caddy before them."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from tools.cluster.caddy import Caddy, caddy_program, listed
from tools.cluster.worker import Worker
from tools.services import Postgres, RedisServer

__all__ = ["Cluster"]


class Cluster:
    """Started by `start()` or `with`. `keep` is a folder for the database; without one it is temporary.

    A PostgreSQL or Redis that runs already may be given; it is then not stopped here.
    """

    def __init__(
        self,
        workers: int = 3,
        *,
        keep: Path | None = None,
        port: int = 0,
        postgres: Postgres | None = None,
        redis: RedisServer | None = None,
        **settings: Any,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cartagena-cluster-"))
        self.postgres = postgres or Postgres(durable=True, keep=keep / "postgres" if keep else None)
        self.redis = redis or RedisServer()
        self.workers: list[Worker] = []
        self.base = ""
        self.database = ""
        self._own = [*(() if postgres else (self.postgres,)), *(() if redis else (self.redis,))]
        self._count = workers
        self._port = port
        self._settings = settings
        self._secret = _kept_secret(keep)
        self._proxy: Caddy | None = None

    def start(self) -> Cluster:
        try:
            caddy_program()  # said before anything is started that would have to be stopped again
            for server in self._own:
                server.start()
            if self.postgres in self._own:
                self.database = "cartagena"
                if not self.postgres.sql("SELECT 1 FROM pg_database WHERE datname = 'cartagena'"):
                    self.postgres.sql("CREATE DATABASE cartagena")
            else:
                self.database = self.postgres.create_database()
            self.workers = [
                Worker(n, self.folder, self._worker_settings()) for n in range(1, self._count + 1)
            ]
            for worker in self.workers:
                worker.launch()
            for worker in self.workers:
                worker.until_ready()
            upstreams = listed([f"127.0.0.1:{worker.port}" for worker in self.workers])
            self._proxy = Caddy(upstreams, port=self._port).start()
            self.base = self._proxy.base
        except BaseException:
            self.stop()
            raise
        return self

    def _worker_settings(self) -> dict[str, Any]:
        return {
            "database": self.postgres.url(self.database, "postgresql"),
            "redis": self.redis.url,
            "secret": self._secret,
            "trusted_hops": 1,
            **self._settings,
        }

    def roll(self, told: Callable[[Worker], None] = lambda worker: None) -> None:
        """A rolling restart, as an update is: one worker after the other, the rest goes on."""
        for worker in self.workers:
            worker.stop()
            worker.start()
            told(worker)

    def heal(self) -> list[Worker]:
        """Start whoever died; which ones."""
        dead = [worker for worker in self.workers if not worker.is_alive]
        for worker in dead:
            worker.launch()
        for worker in dead:
            worker.until_ready()
        return dead

    def stop(self) -> None:
        if self._proxy is not None:
            self._proxy.stop()
            self._proxy = None
        for worker in self.workers:
            if worker.is_alive:
                worker.ask_to_stop()  # all at once, so that they need not wait for each other
        for worker in self.workers:
            worker.stop()
        if self.database and self.postgres not in self._own:
            self.postgres.drop_database(self.database)
        self.database = ""
        for server in reversed(self._own):
            server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _kept_secret(keep: Path | None) -> str:
    """With another secret everybody would be logged out, so it is kept beside the data."""
    if keep is None:
        return secrets.token_hex(32)
    keep.mkdir(parents=True, exist_ok=True)
    file = keep / "secret"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(32))
    return file.read_text()
