"""A page: a template, the reader's language, theme and name, and nothing inline."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app.web.i18n import COOKIE, LANGUAGES, Catalogue, Languages
from app.web.pages_assets import Assets

__all__ = ["Folders", "PageRenderer", "Reader"]

THEMES = ("system", "light", "dark")
YEAR = 365 * 24 * 3600


class Reader(Protocol):
    """Who reads the page, as far as the header needs it."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def is_account(self) -> bool: ...


@dataclass(frozen=True)
class Folders:
    templates: Path
    static: Path
    locales: Path


class PageRenderer:
    """Renders every HTML page of the product."""

    def __init__(
        self,
        folders: Folders,
        who: Callable[[Request], Awaitable[Reader | None]],
        csrf: Callable[[Request], str],
        *,
        fresh: bool = False,
    ) -> None:
        self.languages = Languages(folders.locales)
        self.assets = Assets(folders.static, fresh=fresh)
        self._who = who
        self._csrf = csrf
        self._templates = Environment(
            loader=FileSystemLoader(folders.templates),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=fresh,
        )

    def catalogue_for(self, request: Request) -> Catalogue:
        code = self.languages.choose(
            request.query_params.get("lang"),
            request.cookies.get(COOKIE),
            request.headers.get("accept-language"),
        )
        return self.languages.catalogue(code)

    async def page(
        self, request: Request, template: str, *, status: int = 200, **context: object
    ) -> HTMLResponse:
        reader = await self._who(request)
        return self.plain_page(request, template, status=status, reader=reader, **context)

    def plain_page(
        self,
        request: Request,
        template: str,
        *,
        status: int = 200,
        reader: Reader | None = None,
        **context: object,
    ) -> HTMLResponse:
        """The same without asking who reads: for error pages, when the store may be the error."""
        words = self.catalogue_for(request)
        theme = request.cookies.get("theme", "system")
        body = self._templates.get_template(template).render(
            t=words.t,
            tn=words.tn,
            lang=words.code,
            languages=LANGUAGES,
            language_links=language_links(request),
            catalogue_url=f"/lang/{words.code}.{words.script_hash}.json",
            static=self.assets.url,
            theme=theme if theme in THEMES else "system",
            reader=reader,
            csrf=self._csrf(request),
            path=request.url.path,
            **context,
        )
        answer = HTMLResponse(body, status_code=status)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["Vary"] = "Cookie, Accept-Language"
        answer.headers["Content-Language"] = words.code
        if request.query_params.get("lang") in LANGUAGES:
            answer.set_cookie(COOKIE, words.code, max_age=YEAR, samesite="lax", path="/")
        return answer


def language_links(request: Request) -> dict[str, str]:
    """The same page in each language; the rest of the query stays."""
    kept = [(k, v) for k, v in request.query_params.multi_items() if k != "lang"]
    return {code: "?" + urlencode([*kept, ("lang", code)]) for code in LANGUAGES}
