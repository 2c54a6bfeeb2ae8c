"""One app from its settings: routes, gate and lifespan; two apps in one process share nothing."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import cast

from fastapi import FastAPI
from sqlalchemy.ext.asyncio import create_async_engine
from starlette.middleware import Middleware

from app import __version__
from app.notify import words
from app.notify.mail import Mailer
from app.notify.webhook import Webhooks
from app.play.ports import GameStore
from app.settings import Settings
from app.store.people import PeopleStore
from app.store.people_accounts import AccountStore
from app.store.people_notices import NoticeStore
from app.store.people_social import SocialStore
from app.web import accounts_api, health, me, metrics, notices_api, profiles, qr, resume_api, social_api
from app.web.answers import install_answers
from app.web.bans import Bans
from app.web.guard import GuardMiddleware
from app.web.identity import IdentityMiddleware
from app.web.limits import Limits
from app.web.passwords import Passwords
from app.web.site import Site

__all__ = ["create_app"]

_ROUTERS = (
    health.router,
    metrics.router,
    me.router,
    accounts_api.router,
    resume_api.router,
    profiles.router,
    social_api.router,
    notices_api.router,
    qr.router,
)


def create_app(settings: Settings) -> FastAPI:
    """The whole server as an ASGI app; its parts are built when its lifespan begins."""
    app = FastAPI(
        title="Cartagena online",
        version=__version__,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # the stock pages load scripts from elsewhere
        redoc_url=None,
        lifespan=lambda app: _lifespan(app, settings),
        middleware=[
            Middleware(GuardMiddleware),
            Middleware(IdentityMiddleware),
        ],
    )
    install_answers(app)
    for router in _ROUTERS:
        app.include_router(router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        engine = create_async_engine(settings.database_url, hide_parameters=True)
        stack.push_async_callback(engine.dispose)
        site = Site(
            settings=settings,
            people=PeopleStore(engine),
            accounts=AccountStore(engine),
            social=SocialStore(engine),
            notices=NoticeStore(engine),
            passwords=Passwords(),
            mailer=Mailer(settings),
            webhooks=Webhooks(private=settings.webhook_private),
            words=words.in_english,
            games=cast("GameStore", None),
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
