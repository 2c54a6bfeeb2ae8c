"""QR codes as SVG: black on white with a quiet zone in every theme, so that any camera reads them."""

from __future__ import annotations

import io
import re
from functools import lru_cache
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from app.web.errors import NotFound
from app.web.routing import Router
from app.web.site import site_of

router = Router(include_in_schema=False)
_MIN_COST_MS = 5
_CHARACTERS_PER_MS = 8
_ROOM_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


async def check_room_id(room: str) -> str:
    """Return a table's id if it is well-formed. Raise NotFound. The table need not exist."""
    if not _ROOM_ID.fullmatch(room):
        raise NotFound
    return room


RoomId = Annotated[str, Depends(check_room_id)]


@lru_cache(maxsize=512)  # 5 KB each; everyone at a table requests the same one
def _draw_qr(text: str) -> str:
    import segno  # imported lazily, for a faster start

    svg = io.BytesIO()
    segno.make(text, error="m", micro=False).save(
        svg,
        kind="svg",
        border=4,
        dark="#000",
        light="#fff",
        xmldecl=False,
        svgns=True,
        omitsize=True,
        nl=False,
    )
    return svg.getvalue().decode()


async def draw_qr_svg(request: HTTPConnection, text: str) -> str:
    """Return the text as a QR code, drawn in the offload thread and charged to the client. Raise TooMany."""
    site = site_of(request)
    site.limits.take_work(request, max(_MIN_COST_MS, len(text) / _CHARACTERS_PER_MS))
    return await site.offload.run(_draw_qr, text)


def public_address(connection: HTTPConnection, path: str) -> str:
    """Return the public URL of a path, based on `public_url` or on the Host header of this request."""
    base = site_of(connection).settings.public_url.rstrip("/")
    if not base:
        host = "".join(
            letter for letter in connection.headers.get("host", "") if letter.isalnum() or letter in ".-:[]"
        )
        base = f"{connection.scope.get('scheme', 'http').replace('ws', 'http')}://{host or 'localhost'}"
    return base + path


@router.get("/qr/g/{room}.svg")
async def room_qr(request: Request, room: RoomId, hand: str = "") -> Response:
    """Return the link of a room as a QR code, whether or not it exists. `hand` is for phones beside a big screen."""
    svg = await draw_qr_svg(
        request, public_address(request, f"/g/{room}" + ("?hand=1" if hand == "1" else ""))
    )
    return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=86400"})
