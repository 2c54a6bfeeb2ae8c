"""A board as SVG: the map of its route with a spectator's view on it, drawn like static/js/board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.web.pictures.maps import Point, Route, RouteMap, Space, load_map

__all__ = ["COLOURS", "COLOUR_LETTERS", "FONT_RULES", "draw_board", "draw_pirate", "look_index"]

Json = dict[str, Any]

COLOURS = ("red", "blue", "yellow", "green", "violet")
COLOUR_LETTERS = "RBYGV"
_BADGE_BOXES = ((9.5, 30, 21), (9.5, 30, 21), (8, 27, 24), (9, 29, 22), (7, 27, 26))
_FIGURE_SCALE = 1.08  # a figure is 40 x 60 units, a tile 100

# In addition to static/css/board.css, which uses the system's font for these; pictures use one of ours.
FONT_RULES = """
.board .space-number text { font-size: 19px; }
.badge-letter { font-size: 16px; stroke-width: 0.7; }
.board .count text { font-size: 21px; stroke-width: 0.6; }
.board .victory-flag text { font-size: 26px; }
"""


def look_index(colour: str | None, seat: int) -> int:
    """Return the index of a seat's figure and colour. Seats without a colour take them in order."""
    return COLOURS.index(colour) if colour in COLOURS else seat % 5


def draw_pirate(look: int, x: float, y: float, scale: float) -> str:
    """Return a pirate with badge and letter, its feet at x, y."""
    bx, by, size = _BADGE_BOXES[look]
    letter_y = 46.5 if look == 2 else 45.8
    return (
        f'<g class="figure look-{look}" transform="translate({x:.1f} {y:.1f}) scale({scale}) translate(-20 -56)">'
        f'<use href="#pirate-{look}" x="0" y="-4" width="40" height="60"/>'
        f'<use href="#shape-{look}" class="badge" x="{bx}" y="{by}" width="{size}" height="{size}"/>'
        f'<text class="badge-letter" x="20" y="{letter_y}">{COLOUR_LETTERS[look]}</text></g>'
    )


def draw_board(view: Json, looks: Sequence[int]) -> tuple[str, float, float]:
    """Return the drawing with its width and height in its own units. `looks` are the seats' colour indexes."""
    options = view["options"]
    plan = load_map(Route(options["scenario"], options["passage_boards"], options["jungle_boards"]))
    standing = _group_by_place(view)
    parts = [plan.ground]
    parts += [_draw_space(space, n, view, n in standing) for n, space in enumerate(plan.spaces, 1)]
    front: list[str] = []
    for name, at in _landmarks(plan, view):
        parts.append(_draw_landmark(name, at))
        front.append(_draw_landmark(f"{name}-front", at))
    parts += _draw_pirates(plan, view, looks, standing)
    return "".join((*parts, *front, *_draw_victory_flag(plan, view, looks))), plan.width, plan.height


def _group_by_place(view: Json) -> dict[Any, list[list[int]]]:
    """Return place → one list per seat, which repeats the seat for each of its pirates there."""
    found: dict[Any, list[list[int]]] = {}
    for seat, player in enumerate(view["players"]):
        for place in dict.fromkeys(player["pirates"]):
            found.setdefault(place, []).append([seat] * player["pirates"].count(place))
    return found


def _draw_space(space: Space, number: int, view: Json, is_taken: bool) -> str:
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


def _draw_landmark(name: str, at: Point) -> str:
    x, y = at
    return f'<use href="#{name}" x="{x - 119:.1f}" y="{y - 108:.1f}" width="238" height="187"/>'


def _place_point(plan: RouteMap, view: Json, place: Any) -> Point:
    if isinstance(place, int):
        space = plan.spaces[place - 1]
        return space.x, space.y
    if place == "sloop":
        assert plan.sloop is not None
        return plan.sloop[view["sloop"]]
    return plan.start if place == "start" else plan.goal


def _draw_pirates(
    plan: RouteMap, view: Json, looks: Sequence[int], standing: dict[Any, list[list[int]]]
) -> list[str]:
    """Draw the pirates, lower ones on top. At the large places a seat's group is one figure with a count."""
    figures: list[tuple[float, str]] = []
    counts: list[str] = []
    for place, groups in standing.items():
        x, y = _place_point(plan, view, place)
        if isinstance(place, int):
            seats = [seat for group in groups for seat in group]
            for seat, (dx, dy) in zip(seats, plan.standing[len(seats)], strict=True):
                figures.append((y + dy, draw_pirate(looks[seat], x + dx, y + dy, _FIGURE_SCALE)))
            continue
        is_cheering = place == "goal" and any(group[0] == view["winner"] for group in groups)
        for group, (dx, dy) in zip(groups, plan.grouped[len(groups)], strict=True):
            seat, n = group[0], len(group)
            if is_cheering and seat == view["winner"]:
                gap = min(34, 170 / n)  # the winner's crew stands side by side, in front of the others
                for k in range(n):
                    at = x + (k - (n - 1) / 2) * gap
                    figures.append((y + 46, draw_pirate(looks[seat], at, y + 46, _FIGURE_SCALE)))
                continue
            figures.append((y + dy, draw_pirate(looks[seat], x + dx, y + dy, _FIGURE_SCALE)))
            if (
                n > 1 and not is_cheering
            ):  # behind the winner's crew, the count would appear over the wrong figures
                counts.append(
                    f'<g class="count"><circle cx="{x + dx + 15:.1f}" cy="{y + dy - 57:.1f}" r="14"/>'
                    f'<text x="{x + dx + 15:.1f}" y="{y + dy - 51:.1f}">{n}</text></g>'
                )
    return [drawn for _, drawn in sorted(figures, key=lambda each: each[0])] + counts


def _draw_victory_flag(plan: RouteMap, view: Json, looks: Sequence[int]) -> list[str]:
    """Draw the winner's flag over the goal, once all their pirates are home."""
    winner = view["winner"]
    if winner is None or any(place != "goal" for place in view["players"][winner]["pirates"]):
        return []
    x, y = plan.goal
    look = looks[winner]
    at = f'transform="translate({x - 10:.1f} {y - 112:.1f})"'
    flag = '<path d="M0 0c26-10 40 10 66 0v40c-26 10-40-10-66 0z"/>'
    return [
        f'<g class="victory-flag look-{look}" {at}>{flag}<text x="33" y="29">{COLOUR_LETTERS[look]}</text></g>'
    ]
