"""Who somebody is: a signed HttpOnly cookie that names a session, or a program's bearer token.

    person = await who(connection)            # Person, or None; sockets and reads use this
    person = await who_or_guest(request)      # makes a guest with a suggested name; for join and create
    person = await someone(request)           # raises NobodyKnown (401)

A cookie that was made on the way leaves with the answer by itself (`IdentityMiddleware`), so that
every route, page or API, can call `who_or_guest`. A request with an Authorization header is a
program: its cookies are not looked at, so no other site can make a browser write with them.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from fastapi import Depends
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.settings import Settings
from app.store.people.players import LoginTaken, Player, hashed
from app.web.auth import names
from app.web.errors import NobodyKnown, NotAllowed
from app.web.security.address import limit_key
from app.web.site import Site, site_of
from app.web.ws.open_sockets import REPLACED

__all__ = [
    "Anyone",
    "IdentityMiddleware",
    "Person",
    "Someone",
    "SomeoneOrGuest",
    "came_from",
    "cookie_name",
    "credential_of",
    "csrf_token",
    "device_label",
    "forget_cookie",
    "free_suggestion",
    "give_session",
    "make_guest",
    "session_of",
    "someone",
    "start_session",
    "who",
    "who_or_guest",
]

_SCOPE_PERSON = "cartagena.person"
_SCOPE_COOKIE = "cartagena.cookie"
_SCOPE_SESSION = "cartagena.session"
_SCOPE_REPLACED = "cartagena.replaced"
_CACHE_SECONDS = 5.0  # how long another worker may still believe a session that was closed
_CACHE_SIZE = 20_000
_PLAYING = ("/api/v1/games", "/api/v1/quick")  # all that a program may write
_PRIVATE = ("/api/v1/me/data", "/api/v1/me/notices")  # what it may not even read


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at the server. Compare seats with `owns`, not with `id`: an account owns its guests' seats."""

    id: str
    name: str
    is_account: bool = False
    is_bot: bool = False
    aliases: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Every player id that this person has played under."""
        return (self.id, *self.aliases)

    def owns(self, player: str | None) -> bool:
        """Whether a seat taken by `player` is this person's."""
        return player is not None and (player == self.id or player in self.aliases)


async def who(connection: HTTPConnection) -> Person | None:
    """The person behind a request or a socket handshake; None when nobody is known yet."""
    scope = connection.scope
    if _SCOPE_PERSON in scope:
        return _as_person(scope[_SCOPE_PERSON])
    site = site_of(connection)
    player: Player | None = None
    if "authorization" in connection.headers:
        token = _token_of(connection)
        if token is not None:
            player = await _by_token(site, token)
        if player is not None:
            _check_program(connection)
    else:
        session = session_of(connection)
        if session is not None:
            player = await _by_session(connection, session)
    scope[_SCOPE_PERSON] = player
    return _as_person(player)


def _check_program(connection: HTTPConnection) -> None:
    """A token is for playing and reading; it may stand in a program's files. Raises NotAllowed for all else."""
    path, method = connection.scope["path"], connection.scope.get("method", "GET")
    is_write = method not in ("GET", "HEAD", "OPTIONS") and path.startswith("/api/")
    if path.startswith(_PRIVATE) or (is_write and not path.startswith(_PLAYING)):
        raise NotAllowed("not_by_token", "A program cannot do this; do it in your browser.")


def credential_of(connection: HTTPConnection) -> str | None:
    """What a connection says who it is by, as the store keeps it: the hash of a session or of a token."""
    secret = _token_of(connection) if "authorization" in connection.headers else session_of(connection)
    return hashed(secret) if secret is not None else None


def _token_of(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def someone(request: HTTPConnection) -> Person:
    """The person behind a request; raises NobodyKnown."""
    person = await who(request)
    if person is None:
        raise NobodyKnown
    return person


async def who_or_guest(request: Request) -> Person:
    """The person behind a request; a new guest with a suggested name when there is none."""
    person = await who(request)
    if person is not None:
        return person
    if "authorization" in request.headers:
        raise NobodyKnown  # a program with a wrong token must not become somebody else in silence
    return await make_guest(request, None)


async def make_guest(request: Request, name: str | None) -> Person:
    """A new guest, limited by address; `name` was checked by the caller, None takes a suggestion."""
    site = site_of(request)
    site.bans.check_newcomer(came_from(request))
    site.limits.take_guest(request)
    for attempt in range(5):
        chosen = name if name is not None else await free_suggestion(site)
        try:
            player, session = await site.people.add_guest(
                names.named(chosen), device_label(request), site.now(), came_from=came_from(request)
            )
            break
        except LoginTaken:  # somebody was given the same suggestion at the same moment
            if name is not None or attempt == 4:
                raise
    give_session(request, session, player)
    return Person(player.id, player.name)


async def free_suggestion(site: Site) -> str:
    """A suggested name that nobody about has; a number follows when the sea is crowded."""
    for attempt in range(12):
        name = names.suggest(site.chance)
        if attempt >= 4:
            name = f"{name} {site.chance.randrange(2, 10 ** (attempt - 2))}"[: names.LONGEST_NAME].rstrip()
        if not await site.people.is_taken(names.named(name), site.now()):
            return name
    return f"Castaway {site.chance.randrange(10**9, 10**10)}"


Anyone = Annotated[Person | None, Depends(who)]
Someone = Annotated[Person, Depends(someone)]
SomeoneOrGuest = Annotated[Person, Depends(who_or_guest)]


# -- the cookie ------------------------------------------------------------------------------------


def cookie_name(settings: Settings) -> str:
    """Over TLS the `__Host-` name keeps sister sites from planting a cookie here."""
    return "__Host-cartagena" if settings.is_https else "cartagena"


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
        f"{cookie_name(site.settings)}={value}; Max-Age={age}{_flags(site.settings)}"
    )
    request.scope[_SCOPE_PERSON] = player
    request.scope[_SCOPE_SESSION] = session


async def start_session(request: HTTPConnection, player: Player) -> None:
    """A fresh session instead of whatever this browser had. The oldest of too many end."""
    site = site_of(request)
    old = session_of(request)
    forget_cookie(request)
    session, ended = await site.people.open_session(
        player.id,
        device_label(request),
        site.now(),
        instead_of=old,
        most=site.settings.sessions_per_person,
        came_from=came_from(request),
    )
    give_session(request, session, player)
    site.sign_out("session", *ended)
    if old is not None:
        request.scope[_SCOPE_REPLACED] = hashed(old)


def forget_cookie(request: HTTPConnection) -> None:
    """From this answer on the browser is nobody's; what it was is no longer believed here."""
    site = site_of(request)
    session = session_of(request)
    if session is not None:
        site.known.pop(hashed(session), None)
    request.scope[_SCOPE_COOKIE] = f"{cookie_name(site.settings)}=; Max-Age=0{_flags(site.settings)}"
    request.scope[_SCOPE_PERSON] = None
    request.scope[_SCOPE_SESSION] = None


def csrf_token(connection: HTTPConnection) -> str:
    """The token a page carries in `<meta name="csrf">`; bound to the session, empty without one."""
    session = session_of(connection)
    if session is None:
        return ""
    key = site_of(connection).settings.secret.encode()
    return hmac.new(key, b"csrf|" + session.encode(), hashlib.sha256).hexdigest()[:40]


def came_from(connection: HTTPConnection) -> str:
    """Where somebody comes from, as a session and a ban note it: told apart, but not read back without the secret."""
    site = site_of(connection)
    key = limit_key(site.limits.address_of(connection))
    return hmac.new(site.settings.secret.encode(), b"from|" + key.encode(), hashlib.sha256).hexdigest()[:32]


def device_label(connection: HTTPConnection) -> str:
    """A few words by which people know their device again; no more of the browser is kept."""
    agent = connection.headers.get("user-agent", "")
    browsers = (
        ("Firefox", "Firefox"),
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Chrome", "Chrome"),
        ("Safari", "Safari"),
    )
    systems = (
        ("Android", "Android"),
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Windows", "Windows"),
        ("Mac OS", "Mac"),
    )
    browser = next((label for mark, label in browsers if mark in agent), "a program")
    system = next((label for mark, label in (*systems, ("Linux", "Linux")) if mark in agent), "")
    return f"{browser} on {system}" if system else browser


def _signature(settings: Settings, session: str) -> str:
    """So that a made-up cookie never costs a query."""
    return hmac.new(settings.secret.encode(), b"session|" + session.encode(), hashlib.sha256).hexdigest()[:32]


def _flags(settings: Settings) -> str:
    return "; Path=/; HttpOnly; SameSite=Lax" + ("; Secure" if settings.is_https else "")


class IdentityMiddleware:
    """Adds the cookie that a route has made on the way to whatever answer it gives."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and _SCOPE_COOKIE in scope:
                headers = MutableHeaders(scope=message)
                headers.append("set-cookie", scope[_SCOPE_COOKIE])
                headers["cache-control"] = "no-store"
            await send(message)

        await self.app(scope, receive, send_with_cookie)
        if _SCOPE_REPLACED in scope:
            # Once the answer with the new cookie is on its way, other pages of the browser come back with it.
            site_of(HTTPConnection(scope)).sign_out("session", scope[_SCOPE_REPLACED], close=REPLACED)


# -- looking up ------------------------------------------------------------------------------------


def _as_person(player: Player | None) -> Person | None:
    if player is None:
        return None
    if player.is_banned:
        raise NotAllowed("banned", "You have been shut out of this server by its operator.")
    return Person(player.id, player.name, player.is_account, player.is_bot, player.aliases)


async def _by_session(connection: HTTPConnection, session: str) -> Player | None:
    """Asked again at most every few seconds, so that a stream of requests costs one query."""
    site, key = site_of(connection), hashed(session)
    found = site.known.get(key)
    if found is not None and found[1] > site.clock():
        return found[0]
    now = site.now()
    oldest = now - site.settings.session_days * 86400
    player = await site.people.by_session(session, now, oldest, came_from(connection))
    _remember(site, key, player)
    return player


async def _by_token(site: Site, token: str) -> Player | None:
    key = hashed(token)
    found = site.known.get(key)
    if found is not None and found[1] > site.clock():
        return found[0]
    player = await site.people.by_token(token, site.now())
    _remember(site, key, player)
    return player


def _remember(site: Site, key: str, player: Player | None) -> None:
    """For a few seconds. Those who were remembered before that are forgotten, not kept for as long as it runs."""
    known, now = site.known, site.clock()
    known.pop(key, None)  # so that the oldest stand first
    past = list(takewhile(lambda old: known[old][1] <= now, known))
    for old in past:
        del known[old]
    if len(known) >= _CACHE_SIZE:
        known.clear()
    if player is not None:
        known[key] = (player, now + _CACHE_SECONDS)
