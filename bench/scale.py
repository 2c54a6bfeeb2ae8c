"""How the server grows; `python -m bench.scale PART…` measures and writes docs/scale.md with its plots and numbers.

Parts: `load` (actions a second and latency with 1 and 2 workers), `growth` (long games, spectators,
sockets), `rooms` (loaded and evicted), `startup` (100,000 stored games), `plots` (draws and writes what was measured).
Everything runs on one machine: workers, PostgreSQL, Redis and the load generator share its cores.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import uvloop

from bench.scaling.drawing import Line, plot
from bench.scaling.growth import crowds, lengths, sockets
from bench.scaling.load import on_cluster, on_sqlite
from bench.scaling.news import news
from bench.scaling.page import page
from bench.scaling.rooms import rooms
from bench.scaling.startup import startup

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "scale"
NUMBERS = FOLDER / "numbers.json"
PARTS = ("load", "growth", "rooms", "startup", "plots")


def _fit(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Slope and intercept of the least squares' line."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / count for axis in (0, 1))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return slope, mean_y - slope * mean_x


def measure_load(rounds: int) -> dict[str, Any]:
    """Interleaved, so that a quiet minute helps all alike."""
    found: dict[str, list[dict[str, Any]]] = {"sqlite": [], "1": [], "2": []}
    for _ in range(rounds):
        found["sqlite"].append(uvloop.run(on_sqlite()))
        for workers in (1, 2):
            found[str(workers)].append(uvloop.run(on_cluster(workers)))
    return {"load": found}


def measure_growth() -> dict[str, Any]:
    return {
        "lengths": uvloop.run(lengths()),
        "crowds": uvloop.run(crowds()),
        "sockets": uvloop.run(sockets()),
        "news": news(),
    }


def draw(numbers: dict[str, Any]) -> None:
    """The plots of what has been measured."""
    if "lengths" in numbers:
        points = [(each["entries"], each["cpu_us"]) for each in numbers["lengths"]]
        picture = plot(
            "CPU an action against the length of the game",
            "entries in the log",
            "µs",
            [Line("measured", points)],
        )
        (FOLDER / "length.svg").write_text(picture)
    for name, x, y, title, across, up in (
        ("crowds", "spectators", "cpu_us", "CPU an action against spectators", "spectators at a table", "µs"),
        ("sockets", "sockets", "mb", "Memory against idle sockets", "sockets", "MB"),
    ):
        if name in numbers:
            points = [(each[x], each[y]) for each in numbers[name]]
            slope, base = _fit(points)
            numbers[f"{name}_fit"] = {"slope": slope, "base": base}
            ends = [(px, base + slope * px) for px in (0.0, points[-1][0])]
            lines = [Line("measured", points), Line(f"{base:.4g} + {slope:.3g} · x", ends, is_dashed=True)]
            (FOLDER / f"{name}.svg").write_text(plot(title, across, up, lines))
    if "rooms" in numbers:
        points = [(each["rooms"], each["mb_loaded"]) for each in numbers["rooms"]]
        after = [(each["rooms"], each["mb_after"]) for each in numbers["rooms"]]
        picture = plot(
            "Memory against rooms loaded",
            "rooms",
            "MB",
            [Line("loaded", points), Line("after all were put away", after)],
        )
        (FOLDER / "rooms.svg").write_text(picture)


def main() -> None:
    choice = argparse.ArgumentParser(description=__doc__)
    choice.add_argument("parts", nargs="*", help="some of: " + ", ".join(PARTS))
    choice.add_argument("--rounds", type=int, default=3, help="of `load`")
    asked = choice.parse_args()
    unknown = set(asked.parts) - set(PARTS)
    if unknown:
        choice.error(f"no such part: {', '.join(sorted(unknown))}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    numbers: dict[str, Any] = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    for part in asked.parts or PARTS:
        print(f"{part} ...", flush=True)
        if part != "plots":
            numbers.setdefault("load_average", {})[part] = os.getloadavg()[0]
        match part:
            case "load":
                numbers |= measure_load(asked.rounds)
            case "growth":
                numbers |= measure_growth()
            case "rooms":
                numbers["rooms"] = rooms()
            case "startup":
                numbers["startup"] = startup()
        draw(numbers)
        NUMBERS.write_text(json.dumps(numbers, indent=1) + "\n")
        if {"load", "lengths", "rooms", "startup"} <= set(numbers):
            (FOLDER.parent / "scale.md").write_text(page(numbers))
    print(json.dumps(numbers, indent=1))


if __name__ == "__main__":
    main()
