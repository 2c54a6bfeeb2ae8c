"""oEmbed: lets other sites show our links as a frame (table, replay) or a card (player).

Tables are looked up anonymously (pictures/routes.py). Locked tables, tables without spectators and unknown tables all
get 404.
"""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

from fastapi import Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.rules.catalogue import PRESETS
from app.web.api.qr import public_address
from app.web.errors import NotFound, error_response
from app.web.i18n import Catalogue, choose_language
from app.web.pages.embed import FRAME_HEIGHT, FRAME_WIDTH, iframe
from app.web.pages.render import Pages
from app.web.pictures.card import HEIGHT as PICTURE_HEIGHT
from app.web.pictures.card import WIDTH as PICTURE_WIDTH
from app.web.pictures.routes import find_watchable_room
from app.web.routing import Router
from app.web.site import site_of

router = Router(include_in_schema=False)

CACHE_SECONDS = 300
_TABLE_PATH = re.compile(r"/(?:g|embed)/([A-Za-z0-9_-]{8,64})(/replay)?/?")
_PLAYER_PATH = re.compile(r"/players/([A-Za-z0-9_-]{1,32})/?")

MAX_SIZE_PX = 10_000
MaxPixels = Annotated[int, Query(ge=1, le=MAX_SIZE_PX)]


@router.get("/oembed")
async def oembed(
    request: Request,
    pages: Pages,
    url: Annotated[str, Query(min_length=1, max_length=500)],
    form: Annotated[str, Query(alias="format", max_length=20)] = "json",
    maxwidth: MaxPixels = MAX_SIZE_PX,
    maxheight: MaxPixels = MAX_SIZE_PX,
) -> Response:
    """Return how to show one of our addresses. Raise NotFound for any other."""
    if form != "json":
        return error_response(501, "no_such_format", "This is available as JSON only: format=json.")
    parts = _parse_own_url(request, url)
    code = _choose_language(request, parts)
    words = pages.languages.catalogue(code)
    found = _TABLE_PATH.fullmatch(parts.path)
    if found is not None:
        answer = await _describe_table(request, words, found[1], bool(found[2]), maxwidth, maxheight)
    else:
        answer = await _describe_player(request, words, parts.path, maxwidth, maxheight)
    about = {
        "version": "1.0",
        "provider_name": "Cartagena",
        "provider_url": public_address(request, "/"),
        "cache_age": CACHE_SECONDS,
    }
    headers = {"Cache-Control": f"public, max-age={CACHE_SECONDS}", "Content-Language": code}
    return JSONResponse({**about, **answer}, headers={**headers, "Vary": "Accept-Language"})


def _parse_own_url(request: Request, url: str) -> SplitResult:
    """Parse an address of this site. Raise NotFound for any other."""
    ours = urlsplit(public_address(request, "/"))
    try:
        parts = urlsplit(url)
        theirs = (parts.hostname, parts.port)
    except ValueError:
        raise NotFound from None
    if parts.scheme not in ("http", "https") or theirs != (ours.hostname, ours.port):
        raise NotFound
    return parts


def _choose_language(request: Request, parts: SplitResult) -> str:
    """Return the language given in the link, else that of the request."""
    query = parse_qs(parts.query, max_num_fields=20).get("lang", [""])[0] if len(parts.query) < 400 else ""
    return choose_language(query, None, request.headers.get("accept-language"))


async def _describe_table(
    request: Request,
    words: Catalogue,
    room: str,
    is_replay: bool,
    maxwidth: int,
    maxheight: int,
) -> dict[str, Any]:
    found = await find_watchable_room(request, room)
    if found is None:
        raise NotFound
    edition = words.t(PRESETS[found.table.options.preset].title)
    is_replay = is_replay or found.table.is_over
    if is_replay:
        title = words.t("{edition}: a game to replay", edition=edition)
    else:
        title = words.t("{edition}: a game to watch", edition=edition)
    width, height = min(FRAME_WIDTH, maxwidth), min(FRAME_HEIGHT, maxheight)
    query = {"lang": words.code} | ({"replay": "1"} if is_replay else {})
    path = f"/embed/{room}?{urlencode(query)}"
    return {
        "type": "rich",
        "title": title,
        "html": iframe(request, path, title, width, height),
        "width": width,
        "height": height,
        **_thumbnail(request, f"/share/g/{room}.png", words.code, maxwidth, maxheight),
    }


async def _describe_player(
    request: Request, words: Catalogue, path: str, maxwidth: int, maxheight: int
) -> dict[str, Any]:
    found = _PLAYER_PATH.fullmatch(path)
    site = site_of(request)
    player = await site.people.find_player(found[1], site.now()) if found is not None else None
    if player is None:
        raise NotFound
    title = words.t("{name}: games and results", name=player.name)
    picture = f"/share/players/{player.id}.png"
    return {
        "type": "link",
        "title": title,
        **_thumbnail(request, picture, words.code, maxwidth, maxheight),
    }


def _thumbnail(request: Request, path: str, code: str, maxwidth: int, maxheight: int) -> dict[str, Any]:
    """Return the preview picture, unless it is larger than requested."""
    if maxwidth < PICTURE_WIDTH or maxheight < PICTURE_HEIGHT:
        return {}
    return {
        "thumbnail_url": public_address(request, f"{path}?lang={code}"),
        "thumbnail_width": PICTURE_WIDTH,
        "thumbnail_height": PICTURE_HEIGHT,
    }
