"""Real server processes for tests: started, waited for, stopped, with everything they said."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0  # seconds; the machine may be busy with other tests


class ServerProcess:
    """A `cartagena serve` of its own."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")}
        self.errors = folder / "errors.txt"
        self._out = folder / "out.txt"
        with self._out.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                list(command), cwd=folder, env={**clean, **environment}, stdout=out, stderr=errors
            )

    @property
    def said(self) -> str:
        return self._out.read_text()

    @property
    def complained(self) -> str:
        return self.errors.read_text()

    def address(self) -> str:
        """Where it says it is open; waits for that and until it is ready."""
        base = f"http://127.0.0.1:{self._port()}"
        self._until(lambda: status(f"{base}/readyz") == 200)
        return base

    def _port(self) -> str:
        # The whole line: it may be read while it is being written.
        whole = re.compile(r"open at \S+?:(\d+)\s")
        self._until(lambda: whole.search(self.said))
        return whole.findall(self.said)[0]  # type: ignore[no-any-return]

    def _until(self, happened: object) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():  # type: ignore[operator]
            assert self.process.poll() is None, f"the server ended: {self.said}{self.complained}"
            assert time.monotonic() < end, f"the server is not ready: {self.said}{self.complained}"
            time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    folder: Path, *flags: str, command: Sequence[str] | None = None, **environment: str
) -> Iterator[ServerProcess]:
    """A server on a free port, stopped at the end whatever happens."""
    words = list(command or (sys.executable, "-m", "app.cli", "serve")) + list(flags)
    root = str(Path(__file__).parents[2])
    server = ServerProcess(words, folder, {"CARTAGENA_PORT": "0", "PYTHONPATH": root, **environment})
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def status(url: str, **headers: str) -> int:
    """The status of a GET; 0 when nobody answers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
    except OSError:
        return 0


def fetched(url: str, **headers: str) -> str:
    """The body of a GET."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return str(answer.read().decode())
