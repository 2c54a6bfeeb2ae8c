"""Check that every pin has a wheel for every supported Python (part of `make lock`).

    python -m tools.check_wheels                 the Pythons listed in pyproject.toml
    python -m tools.check_wheels 3.15            another one: what is still missing?

A pin without a wheel would need a compiler on a fresh machine, even if it works where its build is cached.
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
# Wheels for glibc 2.36 and older, which Debian 12 has: the oldest system we test.
_GLIBC = range(5, 37)
_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in _GLIBC),
    *("manylinux1_x86_64", "manylinux2010_x86_64", "manylinux2014_x86_64"),
)


def promised() -> list[str]:
    """Return the Pythons listed in the classifiers of pyproject.toml, oldest first."""
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    found = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line) for line in lines)
    return [match[1] for match in found if match]


def _has_wheels(python: str, pins: list[str]) -> bool:
    """Return whether pip finds a wheel for each pin, without installing any."""
    with tempfile.TemporaryDirectory() as nowhere:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--ignore-installed", "--target", nowhere]
        command += ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
        command += [word for each in _PLATFORMS for word in ("--platform", each)]
        return subprocess.run([*command, *pins], stdout=sys.stderr).returncode == 0


def missing(python: str, pins: list[str]) -> list[str]:
    """Return the pins without a wheel for this Python."""
    if _has_wheels(python, pins):
        return []
    with ThreadPoolExecutor(8) as several:  # each call waits for the index
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
