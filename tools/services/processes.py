"""Start a server as a child process that never outlives its parent."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

_PR_SET_PDEATHSIG = 1
UNPRIVILEGED = "nobody"


class ServiceError(RuntimeError):
    """A server could not be started; the message says what to do."""


def free_port() -> int:
    """Return a port that is free now. Another process may take it first, so the caller must be ready to retry."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def unprivileged_ids() -> tuple[int, int] | None:
    """Return the user and group for a server that refuses to run as root; None if we are not root."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam(UNPRIVILEGED)
    return entry.pw_uid, entry.pw_gid


def _die_with_parent(kind: signal.Signals) -> Callable[[], None] | None:
    """On Linux, let the kernel signal the child when its parent ends, even by kill -9."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def arrange() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(kind))

    return arrange


def start(
    command: list[str],
    log: Path,
    *,
    ends_on: signal.Signals,
    as_ids: tuple[int, int] | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a server with its output in `log`; `ends_on` is the signal that stops it cleanly and at once.

    Call it from a thread that lives as long as the server: the kernel treats the end of the thread as the end of
    the parent.
    """
    user, group = as_ids or (None, None)
    with log.open("ab") as sink:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env=environment,
            preexec_fn=_die_with_parent(ends_on),
            start_new_session=True,  # Ctrl-C goes to the parent, which stops its children in order
            user=user,
            group=group,
            extra_groups=None if as_ids is None else [],
        )


def wait_until(answers: Callable[[], bool], process: subprocess.Popen[bytes], seconds: float = 30) -> bool:
    """True once the server answers, false when it ended or stayed silent."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit and process.poll() is None:
        if answers():
            return True
        time.sleep(0.02)
    return False


def stop(process: subprocess.Popen[bytes], ends_on: signal.Signals, seconds: float = 10) -> None:
    """Ask, wait, insist."""
    if process.poll() is None:
        process.send_signal(ends_on)
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def tail(log: Path, lines: int = 15) -> str:
    return (
        "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
        if log.exists()
        else "(it said nothing)"
    )
