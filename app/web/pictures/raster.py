"""SVG to PNG by resvg, where it is installed (the extra `pictures`): one at a time, in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE
from importlib.util import find_spec
from pathlib import Path

from app.web.errors import TooMany
from app.web.pictures.typeface import FILES

__all__ = ["NoPicture", "Rasteriser", "can_rasterise"]

MOST_WAITING = 8
SECONDS = 20.0  # after which a process is ended: a picture takes less than one

_PROGRAM = Path(__file__).with_name("raster_process.py")


class NoPicture(Exception):
    """The drawing could not be made into a picture."""


def can_rasterise() -> bool:
    try:
        return find_spec("resvg_py") is not None
    except ModuleNotFoundError:  # an import hook may say so, too
        return False


class Rasteriser:
    """Of one app. The same drawing gives the same bytes."""

    def __init__(self) -> None:
        self._turn = asyncio.Semaphore(1)
        self._waiting = 0

    async def png_of(self, svg: str) -> bytes:
        """The drawing at its own size. Raises NoPicture, and TooMany when too many wait."""
        if self._waiting >= MOST_WAITING:
            raise TooMany(5.0)
        self._waiting += 1
        try:
            async with self._turn:
                return await _rasterised(svg)
        finally:
            self._waiting -= 1


async def _rasterised(svg: str) -> bytes:
    fonts = [str(path) for path in FILES.values()]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", str(_PROGRAM), *fonts, stdin=PIPE, stdout=PIPE, stderr=DEVNULL
    )
    try:
        async with asyncio.timeout(SECONDS):
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
