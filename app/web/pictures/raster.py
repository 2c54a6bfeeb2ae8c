"""SVG to PNG with resvg, if installed (the extra `pictures`): one at a time, in a separate process."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from importlib.util import find_spec
from pathlib import Path

from app.web.errors import TooMany
from app.web.pictures.typeface import FONT_FILES

__all__ = ["NoPicture", "Rasteriser", "can_rasterise"]

MAX_WAITING = 8
TIMEOUT_SECONDS = 20.0  # a picture takes less than one second

_PROGRAM = Path(__file__).with_name("raster_process.py")


class NoPicture(Exception):
    """The drawing could not be rasterised."""


def can_rasterise() -> bool:
    try:
        return find_spec("resvg_py") is not None
    except ModuleNotFoundError:  # an import hook may raise it
        return False


class Rasteriser:
    """The rasteriser of one app. Equal drawings give equal bytes."""

    def __init__(self) -> None:
        self._lock = asyncio.Semaphore(1)
        self._waiting = 0

    async def rasterise(self, svg: str) -> bytes:
        """Return the drawing as PNG in its own size. Raise NoPicture, or TooMany if too many are waiting."""
        if self._waiting >= MAX_WAITING:
            raise TooMany(5.0)
        self._waiting += 1
        try:
            async with self._lock:
                return await _run_process(svg)
        finally:
            self._waiting -= 1


async def _run_process(svg: str) -> bytes:
    fonts = [str(path) for path in FONT_FILES.values()]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", str(_PROGRAM), *fonts, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            picture, _ = await process.communicate(svg.encode())
    except TimeoutError:
        raise NoPicture from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise NoPicture
    return picture
