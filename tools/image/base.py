"""A base image made from a minimal Debian, for a machine that reaches packages but no registry.

It has the name of the Dockerfile's FROM. On the hub, that name is the same Debian with a Python built separately.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tools import debian
from tools.image.engine import Engine, ImageError

__all__ = ["base_name", "make_base", "release_of"]

PACKAGES = "python3,python3-venv,ca-certificates"
PATH = "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def base_name(dockerfile: Path) -> str:
    """Return the base of the Dockerfile's last stage."""
    found: list[str] = re.findall(r"^FROM (\S+)", dockerfile.read_text(), re.MULTILINE)
    return found[-1]


def release_of(name: str) -> tuple[str, str]:
    """Return the Python and Debian releases in a base name."""
    match = re.fullmatch(r"python:(\d+\.\d+)-slim-(\w+)", name)
    if match is None:
        raise ImageError(f"the Dockerfile is based on {name}, not on a Python on a slim Debian")
    return match[1], match[2]


def make_base(engine: Engine, name: str, folder: Path) -> str:
    """Create the base image unless the store has it; return its full name."""
    wanted, suite = release_of(name)
    full = f"docker.io/library/{name}"
    if not engine.has(full):
        tree = folder / suite
        _bootstrap(suite, tree)
        found = subprocess.run(
            ["chroot", str(tree), "python3", "--version"], capture_output=True, text=True
        ).stdout.split()[-1]
        if not found.startswith(f"{wanted}."):
            raise ImageError(f"Debian {suite} has Python {found}, the Dockerfile needs {wanted}")
        engine.imported(tree, full, PATH)
        shutil.rmtree(tree)
    return full


def _bootstrap(suite: str, tree: Path) -> None:
    program = debian.program("debootstrap", wanted_for="make image-test")
    shutil.rmtree(tree, ignore_errors=True)
    command = [program, "--variant=minbase", f"--include={PACKAGES}", suite, str(tree)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise ImageError(f"debootstrap of Debian {suite} failed:\n{(ran.stdout + ran.stderr)[-2000:]}")
    # As in the hub's image: python and pip in /usr/local, and no package lists.
    made = subprocess.run(
        ["chroot", str(tree), "python3", "-m", "venv", "/usr/local"], capture_output=True, text=True
    )
    if made.returncode:
        raise ImageError(f"Debian {suite} could not create an environment: {made.stdout}{made.stderr}")
    for leftover in ("var/cache/apt/archives", "var/lib/apt/lists"):
        shutil.rmtree(tree / leftover, ignore_errors=True)
