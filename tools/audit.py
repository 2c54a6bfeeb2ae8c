"""Check the pinned packages against public advisories with pip-audit and npm audit (`make audit`).

Not part of `make test`: it needs the network, and its result changes while the project does not. pip-audit has its
own environment, so that it adds nothing to the pins.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

from tools.node import npm

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv" / "audit"
LOCKS = (
    ROOT / "tools" / "js" / "package-lock.json",
    *sorted(ROOT.glob("bench/peers/*/package-lock.json")),
)
PIP_AUDIT = "pip-audit==2.10.1"
_NO_ANSWER = (
    "could not be audited",
    "not found on PyPI",
    "Connection",
    "Max retries",
    "timed out",
    "ServiceError",
)


def audit_python() -> int:
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
    # strict: a package that could not be looked up is not known to be safe
    done = subprocess.run([*command, "--strict"], check=False, capture_output=True, text=True, cwd=ROOT)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode and any(word in done.stderr for word in _NO_ANSWER):
        print(
            "make audit could not ask the public advisories about everything: it needs the network.",
            file=sys.stderr,
        )
    return done.returncode


def audit_npm(folder: Path) -> int:
    """Audit the lock file in `folder`; npm fails if it gets no answer."""
    print(f"{folder.relative_to(ROOT)}:", flush=True)
    return subprocess.run(
        npm("audit", "--package-lock-only", "--audit=true"), check=False, cwd=folder
    ).returncode


def main() -> int:
    return max(audit_python(), *(audit_npm(lock.parent) for lock in LOCKS))


if __name__ == "__main__":
    sys.exit(main())
