"""One app from its settings: routes, gate and lifespan; two apps in one process share nothing."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import FastAPI
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.middleware import Middleware

from app import __version__
from app.settings import Settings
from app.store.people import PeopleStore
from app.web import health, metrics
from app.web.answers import install_answers
from app.web.bans import Bans
from app.web.guard import GuardMiddleware
from app.web.identity import IdentityMiddleware
from app.web.limits import Limits
from app.web.site import Site

__all__ = ["create_app"]


def create_app(settings: Settings) -> FastAPI:
    """The whole server as an ASGI app; its parts are built when its lifespan begins."""
    app = FastAPI(
        title="Cartagena online",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # the stock pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lambda app: _lifespan(app, settings),
        middleware=[Middleware(GuardMiddleware), Middleware(IdentityMiddleware)],
    )
    install_answers(app)
    app.include_router(health.router)
    app.include_router(metrics.router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        engine = create_async_engine(settings.database_url, hide_parameters=True)
        stack.push_async_callback(engine.dispose)
        site = Site(
            settings=settings,
            engine=engine,
            people=PeopleStore(engine),
            limits=Limits(settings, time.monotonic),
            bans=Bans(settings),
            metrics=metrics.Metrics(),
            clock=time.time,
            chance=random.SystemRandom(),
        )
        app.state.site = site
        stack.push_async_callback(site.drain)
        site.metrics.watch("sockets", lambda: site.limits.open_sockets)
        site.is_ready = True
        yield
