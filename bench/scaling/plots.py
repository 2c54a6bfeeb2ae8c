"""The plots of what has been measured, and the lines through them."""

from __future__ import annotations

from statistics import median
from typing import Any

from bench.scaling.drawing import Line, plot

__all__ = ["draw", "fit"]


def fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Slope and intercept of the least squares' line."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / count for axis in (0, 1))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return slope, mean_y - slope * mean_x


def _length(numbers: dict[str, Any]) -> str:
    """The median of all rounds at each length."""
    lines = []
    for name, label in (("free", "hands grow"), ("steady", "hands stay")):
        by: dict[float, list[float]] = {}
        for pair in numbers["lengths"][name]:
            for stretch in pair.values():
                by.setdefault(stretch["entries"], []).append(stretch["cpu_us"])
        lines.append(Line(label, [(entries, median(by[entries])) for entries in sorted(by)]))
    title = "CPU per action against the length of the game"
    return plot(title, "entries in the log", "µs", lines)


def draw(numbers: dict[str, Any]) -> dict[str, str]:
    """The pictures by name."""
    found = {"length": _length(numbers)}
    for name, x, y, title, across, up in (
        (
            "crowds",
            "spectators",
            "cpu_us",
            "CPU per action against spectators",
            "spectators at a table",
            "µs",
        ),
        ("sockets", "sockets", "mb", "Memory against idle sockets", "sockets", "MB"),
    ):
        points = [(each[x], each[y]) for each in numbers[name]]
        slope, base = fit(points)
        ends = [(px, base + slope * px) for px in (0.0, points[-1][0])]
        lines = [Line("measured", points), Line(f"{base:.4g} + {slope:.3g} · x", ends, is_dashed=True)]
        found[name] = plot(title, across, up, lines)
    loaded = [(each["rooms"], each["mb_loaded"]) for each in numbers["rooms"]]
    after = [(each["rooms"], each["mb_after"]) for each in numbers["rooms"]]
    lines = [Line("loaded", loaded), Line("after unloading", after)]
    found["rooms"] = plot("Memory against rooms loaded", "rooms", "MB", lines)
    return found
