"""What every newcomer asks for, answered before FastAPI's layers: they cost more than a guest's session or a table.

The routes are FastAPI's: it describes them, and serves them in every other case. Here the same function answers where
a request is plain. One whose body is no JSON or not what is wanted, or that has a query or an Idempotency-Key, has made
nothing happen yet and goes the usual way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.play.commands.messages import read_json
from app.play.turns import turns_of
from app.web.api import games, me
from app.web.api.models import NewGame
from app.web.auth.identity import person_or_guest
from app.web.routing import Router

_JSON = "application/json"

Answer = Callable[[Request, Any], Awaitable[dict[str, Any]]]


async def _create_game(request: Request, new: NewGame) -> dict[str, Any]:
    made = await games.create_game(request, new, await person_or_guest(request))
    return made.model_dump()


def _route(router: Router, path: str) -> APIRoute:
    found = (each for each in router.routes if isinstance(each, APIRoute))
    return next(each for each in found if each.path == path and each.methods == {"POST"})


_QUICK: dict[str, tuple[APIRoute, type[BaseModel], Answer]] = {
    "/api/v1/me": (_route(me.router, "/api/v1/me"), me.NameBody, me.choose_name),
    "/api/v1/games": (_route(games.router, "/api/v1/games"), NewGame, _create_game),
}


class QuickRoutes:
    """Stands inside the guard and the sessions, before the rest of the app."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        quick = _QUICK.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if quick is None or not _is_plain(scope):
            await self.app(scope, receive, send)
            return
        route, model, answer = quick
        request = Request(scope, receive)
        await turns_of(asyncio.get_running_loop()).next(is_new=True)
        try:
            body = await request.body()
            wanted = _read(model, body)
            if wanted is None:
                await self.app(scope, _again(body, receive), send)
                return
            scope["route"] = route
            response = Response(
                orjson.dumps(await answer(request, wanted)), route.status_code or 200, media_type=_JSON
            )
        except Exception as problem:
            handlers = scope["app"].exception_handlers
            kind = next(kind for kind in type(problem).__mro__ if kind in handlers)
            if kind is Exception:
                raise  # a fault: answered, and logged, by the outermost layer
            response = await handlers[kind](request, problem)
        await response(scope, receive, send)


def _is_plain(scope: Scope) -> bool:
    is_json = False
    for name, value in scope["headers"]:
        if name == b"content-type":
            is_json = value == _JSON.encode()
        elif name == b"idempotency-key":
            return False
    return is_json and not scope["query_string"]


def _read(model: type[BaseModel], body: bytes) -> BaseModel | None:
    """What the body says; None: FastAPI says what is wrong with it."""
    try:
        return model.model_validate(read_json(body))
    except (ValidationError, orjson.JSONDecodeError):
        return None


def _again(body: bytes, receive: Receive) -> Receive:
    """The body once more, for whoever reads it next; then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay
