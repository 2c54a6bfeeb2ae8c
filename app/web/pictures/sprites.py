"""The site's icons (static/icons) as SVG symbols with resolved colours, for use in one drawing."""

from __future__ import annotations

import re
from functools import lru_cache

from app.paths import STATIC
from app.web.pictures.palette import Palette, load_palette, resolve_colours

__all__ = ["load_sprites"]

_SYMBOL = re.compile(r"<symbol .*?</symbol>", re.DOTALL)
_BACKGROUNDS = ("stone", "jungle", "card")
"""Backgrounds of symbols: cut-outs show the background's colour."""


@lru_cache(maxsize=2)
def load_sprites(theme: str) -> str:
    """Return the content of <defs>: landmarks, ornaments, pirates, and each symbol per background (`key-on-stone`)."""
    colours = load_palette(theme)
    plain = [
        resolve_colours(symbol, colours) for name in ("scenery", "pirates") for symbol in _read_symbols(name)
    ]
    cut = [
        _place_on_ground(symbol, ground, colours)
        for symbol in _read_symbols("symbols")
        for ground in _BACKGROUNDS
    ]
    return "".join((*plain, *cut))


def _read_symbols(name: str) -> list[str]:
    return _SYMBOL.findall((STATIC / "icons" / f"{name}.svg").read_text())


def _place_on_ground(symbol: str, ground: str, colours: Palette) -> str:
    named = re.sub(r'id="symbol-([\w-]+)"', rf'id="\1-on-{ground}"', symbol, count=1)
    return resolve_colours(named, {**colours, "--icon-cut": colours[f"--{ground}"]})
