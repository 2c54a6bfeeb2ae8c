"""The site's own signs (static/icons) as parts of one drawing: colours put in, each under a name of its own."""

from __future__ import annotations

import re
from functools import lru_cache

from app.paths import STATIC
from app.web.pictures.palette import Palette, palette, resolved

__all__ = ["sprites"]

_SYMBOL = re.compile(r"<symbol .*?</symbol>", re.DOTALL)
_GROUNDS = ("stone", "jungle", "card")
"""What symbols lie on: the cuts in them show its colour."""


@lru_cache(maxsize=2)
def sprites(theme: str) -> str:
    """For <defs>: landmarks, ornaments, pirates, and each symbol once a ground (`key-on-stone`)."""
    colours = palette(theme)
    plain = [resolved(symbol, colours) for name in ("scenery", "pirates") for symbol in _of(name)]
    cut = [_lying_on(symbol, ground, colours) for symbol in _of("symbols") for ground in _GROUNDS]
    return "".join((*plain, *cut))


def _of(name: str) -> list[str]:
    return _SYMBOL.findall((STATIC / "icons" / f"{name}.svg").read_text())


def _lying_on(symbol: str, ground: str, colours: Palette) -> str:
    named = re.sub(r'id="symbol-([\w-]+)"', rf'id="\1-on-{ground}"', symbol, count=1)
    return resolved(named, {**colours, "--icon-cut": colours[f"--{ground}"]})
