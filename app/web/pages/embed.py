"""A table in a frame of somebody else's page: /embed/{room}, live or as a replay, its look chosen by the address.

No session is made or read for it (security/guard.py takes the cookies away): whoever looks is a stranger, also to
their own table. Like a table's page it is the same whether or not there is such a table; only its socket tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from app.web.api.qr import ROOM, public_address
from app.web.i18n import LANGUAGES
from app.web.pages.render import Pages
from app.web.routing import Router

__all__ = ["HEIGHT", "WIDTH", "BadLook", "Look", "iframe", "router"]

router = Router(include_in_schema=False)

WIDTH, HEIGHT = 640, 480
LONGEST_DELAY = 600  # seconds
_CHOICES = {
    "theme": ("auto", "light", "dark"),
    "size": ("normal", "small", "large"),
    "lang": tuple(LANGUAGES),
    "controls": ("1", "0"),
    "replay": ("0", "1"),
    "overlay": ("0", "1"),
}


class BadLook(Exception):
    """A parameter of the address has a value that means nothing; `name` says which, `allowed` what it may be."""

    def __init__(self, name: str, allowed: str) -> None:
        super().__init__(name)
        self.name = name
        self.allowed = allowed


@dataclass(frozen=True)
class Look:
    """How a frame looks and what it shows."""

    theme: str = "auto"
    size: str = "normal"
    has_controls: bool = True
    is_replay: bool = False
    is_overlay: bool = False
    delay: int = 0

    @classmethod
    def of(cls, asked: QueryParams) -> Look:
        """As the address says; what it does not name is as usual, and names that mean nothing here are let be."""
        given = {name: asked.get(name, allowed[0]) for name, allowed in _CHOICES.items()}
        for name, allowed in _CHOICES.items():
            if given[name] not in allowed:
                raise BadLook(name, ", ".join(allowed))
        delay = asked.get("delay", "0")
        if not (delay.isascii() and delay.isdigit() and len(delay) <= 3 and int(delay) <= LONGEST_DELAY):
            raise BadLook("delay", f"0–{LONGEST_DELAY}")
        is_overlay = given["overlay"] == "1"
        return cls(
            theme=given["theme"],
            size=given["size"],
            has_controls=given["controls"] == "1" and not is_overlay,
            is_replay=given["replay"] == "1",
            is_overlay=is_overlay,
            delay=int(delay),
        )


@router.api_route("/embed/{room}", methods=["GET", "HEAD"])
async def embed(request: Request, pages: Pages, room: str) -> Response:
    """The frame's page; an address that asks for what there is not gets a sentence in its place."""
    if not ROOM.fullmatch(room):
        raise HTTPException(404)
    try:
        look, wrong, status = Look.of(request.query_params), None, 200
    except BadLook as problem:
        look, wrong, status = Look(), problem, 422
    return pages.plain_page(
        request, "embed.html", status=status, room=room, look=look, wrong=wrong, sets_language=False
    )


def iframe(connection: HTTPConnection, path: str, title: str, width: int, height: int) -> str:
    """The snippet that shows it in another page; static/js/core/embed_snippet.js writes the same."""
    address = escape(public_address(connection, path))
    return (
        f'<iframe src="{address}" title="{escape(title)}" width="{width}" height="{height}" '
        'loading="lazy" allowfullscreen></iframe>'
    )
