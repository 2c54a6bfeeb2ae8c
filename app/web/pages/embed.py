"""A table embedded in another site's page: /embed/{room}, live or as a replay, with options in the query.

Sessions are neither created nor read (security/guard.py removes cookies), so visitors are strangers even at their own
table. Like the table page, it looks the same whether or not the table exists; only the socket reveals that.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from starlette.datastructures import QueryParams
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from app.web.api.qr import RoomId, public_address
from app.web.i18n import LANGUAGES
from app.web.pages.render import Pages
from app.web.routing import Router

__all__ = ["FRAME_HEIGHT", "FRAME_WIDTH", "BadEmbedOption", "EmbedOptions", "iframe", "router"]

router = Router(include_in_schema=False)

FRAME_WIDTH, FRAME_HEIGHT = 640, 480
MAX_DELAY_SECONDS = 600
_ALLOWED_VALUES = {
    "theme": ("auto", "light", "dark"),
    "size": ("normal", "small", "large"),
    "lang": tuple(LANGUAGES),
    "controls": ("1", "0"),
    "replay": ("0", "1"),
    "overlay": ("0", "1"),
}


class BadEmbedOption(Exception):
    """A query parameter has an invalid value; `name` is the parameter, `allowed` its valid values."""

    def __init__(self, name: str, allowed: str) -> None:
        super().__init__(name)
        self.name = name
        self.allowed = allowed


@dataclass(frozen=True)
class EmbedOptions:
    """The look and content of an embedded table."""

    theme: str = "auto"
    size: str = "normal"
    has_controls: bool = True
    is_replay: bool = False
    is_overlay: bool = False
    delay: int = 0

    @classmethod
    def from_query(cls, query: QueryParams) -> EmbedOptions:
        """Parse the query. Missing parameters have defaults; unknown ones are ignored. Raise BadEmbedOption."""
        values = {name: query.get(name, allowed[0]) for name, allowed in _ALLOWED_VALUES.items()}
        for name, allowed in _ALLOWED_VALUES.items():
            if values[name] not in allowed:
                raise BadEmbedOption(name, ", ".join(allowed))
        delay = query.get("delay", "0")
        if not (delay.isascii() and delay.isdigit() and len(delay) <= 3 and int(delay) <= MAX_DELAY_SECONDS):
            raise BadEmbedOption("delay", f"0–{MAX_DELAY_SECONDS}")
        is_overlay = values["overlay"] == "1"
        return cls(
            theme=values["theme"],
            size=values["size"],
            has_controls=values["controls"] == "1" and not is_overlay,
            is_replay=values["replay"] == "1",
            is_overlay=is_overlay,
            delay=int(delay),
        )


@router.api_route("/embed/{room}", methods=["GET", "HEAD"])
async def embed(request: Request, pages: Pages, room: RoomId) -> Response:
    """Return the embedded page; for an invalid option, an explanation instead."""
    try:
        look, wrong, status = EmbedOptions.from_query(request.query_params), None, 200
    except BadEmbedOption as problem:
        look, wrong, status = EmbedOptions(), problem, 422
    return pages.plain_page(
        request, "embed.html", status=status, room=room, look=look, wrong=wrong, sets_language=False
    )


def iframe(connection: HTTPConnection, path: str, title: str, width: int, height: int) -> str:
    """Return the HTML that embeds a page; static/js/core/embed_dialog.js creates the same."""
    address = escape(public_address(connection, path))
    return (
        f'<iframe src="{address}" title="{escape(title)}" width="{width}" height="{height}" '
        'loading="lazy" allowfullscreen></iframe>'
    )
