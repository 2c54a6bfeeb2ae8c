"""Pins everything: resolves pyproject.toml afresh and writes constraints.txt (`make lock`)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
HEAD = """\
# The exact versions this project is tested with; written by `make lock`, not by hand.
# Names and versions only: where they are fetched from is the installer's own setting.
"""
BUILD_TOOLS = ("hatchling", "editables")


def normal(name: str) -> str:
    """One spelling for each project, as package indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def asked_for() -> list[str]:
    """Every requirement of pyproject.toml: to run, to test, to build."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    return [*project["project"]["dependencies"], *(each for extra in extras for each in extra), *BUILD_TOOLS]


def resolve() -> dict[str, str]:
    """Ask pip what it would install into an empty environment, without installing it."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--quiet"]
    command += ["--disable-pip-version-check", "--report", "-", *asked_for()]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    installs = json.loads(answer.stdout)["install"]
    return {normal(each["metadata"]["name"]): each["metadata"]["version"] for each in installs}


def main() -> int:
    pins = resolve()
    CONSTRAINTS.write_text(HEAD + "".join(f"{name}=={pins[name]}\n" for name in sorted(pins)))
    print(f"{len(pins)} versions pinned in {CONSTRAINTS.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
