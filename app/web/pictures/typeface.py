"""Widths and available characters of our two fonts, read from their TrueType files."""

from __future__ import annotations

import struct
from functools import lru_cache
from pathlib import Path

__all__ = ["DISPLAY_FONT", "FONT_FILES", "TEXT_FONT", "Typeface", "load_typeface"]

DISPLAY_FONT, TEXT_FONT = "Almendra SC", "Caudex"
FONT_FILES = {
    DISPLAY_FONT: Path(__file__).parent / "fonts" / "almendra-sc.ttf",
    TEXT_FONT: Path(__file__).parent / "fonts" / "caudex.ttf",
}


class Typeface:
    """Metrics of one TrueType file, from its tables `head`, `hhea`, `hmtx` and `cmap` (format 4)."""

    def __init__(self, data: bytes) -> None:
        count = struct.unpack(">H", data[4:6])[0]
        tables = {}
        for n in range(count):
            tag, _, start, length = struct.unpack(">4sIII", data[12 + 16 * n : 28 + 16 * n])
            tables[tag] = data[start : start + length]
        self._unit: int = struct.unpack(">H", tables[b"head"][18:20])[0]
        wide = struct.unpack(">H", tables[b"hhea"][34:36])[0]
        self._widths: list[int] = [
            struct.unpack(">H", tables[b"hmtx"][4 * n : 4 * n + 2])[0] for n in range(wide)
        ]
        self._glyphs = _parse_cmap_format_4(tables[b"cmap"])

    def can_draw(self, text: str) -> bool:
        """Return whether the font has every character."""
        return all(ord(letter) in self._glyphs for letter in text)

    def width(self, text: str, size: float) -> float:
        glyphs = (self._glyphs.get(ord(letter), 0) for letter in text)
        return sum(self._widths[min(glyph, len(self._widths) - 1)] for glyph in glyphs) * size / self._unit

    def truncate(self, text: str, size: float, room: float) -> str:
        """Return the text, shortened with an ellipsis if it is wider than `room`."""
        if self.width(text, size) <= room:
            return text
        while text and self.width(text.rstrip() + "…", size) > room:
            text = text[:-1]
        return text.rstrip() + "…"


def _parse_cmap_format_4(cmap: bytes) -> dict[int, int]:
    """Return code point → glyph from the format 4 table, which both fonts have."""
    found: dict[int, int] = {}
    for n in range(struct.unpack(">H", cmap[2:4])[0]):
        start = struct.unpack(">I", cmap[8 + 8 * n : 12 + 8 * n])[0]
        if struct.unpack(">H", cmap[start : start + 2])[0] != 4:
            continue
        table = cmap[start:]
        segments = struct.unpack(">H", table[6:8])[0] // 2

        def row(at: int, kind: str, table: bytes = table, segments: int = segments) -> tuple[int, ...]:
            return struct.unpack(f">{segments}{kind}", table[at : at + 2 * segments])

        ends, starts = row(14, "H"), row(16 + 2 * segments, "H")
        deltas, offsets = row(16 + 4 * segments, "h"), row(16 + 6 * segments, "H")
        for k in range(segments):
            for code in range(starts[k], min(ends[k], 0xFFFE) + 1):
                glyph = code
                if offsets[k]:
                    at = 16 + 6 * segments + 2 * k + offsets[k] + 2 * (code - starts[k])
                    glyph = struct.unpack(">H", table[at : at + 2])[0]
                    if not glyph:
                        continue
                found[code] = (glyph + deltas[k]) & 0xFFFF
    return found


@lru_cache(maxsize=2)
def load_typeface(name: str) -> Typeface:
    return Typeface(FONT_FILES[name].read_bytes())
