"""Find programs and libraries that no wheel contains, or install them from Debian's packages.

Only root on Debian installs anything; for other users the error says how to. An installation is announced, and no
service of a package is enabled or started.
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

_SYSTEM_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"  # apt's default for the scripts of packages
# Commands by which a package's script enables and starts its services. Those that would do so report that they have
# done it or that there is nothing to do; all others are passed on.
_SERVICE_COMMANDS = {
    "deb-systemd-helper": ("was-enabled", 1),  # then the script leaves the service as it is
    "deb-systemd-invoke": ("start", 0),
    "invoke-rc.d": ("start", 0),
    "update-rc.d": ("defaults", 0),
}

__all__ = ["Missing", "found_or_installed", "library", "program"]


class Missing(RuntimeError):
    """The program is not installed; the message says how to get it."""


def program(name: str, package: str | None = None, *, wanted_for: str = "this") -> str:
    """Return the path of a program, installing its Debian package first if it is missing and we may."""
    return found_or_installed(
        lambda: shutil.which(name),
        [package or name],
        otherwise=f"{wanted_for} needs the program {name}, which is not on the PATH",
    )


def library(name: str, package: str, *, wanted_for: str = "this") -> str:
    """Return the name of a shared library that the loader finds, installing its package like a program's."""

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
    """Return the result of `found`, if necessary after installing the first of `packages` that provides it.

    An item of `packages` may list several package names, separated by spaces.
    """
    answer = found()
    if answer is None and os.geteuid() == 0 and shutil.which("apt-get"):
        answer = _install(found, packages, otherwise)
    if answer is None:
        raise Missing(f"{otherwise}. Debian, Ubuntu: sudo apt-get install {packages[-1]}")
    return answer


def _install(found: Callable[[], str | None], packages: Sequence[str], otherwise: str) -> str:
    """Install under a lock: if several test processes ask at once, one installs and the others check again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with (
        Path(tempfile.gettempdir(), "cartagena-apt.lock").open("w") as lock,
        tempfile.TemporaryDirectory(prefix="cartagena-apt-") as commands,
    ):
        fcntl.flock(lock, fcntl.LOCK_EX)
        _write_service_commands(Path(commands))
        apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300", "-o", f"DPkg::Path={commands}:{_SYSTEM_PATH}"]
        answer, code = found(), 0
        # Without recommended packages: with Chromium these are two hundred, and take minutes.
        install = ["install", "-y", "--no-install-recommends"]
        steps = [["update"], *([*install, *package.split()] for package in packages)]
        while answer is None and steps:
            step = steps.pop(0)
            if step[0] == "install":
                names = " ".join(step[3:])
                print(
                    f"{otherwise}. Installing with apt-get, without enabling or starting services: {names}",
                    file=sys.stderr,
                    flush=True,
                )
            command = [*apt, *step]
            done = subprocess.run(command, env=environment, stdout=sys.stderr, stdin=subprocess.DEVNULL)
            code, answer = done.returncode, found()
        if answer is None:
            raise Missing(f"{otherwise}, and apt-get could not install {packages[-1]} (it ended with {code})")
        return answer


def _write_service_commands(folder: Path) -> None:
    """Write commands that packages' scripts find before the system's own."""
    for name, (word, code) in _SERVICE_COMMANDS.items():
        command = folder / name
        command.write_text(
            "#!/bin/sh\n"
            f'for word; do [ "$word" != {word} ] || exit {code}; done\n'
            f'PATH={_SYSTEM_PATH} exec {name} "$@"\n'
        )
        command.chmod(0o755)
