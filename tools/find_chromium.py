"""Finds the Chromium that the browser tests drive, and installs Debian's where that is allowed."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The shell without windows first: a page costs it half the processor time, and it is the same engine.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = ("/Applications/Chromium.app/Contents/MacOS/Chromium",)
# Headless, without a sandbox (root and containers have none) and without one word to the outside.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


class NoChromium(RuntimeError):
    """There is none; the sentence says how to get one."""


def installed() -> str | None:
    """CHROMIUM, what is on the PATH, or a build that Playwright downloaded."""
    named = os.environ.get("CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise NoChromium(f"CHROMIUM says {named}, but there is no such file")
        return named
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    downloaded = sorted(cache.glob("chromium-*/chrome-linux*/chrome"))
    return next((str(path) for path in (*reversed(downloaded), *map(Path, PLACES)) if path.is_file()), None)


def install() -> str | None:
    """Debian's own package. Several workers ask at once: one installs, the others wait and look again."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    apt = ["apt-get", "-o", "DPkg::Lock::Timeout=300"]
    with Path(tempfile.gettempdir(), "cartagena-chromium.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if installed() is None:
            # With what they recommend: fonts, by which pages are measured. Older releases have no shell.
            for step in (
                ["update"],
                ["install", "-y", "chromium-headless-shell"],
                ["install", "-y", "chromium"],
            ):
                code = subprocess.run(
                    [*apt, *step], env=environment, stdout=sys.stderr, stdin=subprocess.DEVNULL
                ).returncode
                if installed() is not None:
                    break
            else:
                raise NoChromium(f"apt-get could not install chromium (it ended with {code})")
        return installed()


def find() -> str:
    """Where it is; on Debian as root it is installed first when missing."""
    path = installed()
    if path is None and os.geteuid() == 0 and shutil.which("apt-get"):
        path = install()
    if path is None:
        raise NoChromium(
            "the browser tests need Chromium. Install it (Debian, Ubuntu: sudo apt-get install chromium), "
            "or run `.venv/bin/playwright install chromium`, or name one in CHROMIUM"
        )
    return path


if __name__ == "__main__":
    try:
        print(find())
    except NoChromium as problem:
        sys.exit(str(problem))
