"""Programs and libraries that no wheel brings: found where they are, or installed from Debian's packages.

Only root on a Debian installs anything; everybody else gets a sentence that says how.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

__all__ = ["Missing", "found_or_installed", "library", "program"]


class Missing(RuntimeError):
    """It is not here; the sentence says how to get it."""


def program(name: str, package: str | None = None, *, wanted_for: str = "this") -> str:
    """The path of a program, with Debian's package of it installed first where that is missing and allowed."""
    return found_or_installed(
        lambda: shutil.which(name),
        [package or name],
        otherwise=f"{wanted_for} needs the program {name}, which is not on the PATH",
    )


def library(name: str, package: str, *, wanted_for: str = "this") -> str:
    """The name of a shared library that the loader finds, with its package installed like a program's."""

    def loadable() -> str | None:
        try:
            ctypes.CDLL(name)
        except OSError:
            return None
        return name

    return found_or_installed(
        loadable, [package], otherwise=f"{wanted_for} needs the shared library {name}, which is not installed"
    )


def found_or_installed(found: Callable[[], str | None], packages: Sequence[str], *, otherwise: str) -> str:
    """What `found` finds; else after installing the first of `packages` that brings it.

    One of `packages` may be several by name, with spaces between them.
    """
    answer = found()
    if answer is None and os.geteuid() == 0 and shutil.which("apt-get"):
        answer = _install(found, packages, otherwise)
    if answer is None:
        raise Missing(f"{otherwise}. Debian, Ubuntu: sudo apt-get install {packages[-1]}")
    return answer


def _install(found: Callable[[], str | None], packages: Sequence[str], otherwise: str) -> str:
    """Several workers ask at once: one installs, the others wait and look again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    with Path(tempfile.gettempdir(), "cartagena-apt.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        answer, code = found(), 0
        # Without what they recommend: two hundred packages more with Chromium, and minutes.
        install = ["install", "-y", "--no-install-recommends"]
        steps = [["update"], *([*install, *package.split()] for package in packages)]
        while answer is None and steps:
            command = [*apt, *steps.pop(0)]
            done = subprocess.run(command, env=environment, stdout=sys.stderr, stdin=subprocess.DEVNULL)
            code, answer = done.returncode, found()
        if answer is None:
            raise Missing(f"{otherwise}, and apt-get could not install {packages[-1]} (it ended with {code})")
        return answer
