"""Scripts of a name, as UTS #39 wants them for identifiers: "moderately restrictive", one system of digits."""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_right
from functools import cache
from importlib import resources
from typing import Any

__all__ = ["RECOMMENDED", "is_ignorable", "is_moderate", "lookalikes"]

# UAX #31, table 5. Others are of scholars or of few (Cherokee, Lisu, Coptic …), and some of them are Latin
# to the eye from one end to the other.
RECOMMENDED = frozenset(
    "Arabic Armenian Bengali Bopomofo Cyrillic Devanagari Ethiopic Georgian Greek Gujarati Gurmukhi Han Hangul "
    "Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai "
    "Tibetan".split()
)
# Written together as a matter of course (UTS #39, "highly restrictive").
_TOGETHER = (
    frozenset(("Latin", "Han", "Hiragana", "Katakana")),
    frozenset(("Latin", "Han", "Bopomofo")),
    frozenset(("Latin", "Han", "Hangul")),
)
_ANYWHERE = frozenset(("Common", "Inherited"))
_NOT_WITH_LATIN = frozenset(("Cyrillic", "Greek"))

# Default_Ignorable_Code_Point: shown as nothing at all, whatever their category says.
_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip


def is_ignorable(letter: str) -> bool:
    """Whether a reader sees nothing of it."""
    return any(first <= ord(letter) <= last for first, last in _IGNORABLE)


def is_moderate(name: str) -> bool:
    """Whether one script, or two that nobody mixes up, make the whole name; and one system of digits."""
    scripts = {script for script in map(_script, filter(_counts, name)) if script not in _ANYWHERE}
    digits = {ord(letter) - unicodedata.decimal(letter) for letter in name if letter.isdecimal()}
    if len(digits) > 1 or not scripts <= RECOMMENDED:
        return False
    others = scripts - {"Latin"}
    if len(scripts) <= 1 or any(scripts <= together for together in _TOGETHER):
        return True
    return len(others) == 1 and not others & _NOT_WITH_LATIN


def lookalikes() -> dict[str, str]:
    """Letters beyond ASCII, and the letters they look like."""
    found: dict[str, str] = _tables()["lookalikes"]
    return found


def _counts(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "LMN"


def _script(letter: str) -> str:
    starts, ends, scripts = _ranges()
    place = bisect_right(starts, ord(letter)) - 1
    return scripts[place] if place >= 0 and ord(letter) <= ends[place] else "Unknown"


@cache
def _ranges() -> tuple[list[int], list[int], list[str]]:
    found = sorted(
        (first, last, script) for script, ranges in _tables()["scripts"].items() for first, last in ranges
    )
    starts, ends, scripts = zip(*found, strict=True)
    return list(starts), list(ends), list(scripts)


@cache
def _tables() -> Any:
    return json.loads((resources.files("app.web.auth") / "lookalikes.json").read_text(encoding="utf-8"))
