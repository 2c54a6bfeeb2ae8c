"""Rendering of HTML pages: template, language, theme and reader, without inline scripts or styles."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from app.paths import LOCALES, STATIC, TEMPLATES
from app.play.commands.messages import parse_json
from app.play.log.entries import OwnTurns
from app.play.ports import StoreUnavailable
from app.store.people.players import Player
from app.web.auth.identity import current_person
from app.web.auth.sessions import THEME_COOKIE, csrf_token
from app.web.errors import BadRequest, TooBig
from app.web.game_server import actor_of, game_server_of
from app.web.i18n import LANGUAGE_COOKIE, LANGUAGES, Catalogue, Languages, language_of
from app.web.pages.assets import Assets
from app.web.pages.link_preview import make_preview
from app.web.routing import accepts_gzip
from app.web.site import site_of

THEMES = ("system", "light", "dark")
PAPER_COLOURS = {"light": "#f1e6cb", "dark": "#15110c"}
"""Theme colours of the browser's frame: --paper of static/css/tokens.css."""
LANGUAGE_COOKIE_SECONDS = 365 * 24 * 3600
_NO_TURNS = OwnTurns(0, 0)
GZIP_LEVEL = 4  # level 9 takes longer and saves only 3 % more


@cache
def _assets() -> Assets:
    """Return the static files, read and compressed once per process (tests create hundreds of apps)."""
    return Assets(STATIC)


class _UnindentedLoader(FileSystemLoader):
    """Loads templates without their indentation, to make pages smaller."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, name, is_fresh = super().get_source(environment, template)
        return _INDENTATION.sub("", source), name, is_fresh


_INDENTATION = re.compile(r"^[ ]+", re.MULTILINE)


@cache
def _templates() -> Environment:
    """Return the templates, compiled once per process."""
    return Environment(
        loader=_UnindentedLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


class PageRenderer:
    """Renders all HTML pages."""

    def __init__(self) -> None:
        self.languages = Languages(LOCALES)
        self.assets = _assets()
        self._templates = _templates()

    def catalogue_for(self, request: Request) -> Catalogue:
        return self.languages.catalogue(language_of(request))

    async def page(
        self, request: Request, template: str, turns: OwnTurns | None = None, **context: Any
    ) -> HTMLResponse:
        """Render a page for the current person; `context` as for `plain_page`.

        `turns` is read if it is None. A table's own page counts the other games.
        """
        reader = await current_person(request)
        if turns is None:
            lobby = game_server_of(request).lobby
            turns = await lobby.count_turns(actor_of(reader), besides=str(context.get("room", "")))
        news = 0
        if reader is not None and reader.is_account:
            with suppress(StoreUnavailable):  # a page is more useful than its count
                news = await _count_friend_news(request, reader)
        return self.plain_page(
            request, template, reader=reader, asked_who=True, turns=turns, friend_news=news, **context
        )

    def plain_page(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        reader: Player | None = None,
        turns: OwnTurns = _NO_TURNS,
        friend_news: int = 0,
        asked_who: bool = False,
        sets_language: bool = True,
        **context: object,
    ) -> HTMLResponse:
        """Render a page without looking up the reader, such as an error page when the store may have failed.

        `sets_language`: whether to store a language given in the query as the reader's choice.
        """
        words = self.catalogue_for(request)
        theme = request.cookies.get(THEME_COOKIE, "system")
        body = self._templates.get_template(template).render(
            t=words.t,
            tn=words.tn,
            lang=words.code,
            languages=LANGUAGES,
            language_links=language_links(request),
            catalogue_url=f"/lang/{words.code}.{words.script_hash}.json",
            table_catalogue_url=f"/lang/{words.code}-table.{words.table_part.script_hash}.json",
            static=self.assets.url,
            theme=theme if theme in THEMES else "system",
            reader=reader,
            turns=turns,
            friend_news=friend_news,
            asked_who=asked_who,
            csrf=csrf_token(request),
            path=request.url.path,
            share=make_preview(
                request,
                words,
                self.assets,
                room=str(context.get("room", "")),
                person=str(context.get("person", "")),
            )
            if status == 200
            else None,
            papers=PAPER_COLOURS,
            status=status,
            **context,
        )
        if accepts_gzip(request):
            answer = HTMLResponse(gzip.compress(body.encode(), GZIP_LEVEL, mtime=0), status_code=status)
            answer.headers["Content-Encoding"] = "gzip"
        else:
            answer = HTMLResponse(body, status_code=status)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Vary"] = "Cookie, Accept-Language, Accept-Encoding"
        answer.headers["Content-Language"] = words.code
        if sets_language and request.query_params.get("lang") in LANGUAGES:
            answer.set_cookie(
                LANGUAGE_COOKIE, words.code, max_age=LANGUAGE_COOKIE_SECONDS, samesite="lax", path="/"
            )
        return answer

    def manifest(self, request: Request) -> Response:
        words = self.catalogue_for(request)
        paper = PAPER_COLOURS.get(request.cookies.get(THEME_COOKIE, ""), PAPER_COLOURS["light"])
        sizes = (
            ("app.svg", "any", "svg+xml"),
            ("app-192.png", "192x192", "png"),
            ("app-512.png", "512x512", "png"),
        )
        card = {
            "name": "Cartagena",
            "short_name": "Cartagena",
            "description": words.t("A game of escape through a smugglers' tunnel."),
            "lang": words.code,
            "start_url": "/",
            "scope": "/",
            "display": "standalone",
            "background_color": paper,
            "theme_color": paper,
            "icons": [
                {
                    "src": self.assets.url(f"icons/{name}"),
                    "sizes": size,
                    "type": f"image/{kind}",
                    "purpose": purpose,
                }
                for name, size, kind in sizes
                for purpose in ("any", "maskable")
            ],
            "shortcuts": [
                {"name": words.t("Create a table"), "url": "/new"},
                {"name": words.t("My games"), "url": "/me"},
            ],
        }
        return JSONResponse(
            card, media_type="application/manifest+json", headers={"Vary": "Cookie, Accept-Language"}
        )


async def _count_friend_news(request: Request, reader: Player) -> int:
    """Return how many friend requests and invitations wait for this person, for the navigation of every page."""
    site = site_of(request)
    received = await site.friends.count_received(reader.id)
    return received + await site.friend_games.count_invitations(reader.ids, site.now())


def language_links(request: Request) -> dict[str, str]:
    """Return the address of this page in each language, with the rest of the query unchanged."""
    rest = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "lang"])
    return {code: f"?{rest}&lang={code}" if rest else f"?lang={code}" for code in LANGUAGES}


async def _pages_of(
    request: Request,
) -> PageRenderer:  # async, because FastAPI would run a plain function in a thread
    renderer: PageRenderer = request.app.state.pages
    return renderer


Pages = Annotated[PageRenderer, Depends(_pages_of)]


def json_object(body: bytes, *, limit: int) -> dict[str, Any]:
    """Return the JSON object in a body. Raise TooBig above `limit` bytes, BadRequest if it is not a JSON object."""
    if len(body) > limit:
        raise TooBig
    try:
        parsed = parse_json(body)
    except ValueError:
        raise BadRequest("bad_json", "This is not JSON.") from None
    if not isinstance(parsed, dict):
        raise BadRequest("bad_json", "This must be a JSON object.")
    return parsed
