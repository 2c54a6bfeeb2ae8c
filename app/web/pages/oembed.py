"""oEmbed: what another site needs to show a link of ours as a frame (a table, a replay) or as a card (a player).

A table is looked up as a stranger's (pictures/routes.py): one that is locked, that nobody may watch or that does not
exist is answered alike, with 404.
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
from app.web.i18n import Catalogue, choose
from app.web.pages.embed import HEIGHT, WIDTH, iframe
from app.web.pages.render import Pages
from app.web.pictures.card import HEIGHT as PICTURE_HEIGHT
from app.web.pictures.card import WIDTH as PICTURE_WIDTH
from app.web.pictures.routes import watched_room
from app.web.routing import Router
from app.web.site import site_of

router = Router(include_in_schema=False)

CACHE_SECONDS = 300
_TABLE = re.compile(r"/(?:g|embed)/([A-Za-z0-9_-]{8,64})(/replay)?/?")
_PLAYER = re.compile(r"/players/([A-Za-z0-9_-]{1,32})/?")

Largest = Annotated[int | None, Query(ge=1, le=10_000)]


@router.get("/oembed")
async def oembed(
    request: Request,
    pages: Pages,
    url: Annotated[str, Query(min_length=1, max_length=500)],
    form: Annotated[str, Query(alias="format", max_length=20)] = "json",
    maxwidth: Largest = None,
    maxheight: Largest = None,
) -> Response:
    """How to show one of our own addresses; anything else is not found."""
    if form != "json":
        return error_response(501, "no_such_format", "This is given as JSON only: format=json.")
    parts = _own(request, url)
    code = _language(request, parts)
    words = pages.languages.catalogue(code)
    found = _TABLE.fullmatch(parts.path)
    if found is not None:
        answer = await _table(request, words, found[1], bool(found[2]), maxwidth, maxheight)
    else:
        answer = await _player(request, words, parts.path, maxwidth, maxheight)
    about = {
        "version": "1.0",
        "provider_name": "Cartagena",
        "provider_url": public_address(request, "/"),
        "cache_age": CACHE_SECONDS,
    }
    headers = {"Cache-Control": f"public, max-age={CACHE_SECONDS}", "Content-Language": code}
    return JSONResponse({**about, **answer}, headers={**headers, "Vary": "Accept-Language"})


def _own(request: Request, url: str) -> SplitResult:
    """The address taken apart, if it is one of this site; raises NotFound."""
    ours = urlsplit(public_address(request, "/"))
    try:
        parts = urlsplit(url)
        theirs = (parts.hostname, parts.port)
    except ValueError:
        raise NotFound from None
    if parts.scheme not in ("http", "https") or theirs != (ours.hostname, ours.port):
        raise NotFound
    return parts


def _language(request: Request, parts: SplitResult) -> str:
    """The link's own language, else what the asker reads."""
    asked = parse_qs(parts.query, max_num_fields=20).get("lang", [""])[0] if len(parts.query) < 400 else ""
    return choose(asked, None, request.headers.get("accept-language"))


async def _table(
    request: Request,
    words: Catalogue,
    room: str,
    is_replay: bool,
    maxwidth: int | None,
    maxheight: int | None,
) -> dict[str, Any]:
    found = await watched_room(request, room)
    if found is None:
        raise NotFound
    edition = words.t(PRESETS[found.table.options.preset].title)
    is_replay = is_replay or found.table.is_over
    if is_replay:
        title = words.t("{edition}: a game to replay", edition=edition)
    else:
        title = words.t("{edition}: a game to watch", edition=edition)
    width, height = min(WIDTH, maxwidth or WIDTH), min(HEIGHT, maxheight or HEIGHT)
    asked = {"lang": words.code} | ({"replay": "1"} if is_replay else {})
    path = f"/embed/{room}?{urlencode(asked)}"
    return {
        "type": "rich",
        "title": title,
        "html": iframe(request, path, title, width, height),
        "width": width,
        "height": height,
        **_thumbnail(request, f"/share/g/{room}.png", words.code, maxwidth, maxheight),
    }


async def _player(
    request: Request, words: Catalogue, path: str, maxwidth: int | None, maxheight: int | None
) -> dict[str, Any]:
    found = _PLAYER.fullmatch(path)
    site = site_of(request)
    player = await site.people.player(found[1], site.now()) if found is not None else None
    if player is None:
        raise NotFound
    title = words.t("{name}: games and results", name=player.name)
    picture = f"/share/players/{player.id}.png"
    return {
        "type": "link",
        "title": title,
        **_thumbnail(request, picture, words.code, maxwidth, maxheight),
    }


def _thumbnail(
    request: Request, path: str, code: str, maxwidth: int | None, maxheight: int | None
) -> dict[str, Any]:
    """The link's picture, where it is not larger than was asked for."""
    is_too_wide = maxwidth is not None and maxwidth < PICTURE_WIDTH
    if is_too_wide or (maxheight is not None and maxheight < PICTURE_HEIGHT):
        return {}
    return {
        "thumbnail_url": public_address(request, f"{path}?lang={code}"),
        "thumbnail_width": PICTURE_WIDTH,
        "thumbnail_height": PICTURE_HEIGHT,
    }
