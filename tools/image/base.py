"""A base image made of an empty Debian, for a machine that reaches packages but no registry.

It stands in under the very name that the Dockerfile's FROM has; on the hub that name is the same Debian with a
Python of its own build instead of Debian's.
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
    """What the last stage of the Dockerfile is made from."""
    found: list[str] = re.findall(r"^FROM (\S+)", dockerfile.read_text(), re.MULTILINE)
    return found[-1]


def release_of(name: str) -> tuple[str, str]:
    """The Python and the Debian that a base of this name has."""
    match = re.fullmatch(r"python:(\d+\.\d+)-slim-(\w+)", name)
    if match is None:
        raise ImageError(f"the Dockerfile begins with {name}, not with a Python on a slim Debian")
    return match[1], match[2]


def make_base(engine: Engine, name: str, folder: Path) -> str:
    """The full name of the image; made where the store has none."""
    wanted, suite = release_of(name)
    full = f"docker.io/library/{name}"
    if not engine.has(full):
        tree = folder / suite
        _bootstrap(suite, tree)
        found = subprocess.run(
            ["chroot", str(tree), "python3", "--version"], capture_output=True, text=True
        ).stdout.split()[-1]
        if not found.startswith(f"{wanted}."):
            raise ImageError(f"Debian {suite} has Python {found}, the Dockerfile wants {wanted}")
        engine.imported(tree, full, PATH)
        shutil.rmtree(tree)
    return full


def _bootstrap(suite: str, tree: Path) -> None:
    program = debian.program("debootstrap", wanted_for="make image-test")
    shutil.rmtree(tree, ignore_errors=True)
    command = [program, "--variant=minbase", f"--include={PACKAGES}", suite, str(tree)]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode:
        raise ImageError(f"an empty Debian {suite} could not be made:\n{(ran.stdout + ran.stderr)[-2000:]}")
    # As the hub's image has it: python and pip in /usr/local, and no packages lying about.
    made = subprocess.run(
        ["chroot", str(tree), "python3", "-m", "venv", "/usr/local"], capture_output=True, text=True
    )
    if made.returncode:
        raise ImageError(f"Debian {suite} could not make an environment: {made.stdout}{made.stderr}")
    for leftover in ("var/cache/apt/archives", "var/lib/apt/lists"):
        shutil.rmtree(tree / leftover, ignore_errors=True)
