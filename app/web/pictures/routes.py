"""Routes of preview pictures: a table as any stranger may watch it, and a player's public results.

Tables are looked up anonymously. Locked tables, tables without spectators and unknown tables all get the same picture,
that of the site, or of the edition given in the link.
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
from app.play.room.audience_frames import state_frame
from app.play.room.room import Room
from app.rules.catalogue import PRESETS
from app.web.api.profiles import results_by_preset
from app.web.api.qr import RoomId
from app.web.errors import TooMany
from app.web.game_server import actor_of, game_server_of
from app.web.i18n import LANGUAGES
from app.web.pages.render import Pages
from app.web.pictures.cache import PICTURE_COST_MS, PictureCache
from app.web.pictures.card import Profile, TablePicture, profile_svg, table_svg
from app.web.pictures.raster import NoPicture
from app.web.routing import Router
from app.web.security.room_lookup import PublicRoomLookup
from app.web.site import site_of

router = Router(include_in_schema=False)

# Cache times. A cached picture of a finished game may show a name for this long after its owner was erased.
LIVE_CACHE_SECONDS, FINISHED_CACHE_SECONDS, PLAYER_CACHE_SECONDS, FIXED_CACHE_SECONDS = 30, 3600, 300, 300
_QUERY_COST_MS = 15  # as for the profile (api/profiles.py)

ShortQuery = Annotated[str, Query(max_length=40)]
PlayerId = Annotated[str, Path(max_length=32)]


async def find_watchable_room(request: Request, room: str) -> Room | None:
    """Return the table if anyone with its link may watch it; otherwise None. Raise StoreUnavailable."""
    try:
        return await PublicRoomLookup(request).find(room, actor_of(None), None)
    except (Refusal, UnknownRules):
        return None


@router.get("/share/g/{room}.png")
async def table_picture(
    request: Request, pages: Pages, room: RoomId, lang: ShortQuery = "en", edition: ShortQuery = ""
) -> Response:
    """Return the current board as spectators see it; before the start, the edition's picture."""
    found = await find_watchable_room(request, room)
    if found is None:
        return _respond_fixed(request, pages, edition)
    table = found.table
    preset = str(table.options.preset)
    state = state_frame(table, None)
    if state.view is None:
        return _respond_fixed(request, pages, preset)
    seats = tuple((seat.name, seat.colour) for seat in state.table.seats)
    code = lang if lang in LANGUAGES else "en"
    words = pages.languages.catalogue(code)
    key = _cache_key("table", room, table.seq, table.status, seats, code)
    drawing = partial(table_svg, TablePicture(state.view, table.status, seats), words)
    return await _respond_picture(
        request, pages, key, drawing, FINISHED_CACHE_SECONDS if table.is_over else LIVE_CACHE_SECONDS, preset
    )


@router.get("/share/players/{player}.png")
async def player_picture(
    request: Request, pages: Pages, player: PlayerId, lang: ShortQuery = "en"
) -> Response:
    """Return a picture of a player's name and results. An erased player has none."""
    site = site_of(request)
    found = await site.people.find_player(player, site.now())
    if found is None:
        return _respond_fixed(request, pages, "")
    site.limits.take_work(request, _QUERY_COST_MS)
    ids, now = found.ids, game_server_of(request).clock.now()
    results = results_by_preset(await site.games.count_results(ids, now))
    colours = await site.games.count_colours(ids, now)
    profile = Profile(
        name=found.name,
        played=sum(line["played"] for line in results),
        won=sum(line["won"] for line in results),
        colour=colours[0][0] if colours else None,
        results=tuple((line["preset"], line["played"], line["won"]) for line in results),
    )
    code = lang if lang in LANGUAGES else "en"
    drawing = partial(profile_svg, profile, pages.languages.catalogue(code))
    return await _respond_picture(
        request, pages, _cache_key("player", found.id, profile, code), drawing, PLAYER_CACHE_SECONDS, ""
    )


def _cache_key(*parts: object) -> str:
    """Return a digest of what the picture depends on, also used as its ETag. All of it is public."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


async def _respond_picture(
    request: Request, pages: Pages, key: str, drawing: partial[str], seconds: int, edition: str
) -> Response:
    pictures: PictureCache = request.app.state.pictures
    if not pictures.can_draw:
        return _respond_fixed(request, pages, edition)
    headers = {"ETag": f'"{key}"', "Cache-Control": f"public, max-age={seconds}", **_CROSS_ORIGIN_HEADERS}
    if f'"{key}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    limits = site_of(request).limits
    try:
        picture = await pictures.get(key, drawing, lambda: limits.take_work(request, PICTURE_COST_MS))
    except (NoPicture, TooMany):
        answer = _respond_fixed(request, pages, edition)  # better the edition's picture than none
        answer.headers["Cache-Control"] = "no-store"
        return answer
    return Response(picture, media_type="image/png", headers=headers)


# Other sites show the picture beside the link.
_CROSS_ORIGIN_HEADERS = {"Cross-Origin-Resource-Policy": "cross-origin"}


def _respond_fixed(request: Request, pages: Pages, edition: str) -> Response:
    """Return the prepared picture of an edition or of the site (tools/make_share_pictures.py)."""
    name = edition if edition in PRESETS else "cartagena"
    answer = pages.assets.respond(request, "", f"share/{name}.png")
    answer.headers["Cache-Control"] = f"public, max-age={FIXED_CACHE_SECONDS}"
    answer.headers.update(_CROSS_ORIGIN_HEADERS)
    return answer
