"""Whether the server lives (/healthz) and whether it should be sent people (/readyz)."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse

from app import __version__
from app.play.ports import StoreUnavailable
from app.web.routing import Router
from app.web.site import site_of

__all__ = ["router"]

router = Router(include_in_schema=False)
_PATIENCE = 2.0  # seconds a database may take before it counts as gone


@router.get("/healthz")
async def healthz() -> JSONResponse:
    """The process lives and answers; says nothing of the database, so an outage restarts nothing."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/readyz")
async def readyz(request: Request) -> JSONResponse:
    """Started, not stopping, and the database answers."""
    site = site_of(request)
    if not site.is_ready:
        return JSONResponse({"status": "not ready", "why": "starting or stopping"}, status_code=503)
    try:
        async with asyncio.timeout(_PATIENCE):
            await site.people.ping()
    except (TimeoutError, StoreUnavailable):
        return JSONResponse({"status": "not ready", "why": "database"}, status_code=503)
    return JSONResponse({"status": "ok"})
