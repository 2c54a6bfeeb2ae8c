"""The server under test: `cartagena serve` in its own process, with its log checked and its size measured."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

import psutil

__all__ = ["ROOMY", "Server"]

ROOT = Path(__file__).resolve().parents[2]
# Generous limits, so that the input reaches the code behind them.
ROOMY = {
    "requests_per_second": 1e6,
    "requests_burst": 10**6,
    "writes_per_second": 1e6,
    "writes_burst": 10**6,
    "guests_per_hour": 10**6,
    "frames_per_second": 1e6,
    "frames_burst": 10**6,
    "sockets_per_address": 10**4,
    "sockets_per_person": 10**4,
    "rooms_per_guest": 10**6,
    "logins_per_hour": 10**6,
    "codes_per_hour": 10**6,
    "lookups_per_hour": 10**6,
}
_FAULTS = ("Traceback", " error ", " critical ")


class Server:
    """A server with its own database in a temporary folder."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="cartagena-fuzz-")
        self.folder = Path(self._folder.name)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = int(found.getsockname()[1])
        self.base = f"http://127.0.0.1:{self.port}"
        settings = {**ROOMY, "database": f"sqlite:///{self.folder / 'fuzz.db'}", "port": self.port}
        kept = {name: text for name, text in os.environ.items() if not name.startswith("CARTAGENA_")}
        self._environment = {
            **kept,
            **{f"CARTAGENA_{name.upper()}": str(value) for name, value in settings.items()},
        }

    def __enter__(self) -> Self:
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "app.cli", "serve"],
                cwd=ROOT,
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        for _ in range(
            1800
        ):  # steps instead of seconds: time in which the machine was suspended does not count
            if self._is_ready():
                return self
            if self._process.poll() is not None:
                break
            time.sleep(0.05)
        raise RuntimeError(f"the server did not start:\n{self.log()[-2000:]}")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._folder.cleanup()

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    @property
    def lives(self) -> bool:
        """Return whether the original process still runs and is ready."""
        return self._process.poll() is None and self._is_ready()

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def faults(self) -> list[str]:
        """Return lines of the log that no client may ever cause."""
        lines = self.log().splitlines()
        found = (at for at, line in enumerate(lines) if any(word in line for word in _FAULTS))
        return ["\n".join(lines[at : at + 40]) for at in found]

    def size(self) -> tuple[float, int]:
        """Return the memory in MiB and the number of open files of the server's process."""
        process = psutil.Process(self._process.pid)
        return process.memory_info().rss / 2**20, process.num_fds()
