"""The map of each route as the browser lays it out, read from files that tools/make_picture_maps.py has written."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FOLDER", "ROOM", "Point", "Route", "RouteMap", "Space", "file_of", "map_of"]

FOLDER = Path(__file__).parent / "maps"
ROOM = (844, 582)
"""The room that a link's picture gives the map, in pixels."""

Point = tuple[float, float]


class Route(NamedTuple):
    """All of a table's options that the map depends on."""

    scenario: str
    passage_boards: int
    jungle_boards: int


class Space(NamedTuple):
    """One tile of the road."""

    x: float
    y: float
    d: str
    side: str
    board: int
    plate: Point


class RouteMap(NamedTuple):
    """Where everything lies; one tile is 100 units long."""

    width: float
    height: float
    ground: str
    spaces: tuple[Space, ...]
    start: Point
    goal: Point
    sloop: dict[str, Point] | None
    standing: list[list[Point]]
    """Where the pirates of a space stand beside its middle, by how many they are."""
    grouped: list[list[Point]]
    """The same for the groups, one a colour, of prison, sloop or bay."""


def file_of(route: Route) -> Path:
    return FOLDER / f"{route.scenario}-{route.passage_boards}-{route.jungle_boards}.json"


@lru_cache(maxsize=32)  # there are 16 routes, 40 KB each
def map_of(route: Route) -> RouteMap:
    found: dict[str, Any] = json.loads(file_of(route).read_text())
    found["spaces"] = tuple(Space(**{**each, "plate": tuple(each["plate"])}) for each in found["spaces"])
    return RouteMap(**found)
