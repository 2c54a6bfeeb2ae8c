"""Known weaknesses of the pinned packages, asked of the public advisories by pip-audit (`make audit`).

Outside `make test`: it needs the network, and the answer changes without the project changing. pip-audit
lives in an environment of its own, so that it adds nothing to what is pinned.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv" / "audit"
PIP_AUDIT = "pip-audit==2.10.1"
_NO_ANSWER = (
    "could not be audited",
    "not found on PyPI",
    "Connection",
    "Max retries",
    "timed out",
    "ServiceError",
)


def main() -> int:
    python = HOME / "bin" / "python"
    if not (HOME / "bin" / "pip-audit").exists():
        venv.create(HOME, with_pip=True, clear=True)
        got = subprocess.run([python, "-m", "pip", "install", "--quiet", PIP_AUDIT], check=False)
        if got.returncode:
            print("make audit needs the network once to fetch pip-audit, and there is none.", file=sys.stderr)
            return 1
    command: list[str | Path] = [
        HOME / "bin" / "pip-audit",
        "--requirement",
        ROOT / "constraints.txt",
        "--no-deps",
        "--disable-pip",
    ]
    # strict: a package that could not be looked up is not one without weaknesses
    done = subprocess.run([*command, "--strict"], check=False, capture_output=True, text=True, cwd=ROOT)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode and any(word in done.stderr for word in _NO_ANSWER):
        print(
            "make audit could not ask the public advisories about everything: it needs the network.",
            file=sys.stderr,
        )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
