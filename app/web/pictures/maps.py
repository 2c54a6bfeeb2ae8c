"""The map of each route as laid out by the browser, read from files that tools/make_picture_maps.py writes."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["MAPS_FOLDER", "MAP_AREA_PX", "Point", "Route", "RouteMap", "Space", "load_map", "map_file"]

MAPS_FOLDER = Path(__file__).parent / "maps"
MAP_AREA_PX = (844, 582)
"""Width and height of the map in a preview picture."""

Point = tuple[float, float]


class Route(NamedTuple):
    """The options of a table that determine its map."""

    scenario: str
    passage_boards: int
    jungle_boards: int


class Space(NamedTuple):
    """One tile of the route."""

    x: float
    y: float
    d: str
    side: str
    board: int
    plate: Point


class RouteMap(NamedTuple):
    """Positions of everything on the map, in units; a tile is 100 long."""

    width: float
    height: float
    ground: str
    spaces: tuple[Space, ...]
    start: Point
    goal: Point
    sloop: dict[str, Point] | None
    standing: list[list[Point]]
    """Offsets of the pirates on a space from its centre, by their number."""
    grouped: list[list[Point]]
    """Offsets of the groups, one per colour, in prison, sloop or bay."""


def map_file(route: Route) -> Path:
    return MAPS_FOLDER / f"{route.scenario}-{route.passage_boards}-{route.jungle_boards}.json"


@lru_cache(maxsize=32)  # there are 16 routes, 40 KB each
def load_map(route: Route) -> RouteMap:
    found: dict[str, Any] = json.loads(map_file(route).read_text())
    found["spaces"] = tuple(Space(**{**space, "plate": tuple(space["plate"])}) for space in found["spaces"])
    return RouteMap(**found)
