"""Operator endpoints: liveness (/healthz), readiness (/readyz) and metrics (/metrics)."""

from __future__ import annotations

import asyncio
import hmac
import logging
import math
from collections.abc import Awaitable, Callable

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
log = logging.getLogger("cartagena.web")

REFRESH_SECONDS = 1.0
PING_TIMEOUT_SECONDS = 2.0
MAX_ANSWER_AGE_SECONDS = 5.0
"""A database that has not responded for this long counts as unavailable."""


class DatabaseProbe:
    """Pings the database once a second in the background.

    `ping` must use a connection of its own, so that a busy pool does not delay it. A single time-out does not count as
    an outage, because a busy event loop causes them too; the last success ages instead.
    """

    def __init__(self, ping: Callable[[], Awaitable[None]], clock: Callable[[], float]) -> None:
        self._ping = ping
        self._clock = clock
        self._answered_at = clock()  # the caller has just used the database
        self._task: asyncio.Task[None] | None = None

    @property
    def is_answering(self) -> bool:
        return self._clock() - self._answered_at < MAX_ANSWER_AGE_SECONDS

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def refresh(self) -> None:
        """Ping the database once."""
        try:
            async with asyncio.timeout(PING_TIMEOUT_SECONDS):
                await self._ping()
        except TimeoutError:
            return
        except StoreUnavailable:
            self._answered_at = -math.inf
        except Exception:
            log.exception("the health probe failed")
            self._answered_at = -math.inf
        else:
            self._answered_at = self._clock()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_SECONDS)
            await self.refresh()


@router.get("/healthz")
async def healthz() -> JSONResponse:
    """Report that the process responds. The database is not checked, so that an outage does not restart workers."""
    return JSONResponse({"status": "ok", "version": __version__})


@router.get("/readyz")
async def readyz(request: Request) -> JSONResponse:
    """Report whether the app is started, not stopping, and its database responds. Uses no query of its own."""
    if not site_of(request).is_ready:
        return JSONResponse({"status": "not ready", "why": "starting or stopping"}, status_code=503)
    probe: DatabaseProbe = request.app.state.database_probe
    if not probe.is_answering:
        return JSONResponse({"status": "not ready", "why": "database"}, status_code=503)
    return JSONResponse({"status": "ok"})


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the metrics to the operator's collector. Other clients get 404."""
    site = site_of(request)
    token = site.settings.metrics_token
    shown = request.headers.get("authorization", "").partition(" ")[2]
    by_token = bool(token) and hmac.compare_digest(shown.encode(), token.encode())
    by_place = site.settings.metrics_loopback and is_direct_from_loopback(request)
    if not (by_token or by_place):
        raise NotFound
    return Response(site.metrics.text(), media_type=CONTENT_TYPE_LATEST)
