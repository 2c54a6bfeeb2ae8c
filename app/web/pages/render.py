"""A page: a template, the reader's language, theme and name, and nothing inline."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from app.paths import LOCALES, STATIC, TEMPLATES
from app.play.commands.messages import read_json
from app.web.auth.identity import Person, current_person
from app.web.auth.sessions import THEME_COOKIE, csrf_token
from app.web.errors import BadRequest, TooBig
from app.web.i18n import COOKIE, LANGUAGES, Catalogue, Languages, language_of
from app.web.pages.assets import Assets
from app.web.pages.share import shared
from app.web.routing import accepts_gzip

THEMES = ("system", "light", "dark")
PAPERS = {"light": "#f1e6cb", "dark": "#15110c"}
"""The browser's frame has the page's own colour: --paper of static/css/tokens.css."""
YEAR = 365 * 24 * 3600
LEVEL = 4  # of packing a page; the best takes longer and saves three per cent more


@cache
def _assets() -> Assets:
    """Read and packed once, however many apps a process makes (tests make hundreds)."""
    return Assets(STATIC)


class _Unindented(FileSystemLoader):
    """Templates without their indentation, which is for readers of the repository."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, name, is_fresh = super().get_source(environment, template)
        return _INDENTATION.sub("", source), name, is_fresh


_INDENTATION = re.compile(r"^[ ]+", re.MULTILINE)


@cache
def _templates() -> Environment:
    """Compiled once a process, like the files above."""
    return Environment(
        loader=_Unindented(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


class PageRenderer:
    """Renders every HTML page of the product."""

    def __init__(self) -> None:
        self.languages = Languages(LOCALES)
        self.assets = _assets()
        self._templates = _templates()

    def catalogue_for(self, request: Request) -> Catalogue:
        return self.languages.catalogue(language_of(request))

    async def page(
        self, request: Request, template: str, *, status: int = 200, is_fixed: bool = False, **context: object
    ) -> HTMLResponse:
        """A page of the site. `is_fixed`: what its path names was chosen among few, and is no stranger's text."""
        reader = await current_person(request)
        return self.plain_page(
            request,
            template,
            status=status,
            reader=reader,
            asked_who=True,
            is_fixed=is_fixed,
            sets_language=True,
            **context,
        )

    def plain_page(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        reader: Person | None = None,
        asked_who: bool = False,
        is_fixed: bool = False,
        sets_language: bool = True,
        **context: object,
    ) -> HTMLResponse:
        """The same without asking who reads: for error pages, when the store may be the error.

        `sets_language`: whether a language that the address names is the reader's from now on.
        """
        words = self.catalogue_for(request)
        theme = request.cookies.get(THEME_COOKIE, "system")
        secret = csrf_token(request)
        body = self._templates.get_template(template).render(
            t=words.t,
            tn=words.tn,
            lang=words.code,
            languages=LANGUAGES,
            language_links=language_links(request),
            catalogue_url=f"/lang/{words.code}.{words.script_hash}.json",
            table_catalogue_url=f"/lang/{words.code}-table.{words.at_table.script_hash}.json",
            static=self.assets.url,
            theme=theme if theme in THEMES else "system",
            reader=reader,
            asked_who=asked_who,
            csrf=secret,
            path=request.url.path,
            share=shared(
                request,
                words,
                self.assets,
                room=str(context.get("room", "")),
                person=str(context.get("person", "")),
            )
            if status == 200
            else None,
            papers=PAPERS,
            status=status,
            **context,
        )
        # BREACH: how far a page shrinks tells whether a text in its address also stands in its secrets. A page is
        # packed where it has no secret, or shows nothing of the address that it was asked by.
        shows_address = status != 200 or bool(request.url.query) or bool(request.path_params and not is_fixed)
        if accepts_gzip(request) and not (secret and shows_address):
            answer = HTMLResponse(gzip.compress(body.encode(), LEVEL, mtime=0), status_code=status)
            answer.headers["Content-Encoding"] = "gzip"
        else:
            answer = HTMLResponse(body, status_code=status)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Vary"] = "Cookie, Accept-Language, Accept-Encoding"
        answer.headers["Content-Language"] = words.code
        if sets_language and request.query_params.get("lang") in LANGUAGES:
            answer.set_cookie(COOKIE, words.code, max_age=YEAR, samesite="lax", path="/")
        return answer

    def manifest(self, request: Request) -> Response:
        words = self.catalogue_for(request)
        paper = PAPERS.get(request.cookies.get(THEME_COOKIE, ""), PAPERS["light"])
        sizes = (
            ("app.svg", "any", "svg+xml"),
            ("app-192.png", "192x192", "png"),
            ("app-512.png", "512x512", "png"),
        )
        card = {
            "name": "Cartagena",
            "short_name": "Cartagena",
            "description": words.t("A game of escapes through a smugglers' tunnel."),
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


def language_links(request: Request) -> dict[str, str]:
    """Return the address of this page in each language; the rest of the query stays."""
    rest = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "lang"])
    return {code: f"?{rest}&lang={code}" if rest else f"?lang={code}" for code in LANGUAGES}


def _pages_of(request: Request) -> PageRenderer:
    renderer: PageRenderer = request.app.state.pages
    return renderer


Pages = Annotated[PageRenderer, Depends(_pages_of)]


def json_object(body: bytes, *, limit: int) -> dict[str, Any]:
    """Return the JSON object in a body; raises TooBig above `limit` bytes, BadRequest for anything else."""
    if len(body) > limit:
        raise TooBig
    try:
        given = read_json(body)
    except ValueError:
        raise BadRequest("bad_json", "This is not JSON.") from None
    if not isinstance(given, dict):
        raise BadRequest("bad_json", "This must be a JSON object.")
    return given
