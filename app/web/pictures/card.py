"""Preview pictures as SVG of 1200 × 630, from public data: a board with its players, and a player's results.

All text chosen by people goes through `_draw_text`, which escapes it and omits characters that our fonts lack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from app.rules.catalogue import PRESETS
from app.web.i18n import Catalogue
from app.web.pictures.board import COLOURS, FONT_RULES, draw_board, draw_pirate, look_index
from app.web.pictures.maps import MAP_AREA_PX
from app.web.pictures.palette import NIGHT_EDITIONS, board_css, load_palette
from app.web.pictures.sprites import load_sprites
from app.web.pictures.typeface import DISPLAY_FONT, TEXT_FONT, load_typeface

__all__ = ["HEIGHT", "WIDTH", "Profile", "TablePicture", "profile_svg", "table_svg"]

WIDTH, HEIGHT = 1200, 630
_COLUMN_LEFT, _COLUMN_RIGHT = 892, 1176  # of the column beside the map

Json = dict[str, Any]


@dataclass(frozen=True)
class TablePicture:
    """What a spectator sees of a started table. Equal objects give equal pictures."""

    view: Json
    status: str
    seats: tuple[tuple[str | None, str | None], ...]
    """Name and colour of each seat; the name may be None."""


@dataclass(frozen=True)
class Profile:
    """The contents of a player's public profile."""

    name: str
    played: int
    won: int
    colour: str | None
    results: tuple[tuple[str, int, int], ...]
    """Edition, games played and games won; most played first."""


def table_svg(table: TablePicture, words: Catalogue) -> str:
    view = table.view
    preset = str(view["options"]["preset"])
    theme = "dark" if preset in NIGHT_EDITIONS else "light"
    looks = [look_index(colour, seat) for seat, (_, colour) in enumerate(table.seats)]
    names = [_display_name(name, looks[seat], words) for seat, (name, _) in enumerate(table.seats)]
    drawn, width, height = draw_board(view, looks)
    room_width, room_height = MAP_AREA_PX
    size = f'width="{room_width}" height="{room_height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg x="24" y="24" {size}><g class="board">{drawn}</g></svg>',
        _draw_text("Cartagena", _COLUMN_LEFT, 78, 58, family=DISPLAY_FONT),
        _draw_text(_edition_title(preset, words), _COLUMN_LEFT, 116, 27, cls="soft"),
    ]
    step = min(88, 400 / max(len(looks), 4))
    for seat, look in enumerate(looks):
        parts += _draw_player(view, table.status, seat, look, names[seat], 146 + seat * step, step, words)
    parts.append(_draw_text(_status_text(table, names, words), _COLUMN_LEFT, 596, 27, cls="gold"))
    return _compose(theme, parts)


def _draw_player(
    view: Json, status: str, seat: int, look: int, name: str, y: float, step: float, words: Catalogue
) -> list[str]:
    player = view["players"][seat]
    is_first = view["winner"] == seat or (
        view["winner"] is None and status == "running" and view["turn"]["seat"] == seat
    )
    home = sum(place == "goal" for place in player["pirates"])
    facts = words.t("resigned") if player["resigned"] else words.t("{n} at the goal", n=home)
    height = step - 10
    figure = draw_pirate(look, _COLUMN_LEFT + 30, y + height / 2 + 28 * height / 72, 0.95 * height / 68)
    edge, wide = "panel first" if is_first else "panel", _COLUMN_RIGHT - _COLUMN_LEFT + 12
    return [
        f'<rect class="{edge}" x="{_COLUMN_LEFT - 8}" y="{y:.1f}" width="{wide}" height="{height:.1f}" rx="9"/>',
        figure,
        _draw_text(name, _COLUMN_LEFT + 66, y + height / 2 - 3, 25, room=_COLUMN_RIGHT - _COLUMN_LEFT - 76),
        _draw_text(
            facts,
            _COLUMN_LEFT + 66,
            y + height / 2 + 25,
            21,
            cls="soft",
            room=_COLUMN_RIGHT - _COLUMN_LEFT - 76,
        ),
    ]


def _status_text(table: TablePicture, names: Sequence[str], words: Catalogue) -> str:
    """Return the table's status line for spectators."""
    winner = table.view["winner"]
    if winner is not None:
        return words.t("{name} has won!", name=names[winner])
    if table.status == "aborted":
        return words.t("Ended without a winner")
    if table.status == "finished":
        return words.t("Everyone has resigned.")
    return words.t("It's {name}'s turn.", name=names[table.view["turn"]["seat"]])


def profile_svg(profile: Profile, words: Catalogue) -> str:
    look = look_index(profile.colour, 0)
    faces = load_typeface(DISPLAY_FONT)
    name = profile.name if faces.can_draw(profile.name) else words.t("A player")
    size = min(92.0, 92 * 690 / max(faces.width(name, 92), 1))
    figures = tuple(_draw_crew(look))
    facts = (
        words.tn("{n} game played", "{n} games played", profile.played),
        words.tn("{n} won", "{n} won", profile.won),
    )
    parts = [
        '<path class="sea" d="M0 470c150-16 260 6 420-2s330-18 480-6 210 6 300-2v170H0z"/>',
        '<path class="sand" d="M0 520c110-34 250-30 352-6s120 60 210 116H0z"/>',
        '<use href="#palm" x="-34" y="392" width="190" height="190"/>',
        '<use href="#sloop" x="826" y="322" width="336" height="264"/>',
        '<use href="#sloop-front" x="826" y="322" width="336" height="264"/>',
        *(
            f'<use href="#wave" x="{x}" y="{y}" width="54" height="54"/>'
            for x, y in ((620, 520), (730, 556), (560, 566), (1120, 560), (770, 486), (986, 580))
        ),
        *(
            f'<use href="#gull" x="{x}" y="{y}" width="{w}" height="{w}"/>'
            for x, y, w in ((930, 210, 44), (1010, 250, 34), (1090, 180, 40))
        ),
        *figures,
        _draw_text("Cartagena", 64, 92, 46, family=DISPLAY_FONT, cls="gold"),
        _draw_text(name, 62, 196, max(size, 44), family=DISPLAY_FONT, room=1080),
        _draw_text(" · ".join(facts), 64, 250, 34, cls="soft", room=1080),
    ]
    for row, (preset, played, won) in enumerate(profile.results[:3]):
        line = words.t(
            "{edition}: won {won} of {n}", edition=_edition_title(preset, words), won=won, n=played
        )
        parts.append(_draw_text(line, 64, 304 + 38 * row, 27, room=700))
    return _compose("light", parts)


def _draw_crew(look: int) -> list[str]:
    others = [index for index in range(5) if index != look]
    small = [draw_pirate(other, 300 + 62 * n, 566 + 9 * n, 1.25) for n, other in enumerate(others)]
    return [*small, draw_pirate(look, 220, 606, 2.1)]


def _edition_title(preset: str, words: Catalogue) -> str:
    return words.t(PRESETS[preset].title) if preset in PRESETS else "Cartagena"


def _display_name(name: str | None, look: int, words: Catalogue) -> str:
    """Return a seat's name; its colour if it has none or our fonts lack its letters."""
    return name if name and load_typeface(TEXT_FONT).can_draw(name) else words.t(COLOURS[look])


def _draw_text(
    text: str, x: float, y: float, size: float, *, family: str = TEXT_FONT, cls: str = "", room: float = 286
) -> str:
    face = load_typeface(family)
    fitting = face.truncate("".join(letter for letter in text if face.can_draw(letter)), size, room)
    kind = f"words {cls}".strip()
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" style="{_font_style(family, size)}">'
        f"{escape(fitting)}</text>"
    )


def _font_style(family: str, size: float) -> str:
    wide = (
        "; word-spacing: 0.14em" if family == DISPLAY_FONT else ""
    )  # its swash capitals eat the space before them
    return f"font-family: {family}; font-size: {size:.1f}px{wide}"


def _compose(theme: str, parts: Sequence[str]) -> str:
    colours = load_palette(theme)
    rules = (
        f"text {{ font-family: {TEXT_FONT}; }}\n{board_css(theme)}\n{FONT_RULES}"
        f".words {{ fill: {colours['--ink']}; }} .soft {{ fill: {colours['--ink-soft']}; }} "
        f".gold {{ fill: {colours['--gold']}; }} .badge-letter {{ stroke: {colours['--pirate-ink']}; }} "
        f".board .count text {{ stroke: {colours['--ink']}; }} "
        f".sea {{ fill: {colours['--sea']}; }} .sand {{ fill: {colours['--sand']}; }} "
        f".panel {{ fill: {colours['--paper-raised']}; stroke: {colours['--line']}; stroke-width: 1.5; }} "
        f".panel.first {{ stroke: {colours['--accent']}; stroke-width: 4; }}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}"><style>{rules}</style><defs>{load_sprites(theme)}</defs>'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{colours["--paper"]}"/>{"".join(parts)}</svg>'
    )
