"""Asks the package index whether every pin comes as a wheel for every Python that we promise (part of `make lock`).

    python -m tools.check_wheels                 the Pythons that pyproject.toml names
    python -m tools.check_wheels 3.15            another one: what is missing there still?

A pin without one would want a compiler on somebody's machine, however well it works on the one that has it cached.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

__all__ = ["missing", "promised"]

ROOT = Path(__file__).resolve().parent.parent
# What Debian 12 can load, the oldest system that we try: glibc 2.36.
_GLIBC = range(5, 37)
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in _GLIBC),
    *("manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"),
)


def promised() -> list[str]:
    """The Pythons that the classifiers of pyproject.toml name, oldest first."""
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in lines)
    return [match[1] for match in found if match]


def _has_wheels(python: str, pins: list[str]) -> bool:
    """Whether pip would find a wheel for each of them, without installing one."""
    with tempfile.TemporaryDirectory() as nowhere:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--ignore-installed", "--target", nowhere]
        command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
        command += [word for each in _PLATFORMS for word in ("--platform", each)]
        return subprocess.run([*command, *pins], stdout=sys.stderr).returncode == 0


def missing(python: str, pins: list[str]) -> list[str]:
    """The pins that have no wheel for that Python."""
    if _has_wheels(python, pins):
        return []
    with ThreadPoolExecutor(8) as several:  # each waits for the index
        found = several.map(lambda pin: _has_wheels(python, [pin]), pins)
        return [pin for pin, has_wheel in zip(pins, found, strict=True) if not has_wheel]


def main() -> int:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    lacking = {python: missing(python, pins) for python in sys.argv[1:] or promised()}
    for python, names in lacking.items():
        print(
            f"Python {python}: " + (f"no wheel for {', '.join(names)}" if names else "a wheel for every pin")
        )
    return 1 if any(lacking.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
