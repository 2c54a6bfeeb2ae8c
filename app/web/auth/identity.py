"""The person behind a request: from a signed HttpOnly session cookie, or from a program's bearer token.

    person = await current_person(connection)   # Player or None; for sockets and reads
    person = await person_or_guest(request)     # creates a guest with a suggested name; for join and create
    person = await known_person(request)        # raises IdentityRequired (401)

`SessionMiddleware` sends a new session's cookie with the response, so any route can call `person_or_guest`. A request
with an Authorization header comes from a program. Its cookies are ignored, so that no other site can make a browser
write with them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import takewhile
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection, Request

from app.store.people.players import LoginTaken, Player, hash_secret
from app.web.auth import names
from app.web.auth.sessions import SCOPE_PERSON, device_label, network_digest, session_of, set_session_cookie
from app.web.auth.suggestions import suggest_name
from app.web.errors import IdentityRequired, NotAllowed
from app.web.i18n import language_of
from app.web.site import Site, site_of

_CACHE_SECONDS = 5.0  # how long another worker may accept a session that was closed
_CACHE_SIZE = 20_000
_PROGRAM_WRITE_PATHS = ("/api/v1/games", "/api/v1/quick")  # the only paths that a program may write to
_PROGRAM_HIDDEN_PATHS = (
    "/api/v1/me/data",
    "/api/v1/me/notices",
    "/api/v1/me/push",
    "/api/v1/me/visibility",
    "/api/v1/friends",
    "/api/v1/notes",
)  # paths that a program may not even read


async def current_person(connection: HTTPConnection) -> Player | None:
    """Return the person behind a request or socket handshake; None if there is no valid session or token."""
    scope = connection.scope
    if SCOPE_PERSON in scope:
        return _check_admitted(scope[SCOPE_PERSON])
    site = site_of(connection)
    player: Player | None = None
    if "authorization" in connection.headers:
        token = _token_of(connection)
        if token is not None:
            player = await _find_by_token(site, token)
        if player is not None:
            _check_program(connection)
    else:
        session = session_of(connection)
        if session is not None:
            player = await _find_by_session(connection, session)
    scope[SCOPE_PERSON] = player
    if player is not None:
        site.shares.note_request(player, site.limits.address_of(connection))
    account = visible_account(connection, _check_admitted(player))
    if account is not None:
        site.online.note_request(account)
    return player


def visible_account(connection: HTTPConnection, player: Player | None) -> str | None:
    """Return the account that this connection shows to be online; a program's does not."""
    is_person = player is not None and player.is_account and "authorization" not in connection.headers
    return player.id if player is not None and is_person else None


def _check_program(connection: HTTPConnection) -> None:
    """Raise NotAllowed unless a program may send this request: its token, stored in a file, only plays and reads."""
    path, method = connection.scope["path"], connection.scope.get("method", "GET")
    is_write = method not in ("GET", "HEAD", "OPTIONS") and path.startswith("/api/")
    if path.startswith(_PROGRAM_HIDDEN_PATHS) or (is_write and not path.startswith(_PROGRAM_WRITE_PATHS)):
        raise NotAllowed("not_by_token", "A program cannot do this; do it in your browser.")


def credential_of(connection: HTTPConnection) -> str | None:
    """Return the hash of a connection's session or token, as stored in the database."""
    secret = _token_of(connection) if "authorization" in connection.headers else session_of(connection)
    return hash_secret(secret) if secret is not None else None


def _token_of(connection: HTTPConnection) -> str | None:
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


async def known_person(request: HTTPConnection) -> Player:
    """Return the person behind a request. Raise IdentityRequired if there is none."""
    person = await current_person(request)
    if person is None:
        raise IdentityRequired
    return person


async def person_or_guest(request: Request) -> Player:
    """Return the person behind a request, or a new guest with a suggested name."""
    person = await current_person(request)
    if person is not None:
        return person
    if "authorization" in request.headers:
        raise IdentityRequired  # a program with a wrong token must not silently become a guest
    return await make_guest(request, None)


async def make_guest(request: Request, name: str | None) -> Player:
    """Create a guest, limited by address. `name` must be valid; None uses a suggestion.

    Raise LoginTaken if the name is taken.
    """
    site = site_of(request)
    site.bans.check_newcomer(network_digest(request))
    taken = site.limits.take_guest(request)
    for attempt in range(5):
        chosen = name if name is not None else await free_suggestion(request)
        try:
            player, session = await site.people.add_guest(
                names.make_name(chosen), device_label(request), site.now(), came_from=network_digest(request)
            )
            break
        except LoginTaken:  # another guest got the same suggestion at the same moment
            if name is not None or attempt == 4:
                taken.give_back()
                raise
    set_session_cookie(request, session, player)
    _cache_player(site, hash_secret(session), player)  # saves a query for the requests that follow at once
    site.shares.note_request(player, site.limits.address_of(request))
    return player


async def free_suggestion(connection: HTTPConnection) -> str:
    """Return a suggested name that is free, in the reader's language; with a number if many are taken."""
    site = site_of(connection)
    language = language_of(connection)
    for attempt in range(12):
        name = suggest_name(site.chance, language)
        if attempt >= 4:
            name = f"{name} {site.chance.randrange(2, 10 ** (attempt - 2))}"[: names.MAX_NAME_LENGTH].rstrip()
        if not await site.people.is_name_taken(names.make_name(name), site.now()):
            return name
    return f"Castaway {site.chance.randrange(10**9, 10**10)}"


MaybePerson = Annotated[Player | None, Depends(current_person)]
KnownPerson = Annotated[Player, Depends(known_person)]
PersonOrGuest = Annotated[Player, Depends(person_or_guest)]


# -- finding the player -----------------------------------------------------------------------------


def check_not_banned(player: Player) -> None:
    """Raise NotAllowed if the operator has banned this player."""
    if player.is_banned:
        raise NotAllowed("banned", "The operator of this server has banned you.")


def _check_admitted(player: Player | None) -> Player | None:
    if player is not None:
        check_not_banned(player)
    return player


async def _find_by_session(connection: HTTPConnection, session: str) -> Player | None:
    """Find a session's player; cached for a few seconds, so that a stream of requests costs one query."""
    site = site_of(connection)
    oldest = site.now() - site.settings.session_days * 86400
    return await _look_up(
        site,
        hash_secret(session),
        lambda: site.people.find_by_session(session, site.now(), oldest, network_digest(connection)),
    )


async def _find_by_token(site: Site, token: str) -> Player | None:
    return await _look_up(site, hash_secret(token), lambda: site.people.find_by_token(token, site.now()))


async def _look_up(site: Site, key: str, ask: Callable[[], Awaitable[Player | None]]) -> Player | None:
    found = site.player_cache.get(key)
    if found is not None and found[1] > site.clock():
        return found[0]
    while True:
        with site.tracking_changes() as changed:
            player = await ask()
        # Signed out, banned or renamed during the query: repeat it.
        if changed.isdisjoint((key,) if player is None else (key, *player.ids)):
            _cache_player(site, key, player)
            return player


def _cache_player(site: Site, key: str, player: Player | None) -> None:
    """Cache a player for a few seconds, and remove expired entries."""
    known, now = site.player_cache, site.clock()
    known.pop(key, None)  # so that the oldest come first
    expired = list(takewhile(lambda old: known[old][1] <= now, known))
    for old in expired:
        del known[old]
    if len(known) >= _CACHE_SIZE:
        known.clear()
    if player is not None:
        known[key] = (player, now + _CACHE_SECONDS)
