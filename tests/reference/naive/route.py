"""Places on the route and destinations of pirates."""

from __future__ import annotations

from .coverage import count_situation
from .refusal import Json, is_number

Place = int | str


def passage_end(options: Json) -> int:
    return 6 * int(options["passage_boards"])


def route_end(options: Json) -> int:
    return 6 * int(options["passage_boards"] + options["jungle_boards"])


def order_on_route(options: Json, place: Place) -> float:
    if place == "start":
        return 0
    if place == "sloop":
        return passage_end(options) + 0.5
    if place == "goal":
        return route_end(options) + 1
    return int(place)


def is_place(options: Json, place: object) -> bool:
    if is_number(place):
        assert isinstance(place, int)
        return 1 <= place <= route_end(options)
    if place == "sloop":
        return bool(options["scenario"] == "complete")
    return isinstance(place, str) and place in ("start", "goal")


def is_complete(position: Json) -> bool:
    return bool(position["options"]["scenario"] == "complete")


def in_passage(position: Json, place: Place) -> bool:
    """Return whether the place is a space of the passage in the complete scenario."""
    return isinstance(place, int) and place <= passage_end(position["options"])


def standing_on(position: Json, space: int) -> int:
    return sum(player["pirates"].count(space) for player in position["players"])


def seats_in(position: Json) -> list[int]:
    return [seat for seat, player in enumerate(position["players"]) if not player["resigned"]]


def aboard(position: Json, seat: int) -> int:
    return int(position["players"][seat]["pirates"].count("sloop"))


def may_board(position: Json, seat: int, pirates: int) -> bool:
    return bool(position["sloop"] == "cartagena") and aboard(position, seat) + pirates <= 3


def move(position: Json, seat: int, source: Place, target: Place) -> None:
    pirates = position["players"][seat]["pirates"]
    pirates.remove(source)
    pirates.append(target)
    pirates.sort(key=lambda place: order_on_route(position["options"], place))


def ahead(position: Json, place: Place) -> tuple[list[int], str] | None:
    """Return the spaces ahead on the pirate's side, nearest first, and the place at the end of the side."""
    options = position["options"]
    last = route_end(options)
    if place == "goal":
        return None
    if not is_complete(position):
        begin = 0 if place == "start" else int(place)
        return list(range(begin + 1, last + 1)), "goal"
    if place == "sloop":
        if position["sloop"] != "tortuga":
            return None
        return list(range(passage_end(options) + 1, last + 1)), "goal"
    if place == "start" or in_passage(position, place):
        begin = 0 if place == "start" else int(place)
        return list(range(begin + 1, passage_end(options) + 1)), "sloop"
    return list(range(int(place) + 1, last + 1)), "goal"


def behind(position: Json, place: Place) -> list[int]:
    """Return the spaces behind on the pirate's side, nearest first."""
    options = position["options"]
    if place == "start":
        return []
    first, last = 1, route_end(options)
    if is_complete(position):
        if place == "sloop" or in_passage(position, place):
            last = passage_end(options)
            if place == "sloop" and position["sloop"] != "cartagena":
                return []
        else:
            first = passage_end(options) + 1
    begin = last + 1 if place in ("sloop", "goal") else int(place)
    return list(range(begin - 1, first - 1, -1))


def advance_target(position: Json, seat: int, place: Place, symbol: str, pirates: int = 1) -> Place | None:
    """Return the first empty space ahead with the symbol, else the end of the side, or None if illegal."""
    way = ahead(position, place)
    if way is None:
        return None
    spaces, end = way
    for space in spaces:
        if position["board"][space - 1] == symbol and standing_on(position, space) == 0:
            return space
    if end == "sloop" and not may_board(position, seat, pirates):
        if position["sloop"] == "cartagena":
            one_fits = pirates == 2 and may_board(position, seat, 1)
            count_situation("no room for both on the sloop" if one_fits else "no room on the sloop")
        return None
    return end


def retreat_target(position: Json, place: Place) -> tuple[int, int] | None:
    """Return the nearest company behind and its size, or None if illegal."""
    for space in behind(position, place):
        if standing_on(position, space) in (1, 2):
            return space, standing_on(position, space)
    return None


def morgan_target(position: Json, player: int, place: Place) -> tuple[Place, int] | None:
    """Return the nearest company ahead on the side and its size, else the end of the side and 2."""
    way = ahead(position, place)
    if way is None:
        return None
    spaces, end = way
    for space in spaces:
        if standing_on(position, space) in (1, 2):
            return space, standing_on(position, space)
    if end == "sloop" and not may_board(position, player, 1):
        return None
    return end, 2


def snake_target(position: Json, place: int) -> int:
    spaces = [space for space in behind(position, place) if standing_on(position, space) == 0]
    for space in spaces:
        if position["board"][space - 1] == "rum":
            return space
    return min(spaces, default=place)
