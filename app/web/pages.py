"""The pages of the site: which address shows which template, and how they join an app."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.web.i18n import LANGUAGES
from app.web.pages_render import Folders, PageRenderer, Reader

__all__ = ["Pages", "install_pages", "pages_of"]

router = APIRouter(include_in_schema=False)


def pages_of(request: Request) -> PageRenderer:
    renderer: PageRenderer = request.app.state.pages
    return renderer


Pages = Annotated[PageRenderer, Depends(pages_of)]


def install_pages(
    app: FastAPI,
    folders: Folders,
    who: Callable[[Request], Awaitable[Reader | None]],
    csrf: Callable[[Request], str],
    *,
    fresh: bool = False,
) -> None:
    """Give an app all pages, the static files and the catalogues for scripts."""
    app.state.pages = PageRenderer(folders, who, csrf, fresh=fresh)
    app.include_router(router)


@router.get("/static/{fingerprint}/{name:path}")
async def static_file(request: Request, pages: Pages, fingerprint: str, name: str) -> Response:
    answer = pages.assets.answer(request, fingerprint, name)
    if answer is None:
        raise HTTPException(404)
    return answer


@router.get("/lang/{name}.json")
async def catalogue(pages: Pages, name: str) -> Response:
    code, _, _hash = name.partition(".")
    if code not in LANGUAGES:
        raise HTTPException(404)
    words = pages.languages.catalogue(code)
    kept = "public, max-age=31536000, immutable" if _hash == words.script_hash else "no-cache"
    return Response(
        words.script_json, media_type="application/json", headers={"Cache-Control": kept}
    )


@router.get("/")
async def lobby(request: Request, pages: Pages) -> Response:
    return await pages.page(request, "lobby.html")


@router.get("/g/{room}")
async def table(request: Request, pages: Pages, room: str) -> Response:
    return await pages.page(request, "table.html", room=room)
