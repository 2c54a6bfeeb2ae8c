"""A worker of a cluster: `cartagena serve` on its own port that can be stopped, killed and restarted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from tools.services import processes
from tools.services.processes import ServiceError

__all__ = ["ROOT", "Worker", "address_in", "clean_environment"]

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 90.0  # enough for a machine that is busy with tests


def clean_environment() -> dict[str, str]:
    """Return this process's environment without CARTAGENA_ settings of the developer."""
    mine = {name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")}
    return {**mine, "PYTHONPATH": str(ROOT)}


def address_in(log: Path, after: str, process: subprocess.Popen[bytes], name: str) -> str:
    """Wait until a server logs `after` and return the address behind it."""

    def said() -> re.Match[str] | None:
        return re.search(rf"{after} (http://\S+)", log.read_text(errors="replace"))

    processes.wait_until(lambda: said() is not None, process, START_SECONDS)
    found = said()
    if found is None:
        raise ServiceError(f"{name} did not start; it said:\n{processes.tail(log)}")
    return found[1]


class Worker:
    """A worker started by `launch()` and awaited by `until_ready()`, so that several can start in parallel."""

    def __init__(self, number: int, folder: Path, settings: Mapping[str, object]) -> None:
        self.number = number
        self.port = 0
        self.log = folder / f"worker-{number}.log"
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def launch(self) -> None:
        """Start the process. The first time the system chooses its port; later starts reuse it."""
        given = {f"CARTAGENA_{name.upper()}": str(value) for name, value in self._settings.items()}
        environment = {**clean_environment(), **given, "CARTAGENA_PORT": str(self.port)}
        command = [sys.executable, "-m", "app.cli", "serve"]
        self._process = processes.start(command, self.log, ends_on=signal.SIGTERM, environment=environment)

    def until_ready(self) -> None:
        assert self._process is not None
        name = f"worker {self.number}"
        if not self.port:
            self.port = int(
                address_in(self.log, "Cartagena is open at", self._process, name).rsplit(":", 1)[1]
            )
        if not processes.wait_until(self._is_ready, self._process, START_SECONDS):
            raise ServiceError(f"{name} did not start; it said:\n{processes.tail(self.log)}")

    def start(self) -> None:
        self.launch()
        self.until_ready()

    def stop(self) -> None:
        """Stop gracefully: clients are told to resume elsewhere, and pending writes are finished."""
        if self._process is not None:
            processes.stop(self._process, signal.SIGTERM, 30)
            self._process = None

    def ask_to_stop(self) -> None:
        """Send the stop signal without waiting."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill with SIGKILL: no client is told, nothing is finished."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def said(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.base}/readyz", timeout=5) as answer:
                return int(answer.status) == 200
        except (urllib.error.URLError, OSError):
            return False
