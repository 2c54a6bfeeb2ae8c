"""A board as SVG: the map of its route, and on it what a spectator's view says. Drawn as static/js/board draws it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.web.pictures.maps import Point, Route, RouteMap, Space, map_of

__all__ = ["COLOURS", "FONT_RULES", "LETTERS", "board", "look_of", "pirate"]

Json = dict[str, Any]

COLOURS = ("red", "blue", "yellow", "green", "violet")
LETTERS = "RBYGV"
_BADGES = ((9.5, 30, 21), (9.5, 30, 21), (8, 27, 24), (9, 29, 22), (7, 27, 26))
_FIGURE = 1.08  # a figure is 40 x 60 units, a tile 100

# Beside static/css/board.css, whose plain typeface is the system's: these are drawn in one of ours.
FONT_RULES = """
.board .space-number text { font-size: 19px; }
.badge-letter { font-size: 16px; stroke-width: 0.7; }
.board .count text { font-size: 21px; stroke-width: 0.6; }
.board .victory-flag text { font-size: 26px; }
"""


def look_of(colour: str | None, seat: int) -> int:
    """Which figure and colour a seat has; before colours are known, seats take them in order."""
    return COLOURS.index(colour) if colour in COLOURS else seat % 5


def pirate(look: int, x: float, y: float, scale: float) -> str:
    """A pirate with its badge and letter, the feet at x, y."""
    bx, by, size = _BADGES[look]
    letter_y = 46.5 if look == 2 else 45.8
    return (
        f'<g class="figure look-{look}" transform="translate({x:.1f} {y:.1f}) scale({scale}) translate(-20 -56)">'
        f'<use href="#pirate-{look}" x="0" y="-4" width="40" height="60"/>'
        f'<use href="#shape-{look}" class="badge" x="{bx}" y="{by}" width="{size}" height="{size}"/>'
        f'<text class="badge-letter" x="20" y="{letter_y}">{LETTERS[look]}</text></g>'
    )


def board(view: Json, looks: Sequence[int]) -> tuple[str, float, float]:
    """The drawing with its width and height in its own units; `looks`: the colour of each seat."""
    options = view["options"]
    plan = map_of(Route(options["scenario"], options["passage_boards"], options["jungle_boards"]))
    standing = _standing(view)
    parts = [plan.ground]
    parts += [_space(space, n, view, n in standing) for n, space in enumerate(plan.spaces, 1)]
    front: list[str] = []
    for name, at in _landmarks(plan, view):
        parts.append(_landmark(name, at))
        front.append(_landmark(f"{name}-front", at))
    parts += _pirates(plan, view, looks, standing)
    return "".join((*parts, *front, *_victory(plan, view, looks))), plan.width, plan.height


def _standing(view: Json) -> dict[Any, list[list[int]]]:
    """Who stands where: place → one list a seat, with the seat as often as it has pirates there."""
    found: dict[Any, list[list[int]]] = {}
    for seat, player in enumerate(view["players"]):
        for place in dict.fromkeys(player["pirates"]):
            found.setdefault(place, []).append([seat] * player["pirates"].count(place))
    return found


def _space(space: Space, number: int, view: Json, is_taken: bool) -> str:
    ground = "jungle" if space.side == "jungle" else "stone"
    aside = "translate(0 -30) scale(0.62)" if is_taken else ""
    chest = str(number) in (view.get("chests") or {})
    token = f'<use href="#chest-token" x="{space.x + 16:.1f}" y="{space.y - 48:.1f}" width="34" height="34"/>'
    x, y = space.plate
    plate = (
        f'<g class="space-number"><rect x="{x - 17:.1f}" y="{y - 13:.1f}" width="34" height="26" rx="12"/>'
        f'<text x="{x}" y="{y + 6:.1f}">{number}</text></g>'
    )
    return (
        f'<g class="space {space.side} board-{space.board % 2}"><path class="tile" d="{space.d}"/>'
        f'<path class="tile-edge" d="{space.d}"/><g transform="translate({space.x} {space.y}) {aside}">'
        f'<use href="#{view["board"][number - 1]}-on-{ground}" x="-26" y="-26" width="52" height="52"/></g>'
        f"{token if chest else ''}{plate if number % 6 == 0 else ''}</g>"
    )


def _landmarks(plan: RouteMap, view: Json) -> Iterator[tuple[str, Point]]:
    scenario = view["options"]["scenario"]
    yield "wreck" if scenario == "jungle" else "prison", plan.start
    if plan.sloop is not None:
        yield "sloop", plan.sloop[view["sloop"]]
    yield "sloop" if scenario == "passage" else "bay", plan.goal


def _landmark(name: str, at: Point) -> str:
    x, y = at
    return f'<use href="#{name}" x="{x - 119:.1f}" y="{y - 108:.1f}" width="238" height="187"/>'


def _place(plan: RouteMap, view: Json, place: Any) -> Point:
    if isinstance(place, int):
        space = plan.spaces[place - 1]
        return space.x, space.y
    if place == "sloop":
        assert plan.sloop is not None
        return plan.sloop[view["sloop"]]
    return plan.start if place == "start" else plan.goal


def _pirates(
    plan: RouteMap, view: Json, looks: Sequence[int], standing: dict[Any, list[list[int]]]
) -> list[str]:
    """Those lower on the map lie on top; of several alike at a big place one is drawn, with their number."""
    figures: list[tuple[float, str]] = []
    counts: list[str] = []
    for place, groups in standing.items():
        x, y = _place(plan, view, place)
        if isinstance(place, int):
            seats = [seat for group in groups for seat in group]
            for seat, (dx, dy) in zip(seats, plan.standing[len(seats)], strict=True):
                figures.append((y + dy, pirate(looks[seat], x + dx, y + dy, _FIGURE)))
            continue
        is_cheering = place == "goal" and any(group[0] == view["winner"] for group in groups)
        for group, (dx, dy) in zip(groups, plan.grouped[len(groups)], strict=True):
            seat, n = group[0], len(group)
            if is_cheering and seat == view["winner"]:
                gap = min(
                    34, 170 / n
                )  # the winner's crew stands side by side, before anybody else who is home
                for k in range(n):
                    at = x + (k - (n - 1) / 2) * gap
                    figures.append((y + 46, pirate(looks[seat], at, y + 46, _FIGURE)))
                continue
            figures.append((y + dy, pirate(looks[seat], x + dx, y + dy, _FIGURE)))
            if n > 1 and not is_cheering:  # behind that crew their number would hang over the wrong heads
                counts.append(
                    f'<g class="count"><circle cx="{x + dx + 15:.1f}" cy="{y + dy - 57:.1f}" r="14"/>'
                    f'<text x="{x + dx + 15:.1f}" y="{y + dy - 51:.1f}">{n}</text></g>'
                )
    return [drawn for _, drawn in sorted(figures, key=lambda each: each[0])] + counts


def _victory(plan: RouteMap, view: Json, looks: Sequence[int]) -> list[str]:
    """The winner's flag over the goal, where the crew is home."""
    winner = view["winner"]
    if winner is None or any(place != "goal" for place in view["players"][winner]["pirates"]):
        return []
    x, y = plan.goal
    look = looks[winner]
    at = f'transform="translate({x - 10:.1f} {y - 112:.1f})"'
    flag = '<path d="M0 0c26-10 40 10 66 0v40c-26 10-40-10-66 0z"/>'
    return [f'<g class="victory-flag look-{look}" {at}>{flag}<text x="33" y="29">{LETTERS[look]}</text></g>']
