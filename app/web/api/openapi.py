"""The OpenAPI description of the API: made once, off the loop, when somebody first asks for it."""

from __future__ import annotations

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app.web.routing import Router
from app.web.site import site_of

__all__ = ["router"]

router = Router(include_in_schema=False)


@router.get("/api/v1/openapi.json")
async def description(request: Request) -> Response:
    """The same bytes for everybody; walking all routes and models takes half a second."""
    app = request.app
    if app.state.description is None:
        app.state.description = await site_of(request).offload.run(lambda: orjson.dumps(app.openapi()))
    return Response(app.state.description, media_type="application/json")
