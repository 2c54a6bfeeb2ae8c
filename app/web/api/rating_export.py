"""API route for the public file of all rated games: gzipped JSON lines, made page by page in the offload thread."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import StreamingResponse

from app.ratings.public_file import make_header, make_line, make_trailer
from app.store.ratings.public_games import SETTLED_AFTER_MS, GamePage, make_public_games
from app.store.ratings.stored_games import START
from app.web.api.models import error_responses
from app.web.errors import TooMany
from app.web.game_server import game_server_of
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["ratings"])

PAGE_COST_MS = 10  # reading and writing a page
_GZIP = 31  # window bits of zlib: a gzip header
_LEVEL = 6


@router.get(
    "/ratings/export",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"application/gzip": {}}, "description": "JSON lines, gzipped (docs/ratings.md)."},
        **error_responses(403),
    },
)
async def export_ratings(request: Request) -> StreamingResponse:
    """Return all rated games that ended more than an hour ago, from which anyone can recompute every rating.

    The file comes as fast as the client's allowance of work permits. Its last line says whether it is complete.
    """
    site, now = site_of(request), game_server_of(request).clock.now()
    key = site.limits.key_of(request)
    site.limits.exports.take(key, PAGE_COST_MS)
    return StreamingResponse(
        _write_file(site, key, now),
        media_type="application/gzip",
        headers={
            "Content-Disposition": 'attachment; filename="cartagena-ratings.jsonl.gz"',
            "Cache-Control": "no-store",
        },
    )


async def _write_file(site: Site, key: str, now: int) -> AsyncIterator[bytes]:
    """Yield the file. Each page is charged to the client's address before it is read."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    yield packer.compress(_encode([make_header(now)]))
    until, place = now - SETTLED_AFTER_MS, START
    games, is_complete, is_last = 0, True, False
    while not is_last:
        while wait := site.limits.exports.try_take(key, PAGE_COST_MS):  # noqa: ASYNC110 - waits for its allowance
            await asyncio.sleep(wait)
        page = await site.public_games.read_page(place, until)
        packed, count = await _pack(site, packer, page)
        games += count
        # Older games are being undone, because one of their time turned up: what follows may not fit what was sent.
        is_complete = is_complete and page.is_current and (page.cursor >= place or page.cursor[0] >= until)
        place, is_last = page.place, page.is_last
        if packed:
            yield packed
    yield packer.compress(_encode([make_trailer(games, is_complete=is_complete)])) + packer.flush()


async def _pack(site: Site, packer: Any, page: GamePage) -> tuple[bytes, int]:
    """Return the next compressed bytes and the number of games in them."""
    while True:
        try:
            return await site.offload.run(_pack_page, packer, page, site.settings.secret)
        except TooMany:  # the thread has other work
            await asyncio.sleep(1)


def _pack_page(packer: Any, page: GamePage, secret: str) -> tuple[bytes, int]:
    games = make_public_games(page.rows, secret)
    return packer.compress(_encode([make_line(game) for game in games])), len(games)


def _encode(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines)
