"""The addresses of link pictures: a table as a stranger may watch it, and somebody's public results.

A table is looked up as nobody in particular, whoever asks: locked tables, those without spectators and those that do
not exist show one and the same picture, that of the site (or of the edition that stands in the link).
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from app.play.engines import UnknownRules
from app.play.refusals import Refusal
from app.play.room.broadcast import state_frame
from app.play.room.room import Room
from app.rules.catalogue import PRESETS
from app.web.api.profiles import results_by_preset
from app.web.api.qr import ROOM
from app.web.errors import NotFound, TooMany
from app.web.game_server import actor_of
from app.web.i18n import LANGUAGES
from app.web.pages.render import Pages
from app.web.pictures.card import Profile, TablePicture, profile_svg, table_svg
from app.web.pictures.kept import MILLISECONDS, Pictures
from app.web.pictures.raster import NoPicture
from app.web.routing import Router
from app.web.security.room_lookup import PublicRoomLookup
from app.web.site import site_of

router = Router(include_in_schema=False)

# Seconds for which others may keep one. A finished game's may hold a name for so long after its owner has gone.
LIVE, OVER, OF_PERSON, FIXED = 30, 3600, 300, 300
_QUERY_MILLISECONDS = 15  # as for the profile's own page (api/profiles.py)

Asked = Annotated[str, Query(max_length=40)]
PlayerId = Annotated[str, Path(max_length=32)]


async def watched_room(request: Request, room: str) -> Room | None:
    """The table, if any stranger with its link may watch it; else None, whatever the reason.

    Raises StoreUnavailable.
    """
    try:
        return await PublicRoomLookup(request).find(room, actor_of(None), None)
    except (Refusal, UnknownRules):
        return None


@router.get("/share/g/{room}.png")
async def table_picture(
    request: Request, pages: Pages, room: str, lang: Asked = "en", edition: Asked = ""
) -> Response:
    """The board as it is now, for spectators; before the start, that of the edition."""
    if not ROOM.fullmatch(room):
        raise NotFound
    found = await watched_room(request, room)
    if found is None:
        return _fixed(request, pages, edition)
    table = found.table
    preset = str(table.options.preset)
    state = state_frame(table, None)
    if state.view is None:
        return _fixed(request, pages, preset)
    seats = tuple((seat.name, seat.colour) for seat in state.table.seats)
    code = lang if lang in LANGUAGES else "en"
    words = pages.languages.catalogue(code)
    key = _key("table", room, table.seq, table.status, seats, code)
    drawing = partial(table_svg, TablePicture(state.view, table.status, seats), words)
    return await _picture(request, pages, key, drawing, OVER if table.is_over else LIVE, preset)


@router.get("/share/players/{player}.png")
async def player_picture(request: Request, pages: Pages, player: PlayerId, lang: Asked = "en") -> Response:
    """Somebody's name and results. Whoever has gone has no picture any more, from that moment on."""
    site = site_of(request)
    found = await site.people.player(player, site.now())
    if found is None:
        return _fixed(request, pages, "")
    site.limits.take_work(request, _QUERY_MILLISECONDS)
    ids = (found.id, *found.aliases)
    results = results_by_preset(await site.games.results_of(ids))
    colours = await site.games.colours_of(ids)
    profile = Profile(
        name=found.name,
        played=sum(line["played"] for line in results),
        won=sum(line["won"] for line in results),
        colour=colours[0][0] if colours else None,
        results=tuple((line["preset"], line["played"], line["won"]) for line in results),
    )
    code = lang if lang in LANGUAGES else "en"
    drawing = partial(profile_svg, profile, pages.languages.catalogue(code))
    return await _picture(request, pages, _key("player", found.id, profile, code), drawing, OF_PERSON, "")


def _key(*parts: object) -> str:
    """What the picture depends on, as its ETag too. All of it is public."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


async def _picture(
    request: Request, pages: Pages, key: str, drawing: partial[str], seconds: int, edition: str
) -> Response:
    pictures: Pictures = request.app.state.pictures
    if not pictures.is_able:
        return _fixed(request, pages, edition)
    headers = {"ETag": f'"{key}"', "Cache-Control": f"public, max-age={seconds}", **_EVERYWHERE}
    if f'"{key}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    limits = site_of(request).limits
    try:
        picture = await pictures.get(key, drawing, lambda: limits.take_work(request, MILLISECONDS))
    except (NoPicture, TooMany):
        answer = _fixed(
            request, pages, edition
        )  # a link with the edition's picture is better than one without
        answer.headers["Cache-Control"] = "no-store"
        return answer
    return Response(picture, media_type="image/png", headers=headers)


# Other sites show it beside the link, so their pages may load it.
_EVERYWHERE = {"Cross-Origin-Resource-Policy": "cross-origin"}


def _fixed(request: Request, pages: Pages, edition: str) -> Response:
    """The picture of an edition, or of the site: drawn long ago (tools/make_share_pictures.py)."""
    name = edition if edition in PRESETS else "cartagena"
    answer = pages.assets.answer(request, "", f"share/{name}.png")
    assert answer is not None
    answer.headers["Cache-Control"] = f"public, max-age={FIXED}"
    answer.headers.update(_EVERYWHERE)
    return answer
