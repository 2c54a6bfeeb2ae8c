"""Real server processes for tests: start, wait, stop, and read their output.

Most are forked from one process that has imported the server already: a start takes a tenth of a second instead
of two, and runs the same command line with a folder, an environment and a log of its own.
"""

from __future__ import annotations

import multiprocessing
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
from typing import Protocol

TIMEOUT_SECONDS = 60.0  # seconds; the machine may be busy with other tests


UNFORKED_COMMAND = (sys.executable, "-m", "app.cli", "serve")  # from its first import on
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["app.cli", "app.serve", __name__])


class Process(Protocol):
    """The part of Popen that tests use."""

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int, /) -> None: ...
    def kill(self) -> None: ...


class ForkedServer:
    """`cartagena serve` with these flags in a fork of a process that has imported it."""

    def __init__(
        self, flags: Sequence[str], folder: Path, environment: Mapping[str, str], out: Path, errors: Path
    ) -> None:
        arguments = (list(flags), str(folder), dict(environment), str(out), str(errors))
        self._process = _FORKS.Process(target=_run_forked, args=arguments)
        self._process.start()

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("cartagena serve", timeout or 0)
        return self._process.exitcode

    def send_signal(self, sig: int, /) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, sig)

    def kill(self) -> None:
        self._process.kill()


def _run_forked(flags: list[str], folder: str, environment: dict[str, str], out: str, errors: str) -> None:
    """Run the command in the fork as if it had been started separately."""
    from app import cli

    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for stream, file in ((1, out), (2, errors)):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    code: object = 1
    try:
        code = cli.main(["serve", *flags])
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


class ServerProcess:
    """A `cartagena serve` process, started by a command or else forked."""

    def __init__(
        self,
        command: Sequence[str] | None,
        folder: Path,
        environment: Mapping[str, str],
        flags: Sequence[str] = (),
    ) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CARTAGENA_")}
        whole = {**clean, **environment}
        self.error_file = folder / "errors.txt"
        self._out = folder / "out.txt"
        self.process: Process
        with self._out.open("w") as out, self.error_file.open("w") as errors:
            if command is None:
                self.process = ForkedServer(flags, folder, whole, self._out, self.error_file)
            else:
                words = [*command, *flags]
                self.process = subprocess.Popen(words, cwd=folder, env=whole, stdout=out, stderr=errors)

    @property
    def output(self) -> str:
        return self._out.read_text()

    @property
    def errors(self) -> str:
        return self.error_file.read_text()

    def address(self) -> str:
        """Wait until the server is ready and return its base URL."""
        base = f"http://127.0.0.1:{self._port()}"
        self._until(lambda: status(f"{base}/readyz") == 200)
        return base

    def _port(self) -> str:
        # The whole line: it may be read while it is being written.
        whole = re.compile(r"open at \S+?:(\d+)\s")
        self._until(lambda: whole.search(self.output))
        return whole.findall(self.output)[0]  # type: ignore[no-any-return]

    def _until(self, happened: object) -> None:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not happened():  # type: ignore[operator]
            assert self.process.poll() is None, f"the server ended: {self.output}{self.errors}"
            assert time.monotonic() < end, f"the server is not ready: {self.output}{self.errors}"
            time.sleep(0.1)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(TIMEOUT_SECONDS)


@contextmanager
def running_server(
    folder: Path, *flags: str, command: Sequence[str] | None = None, **environment: str
) -> Iterator[ServerProcess]:
    """Run a server on a free port and stop it at the end; it is forked unless a command is given."""
    root = str(Path(__file__).parents[2])
    settings = {"CARTAGENA_PORT": "0", "PYTHONPATH": root, **environment}
    server = ServerProcess(command, folder, settings, flags)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def status(url: str, **headers: str) -> int:
    """Return the status of a GET; 0 without an answer."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code
    except OSError:
        return 0


def fetch_body(url: str, **headers: str) -> str:
    """Return the body of a GET."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
        return str(answer.read().decode())
