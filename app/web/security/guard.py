"""Middleware around every request: bounds, bans, limits and forged writes before it, security headers after it."""

from __future__ import annotations

import asyncio
import time
from functools import lru_cache

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.web.auth.sessions import OWN_COOKIES, is_csrf_token, session_of
from app.web.errors import (
    BadRequest,
    NotAllowed,
    NotFound,
    Refused,
    TooBig,
    refused_json,
    refused_response,
    wants_page,
)
from app.web.security import request_bounds as bounds
from app.web.security.address import is_same_origin
from app.web.security.limits import HEALTH_PATHS
from app.web.site import site_of

_SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))
_BODY_PIECE_SECONDS = 20.0  # between two pieces of a body

# Nothing inline, nothing from other hosts. `data:` images are the cursors and textures of our CSS.
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "media-src 'self'; connect-src 'self'{sockets}; manifest-src 'self'; worker-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}; object-src 'none'"
)
_EMBED_PREFIX = "/embed/"  # the only pages that other sites may frame


@lru_cache(maxsize=64)  # a site has one or two names; forged Host headers are evicted soon
def security_headers(https: bool, host: str, ancestors: str = "'none'") -> dict[str, str]:
    """Return the security headers of a response. `ancestors` are the sites that may frame it.

    The policy names the socket's host, because in some browsers 'self' does not include WebSockets.
    """
    clean = "".join(letter for letter in host if letter.isalnum() or letter in ".-:[]")
    sockets = f" {'wss' if https else 'ws'}://{clean}" if clean else ""
    headers = {
        "content-security-policy": _CONTENT_SECURITY_POLICY.format(sockets=sockets, ancestors=ancestors),
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    }
    if https:
        headers["strict-transport-security"] = "max-age=31536000"
    if ancestors != "'none'":  # this older header cannot list sites and would block the frame
        del headers["x-frame-options"]
        headers["cross-origin-resource-policy"] = "cross-origin"
    return headers


def headers_for(path: str, settings: Settings, host: str) -> dict[str, str]:
    """Return the security headers of a path. Framing is allowed under /embed/ and nowhere else.

    Static files other than SVG need no policy, because browsers apply that of the page that loads them; a first visit
    loads eighty of them. They are the same for everyone, so other sites may load them.
    """
    if path.startswith(_EMBED_PREFIX):
        return security_headers(settings.is_https, host, settings.frame_ancestors)
    headers = security_headers(settings.is_https, host)
    if not path.startswith("/static/") or path.endswith(".svg"):
        return headers
    names = ("x-content-type-options", "strict-transport-security")
    return {name: headers[name] for name in names if name in headers}


def check_not_forged(connection: HTTPConnection, method: str) -> None:
    """Raise Refused if another site's page may have made a person's browser send this write (CSRF)."""
    if method in _SAFE_METHODS or connection.headers.get("authorization", "").lower().startswith("bearer "):
        return  # browsers never add a bearer token on their own, and with one cookies are ignored
    same = is_same_origin(connection, site_of(connection).settings)
    if same is True:
        return
    if same is None:
        if session_of(connection) is None:
            return  # no identity to abuse
        if is_csrf_token(connection, connection.headers.get("x-csrf", "")):
            return
    raise NotAllowed("forged", "This request did not come from a page of this site.")


def headers_without_identity(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Return the headers without cookies and tokens: in another site's frame every visitor is a stranger."""
    return [(name, value) for name, value in scope["headers"] if name not in (b"cookie", b"authorization")]


class GuardMiddleware:
    """Refuses requests before their body is read, answers exceptions, and adds the security headers.

    Pure ASGI, so that streams and WebSockets pass through unchanged.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]
        if path.endswith("/") and path != "/" and not path.endswith("//"):
            # Both forms of an address are served. A redirect would need the scheme and host that clients use.
            path = scope["path"] = path[:-1]
        connection = HTTPConnection(scope)
        site = site_of(connection)
        max_bytes = bounds.max_body_bytes(path, site.settings.body_bytes)
        body = bounds.declared_body_bytes(connection.headers, max_bytes)
        cost = bounds.request_cost(scope, min(body, max_bytes))
        out_of_bounds = _restrict_head(scope)
        connection = HTTPConnection(scope)
        host = site.settings.public_host or connection.headers.get("host", "")
        headers = headers_for(path, site.settings, host)
        began = time.monotonic()
        is_started = False

        async def send_guarded(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                response_headers = MutableHeaders(scope=message)
                for name, value in headers.items():
                    response_headers.setdefault(name, value)
                site.metrics.count_response(scope, message["status"], time.monotonic() - began)
            await send(message)

        received = 0
        is_whole = False

        async def receive_limited() -> Message:
            nonlocal received, is_whole
            try:
                # The time limit applies to the body only. Afterwards a stream waits here for the client to disconnect.
                async with asyncio.timeout(None if is_whole else _BODY_PIECE_SECONDS):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408) from None
            if message["type"] == "http.request":
                is_whole = not message.get("more_body", False)
                received += len(message.get("body", b""))
                if received > max_bytes:
                    raise HTTPException(413)
            return message

        try:
            if path not in HEALTH_PATHS:
                site.bans.check(connection)
            site.limits.take_request(connection, cost)  # charged even if the request is refused below
            if out_of_bounds is not None:
                raise out_of_bounds
            if "\0" in path:
                raise NotFound  # PostgreSQL does not store NUL, so nothing has such a name
            if b"%00" in scope["query_string"] or b"\0" in scope["query_string"]:
                raise BadRequest("bad_request", "The query of the address contains a NUL character.")
            if body > max_bytes:
                raise TooBig
            check_not_forged(connection, scope["method"])
        except Refused as refusal:
            site.metrics.count_refusal(refusal.code)
            request = Request(scope, receive)
            if out_of_bounds is not None:  # rendering a page would parse and show the address
                response: Response = refused_json(refusal)
            elif wants_page(request) and not site.limits.may_render_refusal(connection):
                response = refused_json(refusal)
            else:
                response = await refused_response(request, refusal)
            await response(scope, receive, send_guarded)
            return
        try:
            await self.app(scope, receive_limited, send_guarded)
        except Exception as fault:
            if is_started:
                raise  # uvicorn closes the connection
            response = await scope["app"].exception_handlers[Exception](Request(scope, receive), fault)
            await response(scope, receive, send_guarded)


def _restrict_head(scope: Scope) -> Refused | None:
    """Reduce the request head to what the app reads. Return a refusal if it is out of bounds."""
    try:
        bounds.check_head(scope)
    except Refused as refusal:
        scope["query_string"] = b""
        scope["headers"] = [header for header in scope["headers"] if header[0] == b"x-forwarded-for"]
        return refusal
    if scope["path"].startswith(_EMBED_PREFIX):
        scope["headers"] = headers_without_identity(scope)
    else:
        scope["headers"] = bounds.strip_foreign_cookies(scope["headers"], OWN_COOKIES)
    return None
