"""Routes whose JSON is read by `read_json`: the standard library's reader lets lone surrogates and NaN in."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from app.play.commands.messages import read_json


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


class _Request(Request):
    async def json(self) -> Any:
        return read_json(await self.body())


class Route(APIRoute):
    """Every route of the server is one."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(_Request(request.scope, request.receive))

        return handle_strictly


class Router(APIRouter):
    """A router of such routes."""

    def __init__(self, **given: Any) -> None:
        super().__init__(route_class=Route, **given)
