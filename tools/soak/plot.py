"""Line charts as SVG: one small panel per line, each starting at zero, so that a flat line looks flat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _PANEL, _LEFT, _TOP, _GAP = 720, 92, 190, 40, 26
_INK, _FAINT, _COLOURS = "#2d2a26", "#b9b2a6", ("#8c3b2e", "#2f5d7c", "#4e6b3a", "#7a5c1e", "#5b4a78")


@dataclass
class Line:
    """One measured series."""

    title: str
    unit: str
    values: list[float]


def draw(minutes: Sequence[float], lines: Sequence[Line], caption: str) -> str:
    """Return the whole picture."""
    height = _TOP + len(lines) * (_PANEL + _GAP) + 20
    longest = max(minutes[-1], 1e-9)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-size="12" role="img">',
        f"<title>{escape(caption)}</title>",
        "<style>text { font-family: Georgia, serif }</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fbf8f1"/>',
        f'<text x="16" y="24" font-size="15">{escape(caption)} in {longest:.0f} minutes</text>',
    ]
    for number, line in enumerate(lines):
        parts += _panel(
            minutes, line, _TOP + number * (_PANEL + _GAP), longest, _COLOURS[number % len(_COLOURS)]
        )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _panel(minutes: Sequence[float], line: Line, top: float, longest: float, colour: str) -> list[str]:
    most = max([*line.values, 1.0]) * 1.15
    width = _WIDTH - _LEFT - 24
    bottom = top + _PANEL
    points = " ".join(
        f"{_LEFT + width * at / longest:.1f},{bottom - _PANEL * value / most:.1f}"
        for at, value in zip(minutes, line.values, strict=True)
    )
    unit = f" {line.unit}" if line.unit else ""
    ends = f"first {line.values[0]:.0f}{unit}, last {line.values[-1]:.0f}{unit}"
    return [
        f'<path d="M{_LEFT} {top} V{bottom} H{_LEFT + width}" fill="none" stroke="{_FAINT}"/>',
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        f'<text x="16" y="{top + 34}" font-size="13">{escape(line.title)}</text>',
        f'<text x="16" y="{top + 52}" fill="{colour}">{ends}</text>',
        f'<text x="{_LEFT - 6}" y="{top + 8}" text-anchor="end" fill="{_FAINT}">{most:.0f}</text>',
        f'<text x="{_LEFT - 6}" y="{bottom}" text-anchor="end" fill="{_FAINT}">0</text>',
    ]
