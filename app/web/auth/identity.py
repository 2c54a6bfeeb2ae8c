"""Who somebody is: a signed HttpOnly cookie that names a session, or a program's bearer token.

    person = await current_person(connection)   # Person, or None; sockets and reads use this
    person = await person_or_guest(request)      # makes a guest with a suggested name; for join and create
    person = await known_person(request)        # raises NobodyKnown (401)

A cookie that was made on the way leaves with the answer by itself (`SessionMiddleware`), so that
every route, page or API, can call `person_or_guest`. A request with an Authorization header is a
program: its cookies are not looked at, so no other site can make a browser write with them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection, Request

from app.store.people.players import LoginTaken, Player, hashed
from app.web.auth import names
from app.web.auth.sessions import SCOPE_PERSON, came_from, device_label, give_session, session_of
from app.web.auth.suggestions import suggest
from app.web.errors import NobodyKnown, NotAllowed
from app.web.i18n import language_of
from app.web.site import Site, site_of

_CACHE_SECONDS = 5.0  # how long another worker may still believe a session that was closed
_CACHE_SIZE = 20_000
_PLAYING = ("/api/v1/games", "/api/v1/quick")  # all that a program may write
_PRIVATE = ("/api/v1/me/data", "/api/v1/me/notices", "/api/v1/me/push")  # what it may not even read


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at the server. Compare seats with `owns`, not with `id`: an account owns its guests' seats."""

    id: str
    name: str
    is_account: bool = False
    is_bot: bool = False
    aliases: tuple[str, ...] = ()

    @classmethod
    def of(cls, player: Player) -> Person:
        return cls(player.id, player.name, player.is_account, player.is_bot, player.aliases)

    @property
    def ids(self) -> tuple[str, ...]:
        """Every player id that this person has played under."""
        return (self.id, *self.aliases)

    def owns(self, player: str | None) -> bool:
        """Whether a seat taken by `player` is this person's."""
        return player is not None and (player == self.id or player in self.aliases)


async def current_person(connection: HTTPConnection) -> Person | None:
    """The person behind a request or a socket handshake; None when nobody is known yet."""
    scope = connection.scope
    if SCOPE_PERSON in scope:
        return _as_person(scope[SCOPE_PERSON])
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
    scope[SCOPE_PERSON] = player
    if player is not None:
        site.shares.note(player, site.limits.address_of(connection))
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


async def known_person(request: HTTPConnection) -> Person:
    """The person behind a request; raises NobodyKnown."""
    person = await current_person(request)
    if person is None:
        raise NobodyKnown
    return person


async def person_or_guest(request: Request) -> Person:
    """The person behind a request; a new guest with a suggested name when there is none."""
    person = await current_person(request)
    if person is not None:
        return person
    if "authorization" in request.headers:
        raise NobodyKnown  # a program with a wrong token must not become somebody else in silence
    return await make_guest(request, None)


async def make_guest(request: Request, name: str | None) -> Person:
    """A new guest, limited by address; `name` was checked by the caller, None takes a suggestion.

    Raises LoginTaken where somebody has that name.
    """
    site = site_of(request)
    site.bans.check_newcomer(came_from(request))
    taken = site.limits.take_guest(request)
    for attempt in range(5):
        chosen = name if name is not None else await free_suggestion(request)
        try:
            player, session = await site.people.add_guest(
                names.named(chosen), device_label(request), site.now(), came_from=came_from(request)
            )
            break
        except LoginTaken:  # somebody was given the same suggestion at the same moment
            if name is not None or attempt == 4:
                taken.give_back()
                raise
    give_session(request, session, player)
    _remember(site, hashed(session), player)  # what follows at once need not ask the store for it
    site.shares.note(player, site.limits.address_of(request))
    return Person.of(player)


async def free_suggestion(connection: HTTPConnection) -> str:
    """A suggested name that nobody about has, in the reader's language; a number follows when the sea is crowded."""
    site = site_of(connection)
    language = language_of(connection)
    for attempt in range(12):
        name = suggest(site.chance, language)
        if attempt >= 4:
            name = f"{name} {site.chance.randrange(2, 10 ** (attempt - 2))}"[: names.LONGEST_NAME].rstrip()
        if not await site.people.is_taken(names.named(name), site.now()):
            return name
    return f"Castaway {site.chance.randrange(10**9, 10**10)}"


MaybePerson = Annotated[Person | None, Depends(current_person)]
KnownPerson = Annotated[Person, Depends(known_person)]
PersonOrGuest = Annotated[Person, Depends(person_or_guest)]


# -- finding the player -----------------------------------------------------------------------------


def _as_person(player: Player | None) -> Person | None:
    if player is None:
        return None
    if player.is_banned:
        raise NotAllowed("banned", "You have been shut out of this server by its operator.")
    return Person.of(player)


async def _by_session(connection: HTTPConnection, session: str) -> Player | None:
    """Asked again at most every few seconds, so that a stream of requests costs one query."""
    site = site_of(connection)
    oldest = site.now() - site.settings.session_days * 86400
    return await _found(
        site,
        hashed(session),
        lambda: site.people.by_session(session, site.now(), oldest, came_from(connection)),
    )


async def _by_token(site: Site, token: str) -> Player | None:
    return await _found(site, hashed(token), lambda: site.people.by_token(token, site.now()))


async def _found(site: Site, key: str, ask: Callable[[], Awaitable[Player | None]]) -> Player | None:
    found = site.known.get(key)
    if found is not None and found[1] > site.clock():
        return found[0]
    while True:
        with site.looking_up() as changed:
            player = await ask()
        # Signed out, banned or renamed while the store answered: it is asked again.
        if changed.isdisjoint((key,) if player is None else (key, player.id, *player.aliases)):
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
