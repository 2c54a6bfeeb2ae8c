"""The OpenAPI description of the API: made once, off the loop, when somebody first asks for it."""

from __future__ import annotations

import gzip

import orjson
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.web.routing import Router, accepts_gzip
from app.web.site import site_of

__all__ = ["router"]

router = Router(include_in_schema=False)


@router.get("/api/v1/openapi.json")
async def description(request: Request) -> Response:
    """The same bytes for everybody; walking all routes and models takes half a second."""
    app = request.app
    if app.state.description is None:
        app.state.description = await site_of(request).offload.run(_both_forms, app)
    plain, packed = app.state.description
    headers = {"Vary": "Accept-Encoding"}
    if accepts_gzip(request):
        headers["Content-Encoding"] = "gzip"
        return Response(packed, media_type="application/json", headers=headers)
    return Response(plain, media_type="application/json", headers=headers)


def _both_forms(app: FastAPI) -> tuple[bytes, bytes]:
    plain = orjson.dumps(app.openapi())
    return plain, gzip.compress(plain, 9, mtime=0)
