"""QR codes as SVG of our own: black on white with a quiet zone, whatever the page's theme, for any camera."""

from __future__ import annotations

import io
import re
from functools import lru_cache

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from app.web.errors import NotFound
from app.web.routing import Router
from app.web.site import site_of

router = Router(include_in_schema=False)
_MIN_MILLISECONDS = 5
_CHARACTERS_PER_MILLISECOND = 8
ROOM = re.compile(r"[A-Za-z0-9_-]{8,64}")
"""A table's id as it may stand in an address."""


@lru_cache(maxsize=512)  # 5 KB each: a table's is asked for by everybody who is shown it
def _drawn(text: str) -> str:
    import segno  # not before somebody asks: a server starts sooner without it

    drawn = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        drawn,
        kind="svg",
        border=4,
        dark="#000",
        light="#fff",
        xmldecl=False,
        svgns=True,
        omitsize=True,
        nl=False,
    )
    return drawn.getvalue().decode()


async def qr_svg(request: HTTPConnection, text: str) -> str:
    """The text as a QR code in SVG: drawn once, paid for, off the loop. Raises TooMany."""
    site = site_of(request)
    site.limits.take_work(request, max(_MIN_MILLISECONDS, len(text) / _CHARACTERS_PER_MILLISECOND))
    return await site.offload.run(_drawn, text)


def public_address(connection: HTTPConnection, path: str) -> str:
    """The address people type for a path: the setting, or what this browser used."""
    base = site_of(connection).settings.public_url.rstrip("/")
    if not base:
        host = "".join(
            letter for letter in connection.headers.get("host", "") if letter.isalnum() or letter in ".-:[]"
        )
        base = f"{connection.scope.get('scheme', 'http').replace('ws', 'http')}://{host or 'localhost'}"
    return base + path


@router.get("/qr/g/{room}.svg")
async def room_qr(request: Request, room: str, hand: str = "") -> Response:
    """The link of a room; the same whether or not there is such a room. `hand`: for a phone beside a big screen."""
    if not ROOM.fullmatch(room):
        raise NotFound
    drawn = await qr_svg(request, public_address(request, f"/g/{room}" + ("?hand=1" if hand == "1" else "")))
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=86400"})
