"""The site's colours for drawings outside a browser, read from static/css/tokens.css, where all are defined."""

from __future__ import annotations

import re
from functools import lru_cache

from app.paths import STATIC

__all__ = ["NIGHT_EDITIONS", "Palette", "board_css", "load_palette", "resolve_colours"]

Palette = dict[str, str]

NIGHT_EDITIONS = frozenset(("dungeon", "hispaniola", "complete"))
"""Editions whose pictures use the dark theme, as in tools/make_share_pictures.py."""

_ROOT_BLOCK = re.compile(r":root(\[data-theme=\"dark\"\])? \{(.*?)\n\}", re.DOTALL)
_TOKEN_DEFINITION = re.compile(r"(--[\w-]+):\s*([^;]+);")
_VARIABLE_USE = re.compile(r"var\((--[\w-]+)(?:,[^()]*)?\)")
_COLOUR_MIX = re.compile(r"color-mix\(in srgb, (#\w{6}) (\d+)%, (#\w{6})\)")
# Rules that the rasteriser supports: those for the map, with class selectors only.
_BOARD_RULE = re.compile(
    r"^(\.board \.(?!ring|chip|trace|recap|arrow|place|layer)[\w. -]+) \{ ([^}]*) \}$", re.MULTILINE
)
_FIGURE_RULE = re.compile(r"(\.(?:look-\d|badge|badge-letter)) \{ ([^}]*) \}")
_UNSUPPORTED_PROPERTIES = re.compile(
    r"(?<![\w-])(?:--[\w-]+|font|cursor|outline|transition|touch-action|pointer-events|display|max-height|width|height)"
    r":[^;]*;?\s*"
)


@lru_cache(maxsize=2)
def load_palette(theme: str) -> Palette:
    """Return all tokens of the theme `light` or `dark`. Dark inherits what it does not define."""
    found: Palette = {}
    for dark, body in _ROOT_BLOCK.findall((STATIC / "css" / "tokens.css").read_text()):
        if theme == "dark" or not dark:
            found |= dict(_TOKEN_DEFINITION.findall(body))
    return found


def resolve_colours(text: str, colours: Palette) -> str:
    """Return CSS or SVG with its colour variables replaced. Fallbacks are dropped, because all tokens are known."""
    while (named := _VARIABLE_USE.search(text)) is not None:
        text = text[: named.start()] + colours[named[1]].strip() + text[named.end() :]
    return _COLOUR_MIX.sub(lambda mix: _mix(mix[1], int(mix[2]), mix[3]), text)


def _mix(one: str, percent: int, other: str) -> str:
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round((a * percent + b * (100 - percent)) / 100):02x}" for a, b in pairs)


@lru_cache(maxsize=2)
def board_css(theme: str) -> str:
    """Return the rules of static/css/board.css for colours and lines of map and pirates."""
    text = (STATIC / "css" / "board.css").read_text()
    rules = [*_BOARD_RULE.findall(text), *dict(_FIGURE_RULE.findall(text)).items()]
    supported = ((selector, _UNSUPPORTED_PROPERTIES.sub("", body).strip()) for selector, body in rules)
    colours = load_palette(theme)
    return "\n".join(
        f"{selector} {{ {resolve_colours(body, colours)} }}" for selector, body in supported if body
    )
