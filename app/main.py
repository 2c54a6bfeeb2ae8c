"""The application factory: routes, middleware and lifespan. Two apps in one process share nothing."""

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
from starlette.middleware import Middleware
from starlette.routing import Match
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.utils import ClientDisconnected

from app import __version__
from app.bots.pool import BotPool
from app.notify.mail import Mailer
from app.notify.webhook import Webhooks
from app.play.ports import Actor, GameLists
from app.play.tasks import Tasks, retry_until_available
from app.settings import Settings
from app.store.database import Database, open_database
from app.store.games.store import open_store
from app.store.people.accounts import AccountStore
from app.store.people.deals import DealStore
from app.store.people.friend_games import FriendGamesStore
from app.store.people.friend_settings import FriendSettingsStore
from app.store.people.friends import FriendStore
from app.store.people.mistakes import MistakeStore
from app.store.people.notices import NoticeStore
from app.store.people.outbox import OutboxStore
from app.store.people.personal_data import PersonalDataStore
from app.store.people.player_notes import PlayerNoteStore
from app.store.people.players import PeopleStore
from app.store.people.pushes import PushStore
from app.store.people.retention import RetentionStore
from app.store.people.social import SocialStore
from app.store.ratings.projection import RatingProjection
from app.store.ratings.public_games import PublicGames
from app.store.ratings.reading import RatingReader
from app.store.ratings.settings import RatingSettingsStore
from app.web import health, metrics
from app.web.api import (
    accounts,
    bots,
    deal,
    friends,
    games,
    invitations,
    me,
    models,
    my_data,
    notices,
    player_notes,
    profiles,
    push,
    qr,
    rating_export,
    ratings,
    resume,
    social,
    stream,
)
from app.web.api.reviews import Reviews
from app.web.auth.passwords import Passwords
from app.web.auth.sessions import SessionMiddleware
from app.web.deal_pars import DealPars
from app.web.deals import Deals
from app.web.errors import install_error_handlers
from app.web.game_server import open_game_server
from app.web.maintenance import Maintenance
from app.web.mistakes import Mistakes
from app.web.offload import Offload
from app.web.online import OnlinePeople
from app.web.pages.routes import install_pages
from app.web.pictures.cache import PictureCache
from app.web.queues import make_queues
from app.web.ratings import RatingQueue, make_result_reader
from app.web.security.bans import Bans
from app.web.security.guard import GuardMiddleware
from app.web.security.limits import CommandLimits, Limits
from app.web.site import Site
from app.web.ws import game, lobby
from app.web.ws.open_sockets import OpenSockets

# Routes are matched in this order, so the most requested come first.
_ROUTERS = (
    me.router,
    games.router,
    models.router,
    health.router,
    accounts.router,
    my_data.router,
    resume.router,
    profiles.router,
    social.router,
    notices.router,
    push.router,
    friends.router,
    player_notes.router,
    invitations.router,
    qr.router,
    stream.router,
    bots.router,
    deal.router,
    rating_export.router,  # before `/ratings/{pool}`
    ratings.router,
)

_SOCKET_ROUTES = (game.route, lobby.route, game.embed_route)


class _Server(FastAPI):
    """FastAPI for pages and the API. WebSockets bypass its middleware, which does nothing for them.

    Each middleware would keep a coroutine frame per open socket, a sixth of an idle socket's memory in total.
    """

    def openapi(self) -> dict[str, Any]:
        description = super().openapi()
        models.describe_errors(description["components"]["schemas"])
        return description

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await super().__call__(scope, receive, send)
            return
        scope["app"] = self
        for route in _SOCKET_ROUTES:
            match, child_scope = route.matches(scope)
            if match is Match.FULL and "\0" not in scope["path"]:
                scope.update(child_scope)
                try:
                    await route.app(scope, receive, send)
                except asyncio.CancelledError:
                    # The shutdown timed out. Not an error: uvicorn closes the connection and the client resumes.
                    raise ClientDisconnected from None
                return
        await send({"type": "websocket.close", "code": 1000})  # no such route: uvicorn answers 403


def create_app(settings: Settings) -> FastAPI:
    """Return the server as an ASGI app. Its parts are built when the lifespan starts."""
    app = _Server(
        title="Cartagena online",
        version=__version__,
        openapi_url=None,  # built in a thread (web/api/models.py)
        docs_url=None,  # the default pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,  # GuardMiddleware accepts both forms
        lifespan=lambda app: _lifespan(app, settings),
        middleware=[Middleware(GuardMiddleware), Middleware(SessionMiddleware)],
    )
    app.state.openapi_json = None
    install_error_handlers(app)
    for router in _ROUTERS:
        # `include_router` would rebuild every route for this app, on the event loop during the first requests.
        app.router.routes.extend(router.routes)
    app.router.routes.extend(_SOCKET_ROUTES)  # listed for introspection; `_Server.__call__` serves them
    install_pages(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI, settings: Settings) -> AsyncIterator[None]:
    """Build the parts of the app from the bottom up, and close them in reverse order."""
    async with AsyncExitStack() as stack:
        database = open_database(settings.database_url)
        stack.push_async_callback(database.close)
        counts = metrics.Metrics(str(os.getpid()) if settings.workers > 1 else "")
        store = await stack.enter_async_context(
            open_store(settings.database_url, counts.count_commit, database)
        )
        site = app.state.site = _build_site(app, settings, database, store.lists, counts)
        stack.callback(lambda: site.passwords.close())  # looked up late: tests replace it
        stack.callback(site.webhooks.close)
        stack.push_async_callback(site.offload.close)

        async def is_blocked(person: Actor, others: Iterable[str]) -> bool:
            return await site.social.is_blocked(person.ids, list(others))

        pool = app.state.bot_pool = BotPool(
            workers=settings.bot_workers, on_outcome=counts.count_bot_choice, share_of=site.shares.share_of
        )
        stack.push_async_callback(pool.close)
        game_server = await stack.enter_async_context(
            open_game_server(
                settings,
                store,
                counts,
                names=site.people.read_names,
                blocks=is_blocked,
                blocked=site.social.read_blocked_ids,
                bot=pool,
                share_of=site.shares.share_of,
            )
        )
        app.state.game_server = game_server  # apart: in one statement mypy would take both for Any
        site.online.use_topics(game_server.bus)
        stack.push_async_callback(site.online.close)

        deals = app.state.deals = Deals(DealStore(database), game_server, site.offload)
        pars = DealPars(deals, game_server, site.offload)
        reviews = app.state.reviews = Reviews(pool.review, site.shares.share_of)
        stack.push_async_callback(reviews.close)

        mistakes = app.state.mistakes = Mistakes(
            MistakeStore(database), site.people, game_server, pool, site.offload
        )

        rating_queue = RatingQueue(
            RatingProjection(database, game_server.context.worker),
            make_result_reader(store.log, site.offload),
            game_server.clock,
        )

        pictures = app.state.pictures = PictureCache(site.offload)
        stack.push_async_callback(pictures.close)

        site.publish_signed_out = lambda key, how: game_server.context.publish("signed_out", key, how)
        game_server.news.on_signed_out = site.sign_out_here
        site.publish_renamed = game_server.rename
        site.limits.start_publishing(lambda name, what: game_server.context.publish("counted", name, what))
        game_server.news.on_limit_charged = site.limits.on_remote_charge
        game_server.dispatcher.check_limits = CommandLimits(settings, site.limits.clock).check
        site.on_drain += [game_server.disconnect_all, store.log.flush]
        counts.watch_gauge("rooms", lambda: len(game_server.rooms))
        counts.watch_bus(lambda: game_server.bus.counts)
        counts.watch_gauge("sockets", lambda: site.limits.open_sockets)
        counts.watch_gauge("tasks", lambda: len(asyncio.all_tasks()))
        tasks, outbox = Tasks(), OutboxStore(database)
        queues = app.state.queues = make_queues(
            site, game_server, deals, pars, mistakes, rating_queue, RetentionStore(database), outbox, tasks
        )
        for name in queues:
            counts.watch_queue(name, partial(game_server.failures.count_set_aside, name))
        maintenance = app.state.maintenance = Maintenance(site, game_server, queues, tasks, outbox, deals)
        await retry_until_available(maintenance.apply_operator_changes)
        maintenance.start()
        stack.push_async_callback(maintenance.stop)
        stack.push_async_callback(site.drain)
        probe_database = open_database(settings.database_url)
        stack.push_async_callback(probe_database.close)
        probe = app.state.database_probe = health.DatabaseProbe(
            PeopleStore(probe_database).ping, time.monotonic
        )
        probe.start()
        stack.push_async_callback(probe.stop)
        if settings.push:
            await retry_until_available(lambda: site.pushes.get_newest_key(site.now()))
        site.is_ready = True
        yield


def _build_site(
    app: FastAPI, settings: Settings, database: Database, games: GameLists, counts: metrics.Metrics
) -> Site:
    site: Site

    def now() -> int:
        return site.now()  # looked up late: tests set the clock

    friend_settings = FriendSettingsStore(database)
    online = OnlinePeople(now, friend_settings.record_seen)
    site = Site(
        settings=settings,
        people=PeopleStore(database),
        accounts=AccountStore(database),
        data=PersonalDataStore(database),
        social=SocialStore(database),
        friends=FriendStore(database),
        friend_settings=friend_settings,
        friend_games=FriendGamesStore(database),
        player_notes=PlayerNoteStore(database),
        notices=NoticeStore(database),
        pushes=PushStore(database),
        ratings=RatingReader(database),
        rating_settings=RatingSettingsStore(database),
        public_games=PublicGames(database),
        passwords=Passwords(),
        mailer=Mailer(settings),
        webhooks=Webhooks(allow_private=settings.webhook_private),
        words=app.state.pages.languages.translate,  # e-mails use the same catalogues as pages
        games=games,
        offload=Offload(),
        online=online,
        sockets=OpenSockets(online),
        limits=Limits(settings, time.monotonic),
        bans=Bans(settings),
        metrics=counts,
        clock=time.time,
        chance=random.SystemRandom(),
    )
    return site
