"""One app from its settings: routes, guard and lifespan; two apps in one process share nothing."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.middleware import Middleware
from starlette.routing import Match
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from app import __version__
from app.bots.pool import BotPool
from app.notify.mail import Mailer
from app.notify.webhook import Webhooks
from app.play.ports import Actor, GameStore
from app.play.tasks import Tasks, wait_until_answered
from app.settings import Settings
from app.store.engine import make_engine
from app.store.games.store import open_store
from app.store.people.accounts import AccountStore
from app.store.people.data import DataStore
from app.store.people.deals import DealStore
from app.store.people.notices import NoticeStore
from app.store.people.outbox import OutboxStore
from app.store.people.players import PeopleStore
from app.store.people.pushes import PushStore
from app.store.people.retention import RetentionStore
from app.store.people.social import SocialStore
from app.web import health, metrics
from app.web.api import (
    accounts,
    bots,
    data,
    deal,
    games,
    me,
    models,
    notices,
    profiles,
    push,
    qr,
    resume,
    social,
    stream,
)
from app.web.api.reviews import Reviews
from app.web.auth.passwords import Passwords
from app.web.auth.sessions import SessionMiddleware
from app.web.deals import Deals
from app.web.errors import install_error_handlers
from app.web.game_server import open_game_server
from app.web.maintenance import Maintenance
from app.web.offload import Offload
from app.web.pages.routes import install_pages
from app.web.pictures.kept import Pictures
from app.web.queues import make_queues
from app.web.quick_routes import QuickRoutes
from app.web.security.bans import Bans
from app.web.security.guard import GuardMiddleware
from app.web.security.limits import CommandLimits, Limits
from app.web.site import Site
from app.web.ws import game, lobby

# Asked one after the other for a route that fits: what a crowd asks for stands first.
_ROUTERS = (
    me.router,
    games.router,
    models.router,
    health.router,
    accounts.router,
    data.router,
    resume.router,
    profiles.router,
    social.router,
    notices.router,
    push.router,
    qr.router,
    stream.router,
    bots.router,
    deal.router,
)

_SOCKETS = (game.route, lobby.route, game.embed_route)


class _Server(FastAPI):
    """FastAPI for pages and API; sockets go past its layers, which have nothing to say to them.

    Each layer would keep a frame of its own for every open socket: together a sixth of an idle one's memory.
    """

    def openapi(self) -> dict[str, Any]:
        described = super().openapi()
        models.describe_errors(described["components"]["schemas"])
        return described

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        for route in _SOCKETS:
            match, found = route.matches(scope)
            if match is Match.FULL and "\0" not in scope["path"]:
                scope.update(found)
                try:
                    await route.app(scope, receive, send)
                except asyncio.CancelledError:
                    # A stop that could not wait any longer. Not a fault: uvicorn just closes, the peer resumes.
                    raise ClientDisconnected from None
                return
        await send({"type": "websocket.close", "code": 1000})  # no such socket: answered 403


def create_app(settings: Settings) -> FastAPI:
    """The whole server as an ASGI app; its parts are built when its lifespan begins."""
    app = _Server(
        title="Cartagena online",
        version=__version__,
        openapi_url=None,  # made off the loop (web/api/models.py)
        docs_url=None,  # the stock pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,  # the guard serves both forms
        lifespan=lambda app: _lifespan(app, settings),
        middleware=[Middleware(GuardMiddleware), Middleware(SessionMiddleware), Middleware(QuickRoutes)],
    )
    app.state.description = None
    install_error_handlers(app)
    for router in _ROUTERS:
        app.include_router(router)
    app.router.routes.extend(_SOCKETS)  # for whoever lists the routes; they are served before them
    install_pages(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    """Built from the ground up, taken down in the opposite order."""
    async with AsyncExitStack() as stack:
        engine = make_engine(settings.database_url)
        stack.push_async_callback(engine.dispose)
        counts = metrics.Metrics(str(os.getpid()) if settings.workers > 1 else "")
        store = await stack.enter_async_context(open_store(settings.database_url, counts.committed, engine))
        site = app.state.site = _site(app, settings, engine, store, counts)
        stack.callback(lambda: site.passwords.close())  # whichever it has then
        stack.callback(site.webhooks.close)
        stack.push_async_callback(site.offload.close)

        async def is_blocked(person: Actor, others: Iterable[str]) -> bool:
            return await site.social.is_blocked(person.ids, list(others))

        pool = BotPool(workers=settings.bot_workers, on_outcome=counts.thought, share_of=site.shares.of)
        stack.push_async_callback(pool.close)
        game_server = app.state.game_server = await stack.enter_async_context(
            open_game_server(
                settings,
                store,
                counts,
                names=site.people.names,
                blocks=is_blocked,
                bot=pool,
                share_of=site.shares.of,
            )
        )

        deals = app.state.deals = Deals(DealStore(engine), game_server, site.offload)
        reviews = app.state.reviews = Reviews(pool.review, site.shares.of)
        stack.push_async_callback(reviews.close)

        pictures = app.state.pictures = Pictures(site.offload)
        stack.push_async_callback(pictures.close)

        site.publish_signed_out = lambda key, how: game_server.context.publish("signed_out", key, how)
        game_server.news.signed_out = site.signed_out
        site.publish_renamed = game_server.rename
        site.limits.share(lambda name, what: game_server.context.publish("counted", name, what))
        game_server.news.counted = site.limits.counted_elsewhere
        game_server.check = CommandLimits(settings, site.limits.clock).check
        site.on_drain += [game_server.disconnect_all, store.flush]
        counts.watch("rooms", lambda: len(game_server.rooms))
        counts.watch_bus(lambda: game_server.bus.counts)
        counts.watch("sockets", lambda: site.limits.open_sockets)
        counts.watch("tasks", lambda: len(asyncio.all_tasks()))
        tasks, outbox = Tasks(), OutboxStore(engine)
        queues = app.state.queues = make_queues(
            site, game_server, deals, RetentionStore(engine), outbox, tasks
        )
        for name in queues:
            counts.watch_queue(name, partial(game_server.failures.count_set_aside, name))
        maintenance = app.state.maintenance = Maintenance(site, game_server, queues, tasks, outbox, deals)
        await wait_until_answered(maintenance.apply_operator_changes)
        maintenance.start()
        stack.push_async_callback(maintenance.stop)
        stack.push_async_callback(site.drain)
        probe_engine = make_engine(settings.database_url)
        stack.push_async_callback(probe_engine.dispose)
        probe = app.state.database_probe = health.DatabaseProbe(
            PeopleStore(probe_engine).ping, time.monotonic
        )
        probe.start()
        stack.push_async_callback(probe.stop)
        if settings.push:
            await wait_until_answered(lambda: site.pushes.ensure_key(site.now()))
        site.is_ready = True
        yield


def _site(
    app: FastAPI, settings: Settings, engine: AsyncEngine, store: GameStore, counts: metrics.Metrics
) -> Site:
    return Site(
        settings=settings,
        people=PeopleStore(engine),
        accounts=AccountStore(engine),
        data=DataStore(engine),
        social=SocialStore(engine),
        notices=NoticeStore(engine),
        pushes=PushStore(engine),
        passwords=Passwords(),
        mailer=Mailer(settings),
        webhooks=Webhooks(private=settings.webhook_private),
        words=app.state.pages.languages.say,  # e-mails have the same catalogues as the pages
        games=store,
        offload=Offload(),
        limits=Limits(settings, time.monotonic),
        bans=Bans(settings),
        metrics=counts,
        clock=time.time,
        chance=random.SystemRandom(),
    )
