"""Find the Chromium for the browser tests, or install Debian's where allowed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from tools import debian

# The headless shell first: it is the same engine at half the CPU time per page.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PLACES = ("/Applications/Chromium.app/Contents/MacOS/Chromium",)
# Headless, without a sandbox (root and containers have none) and without any outside connection.
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
    """There is no Chromium; the message says how to get one."""


def installed() -> str | None:
    """Return $CHROMIUM, one on the PATH, or a build that Playwright downloaded."""
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


def find() -> str:
    """Return its path; as root on Debian it is installed if missing. Older releases have no headless shell."""
    try:
        return debian.found_or_installed(
            installed,
            # with a font for page measurements; the other recommended packages are for desktops
            ("fonts-liberation chromium-headless-shell", "fonts-liberation chromium"),
            otherwise="the browser tests need Chromium",
        )
    except debian.Missing as problem:
        raise NoChromium(
            f"{problem}; or run `.venv/bin/playwright install chromium`, or name one in CHROMIUM"
        ) from None


def find_for_playwright() -> str:
    """Like `find`, for callers that use Playwright, whose Node needs a library that a minimal Debian lacks."""
    if sys.platform == "linux":
        debian.library("libatomic.so.1", "libatomic1", wanted_for="Playwright's Node")
    return find()


if __name__ == "__main__":
    try:
        print(find())
    except NoChromium as problem:
        sys.exit(str(problem))
