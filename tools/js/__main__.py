"""Check the scripts and styles in static/ with Biome and tsc, on the Node of tools/node.py.

python -m tools.js install     what package-lock.json names, from the npm registry; part of `make install`
python -m tools.js lint        Biome: rules and layout
python -m tools.js types       tsc --checkJs --strict (tsconfig.json; the service worker: tsconfig.worker.json)
python -m tools.js format      lay out, and fix what Biome can fix safely
"""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

from tools.node import install_packages, node

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = HERE / "node_modules"
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "install": (),
    "lint": ((".bin/biome", "ci", "--error-on-warnings", "--colors=off"),),
    "types": (
        (".bin/tsc", "--project", "tsconfig.json"),
        (".bin/tsc", "--project", "tsconfig.worker.json"),
    ),
    "format": ((".bin/biome", "check", "--write"),),
}


def install() -> None:
    """Install the packages of package-lock.json unless that has been done; exit on failure.

    `lint` and `types` may run at the same time, so the first one installs and the other waits.
    """
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    stamp = PACKAGES / "installed"  # npm ci empties the folder, including the stamp
    with (HERE / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.exists() and stamp.read_text() == wanted:
            return
        if code := install_packages(HERE):
            raise SystemExit(
                f"npm could not install what tools/js/package-lock.json names (exit code {code})"
            )
        stamp.write_text(wanted)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 2
    install()
    codes = [
        subprocess.run([node(), str(PACKAGES / program), *arguments], cwd=ROOT).returncode
        for program, *arguments in COMMANDS[sys.argv[1]]
    ]
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())
