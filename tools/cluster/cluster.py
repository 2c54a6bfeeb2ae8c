"""A whole cluster: PostgreSQL, Redis, workers, and Caddy in front of them."""

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
    """A cluster started by `start()` or `with`. `keep` is a folder for the database; without one it is temporary.

    A running PostgreSQL or Redis may be passed in; it is not stopped here.
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
            caddy_program()  # fails before anything else is started
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
        """Restart one worker after the other, as an update does, while the others continue."""
        for worker in self.workers:
            worker.stop()
            worker.start()
            told(worker)

    def heal(self) -> list[Worker]:
        """Restart workers that died; return them."""
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
                worker.ask_to_stop()  # all of them first, so that they stop in parallel
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
    """Return the secret stored beside the data: another one would log everyone out."""
    if keep is None:
        return secrets.token_hex(32)
    keep.mkdir(parents=True, exist_ok=True)
    file = keep / "secret"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(32))
    return file.read_text()
