"""Routes that parse JSON with `parse_json`, because the standard library accepts lone surrogates and NaN."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from app.admission import get_admission_queue
from app.play.commands.messages import parse_json


def accepts_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def respond_gzipped(
    request: Request, plain: bytes, gzipped: bytes | None, media_type: str, cache_control: str | None = None
) -> Response:
    """Return the gzipped body if there is one and the client accepts it, otherwise the plain one."""
    headers = {"Vary": "Accept-Encoding"}
    if cache_control is not None:
        headers["Cache-Control"] = cache_control
    if gzipped is None or not accepts_gzip(request):
        return Response(plain, media_type=media_type, headers=headers)
    return Response(gzipped, media_type=media_type, headers={**headers, "Content-Encoding": "gzip"})


class _StrictJsonRequest(Request):
    async def json(self) -> Any:
        return parse_json(await self.body())


class StrictJsonRoute(APIRoute):
    """The route class of the whole server."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_strictly(request: Request) -> Response:
            return await handle(_StrictJsonRequest(request.scope, request.receive))

        return handle_strictly


class Router(APIRouter):
    """A router that creates such routes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=StrictJsonRoute, **options)


async def _wait_for_admission() -> None:
    await get_admission_queue(asyncio.get_running_loop()).wait(is_new=True)


WAIT_FOR_ADMISSION = Depends(_wait_for_admission)
"""A dependency that applies admission control (app/admission.py) to routes that every new client calls."""
