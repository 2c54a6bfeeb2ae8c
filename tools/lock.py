"""Resolve pyproject.toml afresh and pin every version in constraints.txt (`make lock`)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tools.check_wheels import missing, promised

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEAD = """\
# The exact versions this project is tested with; written by `make lock`, not by hand.
# Names and versions only: where they are fetched from is the installer's own setting.
# Each has a wheel for Python {pythons}; asked when this was written.
"""
BUILD_TOOLS = ("hatchling", "editables")
# Needed only by some supported Pythons, so the resolving one may skip it: redis needs it before 3.11.3, which
# Debian 12 has.
SOME_PYTHONS = ("async-timeout",)


def normal(name: str) -> str:
    """Return the normalised project name, as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked_for() -> list[str]:
    """Return every requirement of pyproject.toml: to run, test and build."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    return [
        *project["project"]["dependencies"],
        *(each for extra in extras for each in extra),
        *BUILD_TOOLS,
        *SOME_PYTHONS,
    ]


def resolve() -> dict[str, str]:
    """Return what pip would install into an empty environment, from wheels only, without installing it."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--report", "-", *asked_for()]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    installs = json.loads(answer.stdout)["install"]
    return {normal(each["metadata"]["name"]): each["metadata"]["version"] for each in installs}


def this_python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def main() -> int:
    pythons = promised()
    if this_python() != pythons[0]:
        # A newer Python would be offered versions that no longer support the oldest.
        print(f"pins are found with the oldest Python that we promise: make PYTHON=python{pythons[0]} lock")
        return 1
    lines = [f"{name}=={version}" for name, version in sorted(resolve().items())]
    lacking = {python: names for python in pythons if (names := missing(python, lines))}
    for python, names in lacking.items():
        print(f"no wheel for Python {python}: {', '.join(names)}; hold it back in pyproject.toml")
    if lacking:
        return 1
    CONSTRAINTS.write_text("\n".join([HEAD.format(pythons=", ".join(pythons)) + lines[0], *lines[1:], ""]))
    print(
        f"{len(lines)} versions pinned in {CONSTRAINTS.name}, each with a wheel for Python {', '.join(pythons)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
