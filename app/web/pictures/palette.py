"""The site's colours for drawings outside a browser, read from static/css/tokens.css, the only place that has them."""

from __future__ import annotations

import re
from functools import lru_cache

from app.paths import STATIC

__all__ = ["NIGHT", "Palette", "board_rules", "palette", "resolved"]

Palette = dict[str, str]

NIGHT = frozenset(("dungeon", "hispaniola", "complete"))
"""The editions whose pictures are of the night, here as in tools/make_share_pictures.py."""

_BLOCK = re.compile(r":root(\[data-theme=\"dark\"\])? \{(.*?)\n\}", re.DOTALL)
_TOKEN = re.compile(r"(--[\w-]+):\s*([^;]+);")
_VAR = re.compile(r"var\((--[\w-]+)(?:,[^()]*)?\)")
_MIX = re.compile(r"color-mix\(in srgb, (#\w{6}) (\d+)%, (#\w{6})\)")
# Rules that a rasteriser can follow: of what lies on the map, named by classes alone.
_RULE = re.compile(
    r"^(\.board \.(?!ring|chip|trace|recap|arrow|place|layer)[\w. -]+) \{ ([^}]*) \}$", re.MULTILINE
)
_FIGURE = re.compile(r"(\.(?:look-\d|badge|badge-letter)) \{ ([^}]*) \}")
_LEFT_OUT = re.compile(
    r"(?<![\w-])(?:--[\w-]+|font|cursor|outline|transition|touch-action|pointer-events|display|max-height|width|height)"
    r":[^;]*;?\s*"
)


@lru_cache(maxsize=2)
def palette(theme: str) -> Palette:
    """Every token by its name, `light` or `dark`; by night what is not named anew is as by day."""
    found: Palette = {}
    for dark, body in _BLOCK.findall((STATIC / "css" / "tokens.css").read_text()):
        if theme == "dark" or not dark:
            found |= dict(_TOKEN.findall(body))
    return found


def resolved(text: str, colours: Palette) -> str:
    """A piece of CSS or SVG with its colours put in; a fallback behind a comma is not needed, all tokens are known."""
    while (named := _VAR.search(text)) is not None:
        text = text[: named.start()] + colours[named[1]].strip() + text[named.end() :]
    return _MIX.sub(lambda mix: _mixed(mix[1], int(mix[2]), mix[3]), text)


def _mixed(one: str, percent: int, other: str) -> str:
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round((a * percent + b * (100 - percent)) / 100):02x}" for a, b in pairs)


@lru_cache(maxsize=2)
def board_rules(theme: str) -> str:
    """What static/css/board.css says of the map and the pirates, as far as it is about colours and lines."""
    text = (STATIC / "css" / "board.css").read_text()
    rules = [*_RULE.findall(text), *dict(_FIGURE.findall(text)).items()]
    kept = ((selector, _LEFT_OUT.sub("", body).strip()) for selector, body in rules)
    colours = palette(theme)
    return "\n".join(f"{selector} {{ {resolved(body, colours)} }}" for selector, body in kept if body)
