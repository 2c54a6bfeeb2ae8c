"""A browser's session: a signed HttpOnly cookie, made, read, replaced and forgotten; and its CSRF token."""

from __future__ import annotations

import hmac

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.store.people.players import Player, hashed
from app.web.i18n import COOKIE as LANGUAGE_COOKIE
from app.web.security.address import limit_key
from app.web.site import site_of
from app.web.ws.open_sockets import REPLACED

THEME_COOKIE = "theme"
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

SCOPE_PERSON = "cartagena.person"  # the player who was found for this request
_SCOPE_COOKIE = "cartagena.cookie"
_SCOPE_DEVICE = "cartagena.device"
_SCOPE_SESSION = "cartagena.session"
_SCOPE_REPLACED = "cartagena.replaced"


def cookie_name(settings: Settings) -> str:
    """Over TLS the `__Host-` name keeps sister sites from planting a cookie here."""
    return f"__Host-{SESSION_COOKIE}" if settings.is_https else SESSION_COOKIE


def session_of(connection: HTTPConnection) -> str | None:
    """The session in the cookie, its signature checked; it may have been closed since."""
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


def give_session(request: HTTPConnection, session: str, player: Player) -> None:
    """From this answer on the browser is this player's."""
    site = site_of(request)
    value = f"{session}.{_signature(site.settings, session)}"
    age = site.settings.session_days * 86400
    request.scope[_SCOPE_COOKIE] = (
        f"{cookie_name(site.settings)}={value}; Max-Age={age}{cookie_flags(site.settings)}"
    )
    request.scope[SCOPE_PERSON] = player
    request.scope[_SCOPE_SESSION] = session


async def start_session(request: HTTPConnection, player: Player, claims: str | None = None) -> bool:
    """Give this browser a new session in place of its old one; the oldest of too many end. Raise PlayerGone.

    `claims` is a guest that becomes the player's; return whether it did.
    """
    site = site_of(request)
    old = session_of(request)
    forget_cookie(request)
    opened = await site.people.open_session(
        player.id,
        device_label(request),
        site.now(),
        instead_of=old,
        most=site.settings.sessions_per_person,
        came_from=came_from(request),
        claims=claims,
    )
    give_session(request, opened.session, player)
    site.sign_out("session", *opened.ended)
    if old is not None:
        request.scope[_SCOPE_REPLACED] = hashed(old)
    return opened.has_claimed


def forget_cookie(request: HTTPConnection) -> None:
    """From this answer on the browser is nobody's; what it was is no longer believed here."""
    site = site_of(request)
    session = session_of(request)
    if session is not None:
        site.known.pop(hashed(session), None)
    request.scope[_SCOPE_COOKIE] = f"{cookie_name(site.settings)}=; Max-Age=0{cookie_flags(site.settings)}"
    request.scope[SCOPE_PERSON] = None
    request.scope[_SCOPE_SESSION] = None


def csrf_token(connection: HTTPConnection) -> str:
    """The token a page carries in `<meta name="csrf">`; bound to the session, empty without one."""
    session = session_of(connection)
    if session is None:
        return ""
    key = site_of(connection).settings.secret.encode()
    return hmac.digest(key, b"csrf|" + session.encode(), "sha256").hex()[:40]


def came_from(connection: HTTPConnection) -> str:
    """Where somebody comes from, as a session and a ban note it: told apart, but not read back without the secret."""
    site = site_of(connection)
    key = limit_key(site.limits.address_of(connection))
    return hmac.digest(site.settings.secret.encode(), b"from|" + key.encode(), "sha256").hex()[:32]


def device_label(connection: HTTPConnection) -> str:
    """A few words by which people know their device again; no more of the browser is kept."""
    agent = connection.headers.get("user-agent", "")
    called = {"Edg/": "Edge", "OPR/": "Opera", "Mac OS": "Mac"}  # all others by what they say themselves
    browsers = ("Firefox", "Edg/", "OPR/", "Chrome", "Safari")
    systems = ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux")
    browser = next((mark for mark in browsers if mark in agent), "a program")
    system = next((mark for mark in systems if mark in agent), "")
    return " on ".join(called.get(mark, mark) for mark in (browser, system) if mark)


def _signature(settings: Settings, session: str) -> str:
    """So that a made-up cookie never costs a query."""
    return hmac.digest(settings.secret.encode(), b"session|" + session.encode(), "sha256").hex()[:32]


def set_device_cookie(request: HTTPConnection, cookie: str) -> None:
    """Send this Set-Cookie header with the response (known_devices.py)."""
    request.scope[_SCOPE_DEVICE] = cookie


def cookie_flags(settings: Settings) -> str:
    return "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if settings.is_https else "")


class SessionMiddleware:
    """Adds the cookies that a route has made to its response."""

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
            # Once the answer with the new cookie is on its way, other pages of the browser come back with it.
            site_of(HTTPConnection(scope)).sign_out("session", scope[_SCOPE_REPLACED], close=REPLACED)
