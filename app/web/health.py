"""For operators: whether the server lives (/healthz), should be sent people (/readyz), its numbers (/metrics)."""

from __future__ import annotations

import asyncio
import hmac

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import __version__
from app.play.ports import StoreUnavailable
from app.web.errors import NotFound
from app.web.routing import Router
from app.web.security.address import is_direct_from_loopback
from app.web.site import site_of

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


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """For the operator's collector only; to anybody else the page does not exist."""
    site = site_of(request)
    token = site.settings.metrics_token
    shown = request.headers.get("authorization", "").partition(" ")[2]
    by_token = bool(token) and hmac.compare_digest(shown.encode(), token.encode())
    by_place = site.settings.metrics_loopback and is_direct_from_loopback(request)
    if not (by_token or by_place):
        raise NotFound
    return Response(site.metrics.text(), media_type=CONTENT_TYPE_LATEST)
