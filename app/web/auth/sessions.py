"""A browser's session: its signed HttpOnly cookie and its CSRF token."""

from __future__ import annotations

import hmac

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.store.people.players import Player, hash_secret
from app.web.i18n import LANGUAGE_COOKIE
from app.web.security.address import limit_key
from app.web.site import site_of
from app.web.ws.open_sockets import REPLACED_CLOSE

THEME_COOKIE = "theme"
CSRF_SALT_CHARS = 16
SESSION_COOKIE = "cartagena"
DEVICE_COOKIE = "cartagena-device"
OWN_COOKIES = frozenset(
    name.encode()
    for name in (
        SESSION_COOKIE,
        f"__Host-{SESSION_COOKIE}",
        DEVICE_COOKIE,
        f"__Host-{DEVICE_COOKIE}",
        LANGUAGE_COOKIE,
        THEME_COOKIE,
    )
)
"""The names of all cookies that this server reads."""

SCOPE_PERSON = "cartagena.person"  # the player found for this request
_SCOPE_COOKIE = "cartagena.cookie"
_SCOPE_DEVICE = "cartagena.device"
_SCOPE_SESSION = "cartagena.session"
_SCOPE_REPLACED = "cartagena.replaced"


def cookie_name(settings: Settings, cookie: str = SESSION_COOKIE) -> str:
    """Return a cookie's name. Over TLS the `__Host-` prefix keeps other subdomains from setting it."""
    return f"__Host-{cookie}" if settings.is_https else cookie


def format_cookie(settings: Settings, cookie: str, value: str, max_age: int) -> str:
    """Return the Set-Cookie header of one of our cookies. A `max_age` of 0 deletes it."""
    flags = "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if settings.is_https else "")
    return f"{cookie_name(settings, cookie)}={value}; Max-Age={max_age}{flags}"


def session_of(connection: HTTPConnection) -> str | None:
    """Return the session in the cookie if its signature is valid. The session may have been closed since."""
    if _SCOPE_SESSION in connection.scope:
        given: str | None = connection.scope[_SCOPE_SESSION]
        return given
    settings = site_of(connection).settings
    value = connection.cookies.get(cookie_name(settings))
    if not value or len(value) > 200:
        return None
    session, _, signature = value.rpartition(".")
    return (
        session if hmac.compare_digest(signature.encode(), _signature(settings, session).encode()) else None
    )


def set_session_cookie(request: HTTPConnection, session: str, player: Player) -> None:
    """Set the browser's session cookie with this response."""
    settings = site_of(request).settings
    value = f"{session}.{_signature(settings, session)}"
    request.scope[_SCOPE_COOKIE] = format_cookie(
        settings, SESSION_COOKIE, value, settings.session_days * 86400
    )
    request.scope[SCOPE_PERSON] = player
    request.scope[_SCOPE_SESSION] = session


async def start_session(request: HTTPConnection, player: Player, claims: str | None = None) -> bool:
    """Replace this browser's session with a new one of the player; end the oldest if there are too many.

    `claims` is the id of a guest to merge into the player. Return whether it was merged. Raise PlayerGone.
    """
    site = site_of(request)
    old = session_of(request)
    clear_session_cookie(request)
    opened = await site.people.open_session(
        player.id,
        device_label(request),
        site.now(),
        instead_of=old,
        max_sessions=site.settings.sessions_per_person,
        came_from=network_digest(request),
        claims=claims,
    )
    set_session_cookie(request, opened.session, player)
    site.sign_out("session", *opened.ended)
    if old is not None:
        request.scope[_SCOPE_REPLACED] = hash_secret(old)
    return opened.has_claimed


def clear_session_cookie(request: HTTPConnection) -> None:
    """Delete the browser's session cookie with this response, and drop the session from the cache."""
    site = site_of(request)
    session = session_of(request)
    if session is not None:
        site.player_cache.pop(hash_secret(session), None)
    request.scope[_SCOPE_COOKIE] = format_cookie(site.settings, SESSION_COOKIE, "", 0)
    request.scope[SCOPE_PERSON] = None
    request.scope[_SCOPE_SESSION] = None


def csrf_token(connection: HTTPConnection) -> str:
    """Return a CSRF token of the session, which pages carry in `<meta name="csrf">`; empty without a session.

    Each address gets another token, so that text in the address never meets the same token twice: the length of a
    compressed page then reveals nothing about any token (BREACH).
    """
    session = session_of(connection)
    if session is None:
        return ""
    address = hmac.digest(_csrf_key(connection), b"address|" + str(connection.url).encode(), "sha256")
    salt = address.hex()[:CSRF_SALT_CHARS]
    return salt + _sign_csrf(connection, session, salt)


def is_csrf_token(connection: HTTPConnection, given: str) -> bool:
    """Return whether this is a CSRF token of the connection's session."""
    session = session_of(connection)
    if session is None:
        return False
    salt, signature = given[:CSRF_SALT_CHARS], given[CSRF_SALT_CHARS:]
    return hmac.compare_digest(signature.encode(), _sign_csrf(connection, session, salt).encode())


def _csrf_key(connection: HTTPConnection) -> bytes:
    return site_of(connection).settings.secret.encode()


def _sign_csrf(connection: HTTPConnection, session: str, salt: str) -> str:
    message = f"csrf|{salt}|{session}".encode()
    return hmac.digest(_csrf_key(connection), message, "sha256").hex()[:40]


def network_digest(connection: HTTPConnection) -> str:
    """Return a keyed digest of the client's network, as sessions and bans store it. It does not reveal the address."""
    site = site_of(connection)
    key = limit_key(site.limits.address_of(connection))
    return hmac.digest(site.settings.secret.encode(), b"from|" + key.encode(), "sha256").hex()[:32]


def device_label(connection: HTTPConnection) -> str:
    """Return a short label by which people recognise their device. Nothing else of the user agent is stored."""
    agent = connection.headers.get("user-agent", "")
    called = {"Edg/": "Edge", "OPR/": "Opera", "Mac OS": "Mac"}  # others keep their own name
    browsers = ("Firefox", "Edg/", "OPR/", "Chrome", "Safari")
    systems = ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux")
    browser = next((mark for mark in browsers if mark in agent), "a program")
    system = next((mark for mark in systems if mark in agent), "")
    return " on ".join(called.get(mark, mark) for mark in (browser, system) if mark)


def _signature(settings: Settings, session: str) -> str:
    """Return the cookie's signature, so that a forged cookie never costs a query."""
    return hmac.digest(settings.secret.encode(), b"session|" + session.encode(), "sha256").hex()[:32]


def set_device_cookie(request: HTTPConnection, value: str, max_age: int) -> None:
    """Send the device cookie with the response (known_devices.py)."""
    request.scope[_SCOPE_DEVICE] = format_cookie(site_of(request).settings, DEVICE_COOKIE, value, max_age)


class SessionMiddleware:
    """Adds the cookies that a route has set to its response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name in (_SCOPE_COOKIE, _SCOPE_DEVICE):
                    if name in scope:
                        headers = MutableHeaders(scope=message)
                        headers.append("set-cookie", scope[name])
                        headers["cache-control"] = "no-store"
            await send(message)

        await self.app(scope, receive, send_with_cookie)
        if _SCOPE_REPLACED in scope:
            # Close the browser's other sockets only now: they reconnect with the new cookie.
            site_of(HTTPConnection(scope)).sign_out("session", scope[_SCOPE_REPLACED], close=REPLACED_CLOSE)
