"""Small SVG plots: axes, points, a line; in colours that can be read on white and on dark pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

__all__ = ["Line", "plot"]

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 40, 50
_INK = "#6b7280"
_COLOURS = ("#2563eb", "#d97706", "#059669")


@dataclass(frozen=True)
class Line:
    """Points in order of x; `is_dashed` for what was fitted and not measured."""

    name: str
    points: Sequence[tuple[float, float]]
    is_dashed: bool = False


def plot(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    """An SVG picture with both axes from 0."""
    wide = max(x for line in lines for x, _ in line.points) or 1.0
    high = 1.15 * max(y for line in lines for _, y in line.points) or 1.0
    step_x, step_y = _step(wide), _step(high)

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            LEFT + (WIDTH - LEFT - RIGHT) * x / wide,
            HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / high,
        )

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'font-family="sans-serif" font-size="12" fill="{_INK}">'
        ),
        f"<title>{escape(title)}</title>",
        _text(LEFT, 20, title, "start", 14),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, across, "middle"),
        (
            f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" '
            f'text-anchor="middle">{escape(up)}</text>'
        ),
    ]
    for n in range(int(high / step_y) + 1):
        x, y = at(0, n * step_y)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{WIDTH - RIGHT}" stroke="{_INK}" stroke-opacity=".25"/>')
        parts.append(_text(x - 8, y + 4, f"{n * step_y:g}", "end"))
    for n in range(int(wide / step_x) + 1):
        x, y = at(n * step_x, 0)
        parts.append(_text(x, y + 18, f"{n * step_x:g}", "middle"))
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in line.points))
        dash = ' stroke-dasharray="6 4"' if line.is_dashed else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if not line.is_dashed:
            parts += [
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
                for x, y in (at(*point) for point in line.points)
            ]
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{TOP + 14 * number - 4}" text-anchor="end" '
            f'fill="{colour}">{escape(line.name)}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


def _text(x: float, y: float, words: str, anchor: str, size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'


def _step(most: float) -> float:
    """A round distance that divides the axis into four to eight parts."""
    power = 10.0 ** (len(f"{int(most)}") - 1) if most >= 1 else 0.1
    for factor in (0.1, 0.2, 0.25, 0.5, 1.0, 2.0):
        if most / (power * factor) <= 8:
            return power * factor
    return power
