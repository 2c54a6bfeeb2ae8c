"""Web push over the API: this browser's subscription; what somebody wants to hear, of all games or one; inviting."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field
from starlette.requests import Request

from app.notify.outbound import BadUrl, checked_url
from app.notify.ports import EVENTS, Wishes
from app.notify.webpush import BadKeys, checked_keys
from app.store.people.pushes import EndpointTaken
from app.web.api.games import GameId
from app.web.api.models import Body, responses
from app.web.auth.identity import KnownPerson, credential_of
from app.web.errors import BadRequest, Conflict, NotAllowed, NotFound
from app.web.i18n import LANGUAGES
from app.web.routing import Router
from app.web.security.buckets import Attempt
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["notices"], responses=responses(401, 403, 404, 409, 413, 422))

Language = Annotated[str, Field(pattern=f"^({'|'.join(LANGUAGES)})$")]  # one that this site speaks
Endpoint = Annotated[str, Field(max_length=1000)]
Minute = Annotated[int, Field(ge=0, lt=1440)]
Event = Literal["turn", "time", "table", "invited", "rematch"]
Switches = dict[Event, bool]


class Keys(Body):
    """What a message for this browser is encrypted with."""

    p256dh: Annotated[str, Field(max_length=100)]
    auth: Annotated[str, Field(max_length=40)]


class Subscription(Body):
    """As the browser's PushManager (or a UnifiedPush distributor) gave it."""

    endpoint: Endpoint
    keys: Keys
    key: Annotated[str, Field(max_length=100)] | None = None  # ours, that it subscribed with
    silent: bool = False  # whether a notice may be taken back without showing another
    replaces: Endpoint | None = None
    language: Language | None = None


class Ended(Body):
    """Which browser is told nothing any more."""

    endpoint: Endpoint


class Wanted(Body):
    """What I want to hear and when; minutes of the day are those of the time zone."""

    switches: Switches = Field(default_factory=dict)
    zone: Annotated[str, Field(max_length=64)] = "UTC"
    quiet: tuple[Minute, Minute] | None = None
    digest_at: Minute | None = None
    every_channel: bool = False
    language: Language | None = None


class OfGame(Body):
    """For one game; empty: as everywhere."""

    switches: Switches = Field(default_factory=dict)
    language: Language | None = None


class Invited(Body):
    """A person with whom I have finished a game."""

    player: Annotated[str, Field(max_length=32)]


def _check_open(site: Site) -> None:
    if not site.settings.push:
        raise NotAllowed("no_push", "This server sends no notices to browsers.")


@router.get("/me/push")
async def push(request: Request, person: KnownPerson) -> dict[str, Any]:
    """The key to subscribe with, and where I am told."""
    site = site_of(request)
    if not site.settings.push:
        return {"push": False, "key": None, "endpoints": []}
    newest = await site.pushes.newest_key(site.now())
    return {
        "push": True,
        "key": newest.public,
        "endpoints": [
            {"endpoint": endpoint, "is_current": key == newest.number}
            for endpoint, key in await site.pushes.endpoints(person.id)
        ],
    }


@router.post("/me/push")
async def subscribe(request: Request, body: Subscription, person: KnownPerson) -> dict[str, Any]:
    """This browser is told from now on, until it is logged out."""
    site = site_of(request)
    _check_open(site)
    limits = site.limits
    limits.take_write(person.id)
    Attempt(
        (limits.subscriptions, person.id, 1.0),
        (limits.subscriptions_by_address, limits.key_of(request), 1.0),
    )
    try:
        endpoint = checked_url(
            body.endpoint, private=site.settings.webhook_private, longest=1000, what="A push service"
        )
        checked_keys(body.keys.p256dh, body.keys.auth)
    except BadUrl as problem:
        raise BadRequest("bad_endpoint", str(problem)) from None
    except BadKeys:
        raise BadRequest("bad_keys", "Those are not the keys of a browser.") from None
    keys = await site.pushes.keys() or [await site.pushes.newest_key(site.now())]
    number = next((key.number for key in keys if key.public == body.key), keys[-1].number)
    session = credential_of(request)
    assert session is not None  # a program is refused before it comes here
    if body.replaces is not None:
        await site.pushes.unsubscribe(person.id, body.replaces)
    try:
        await site.pushes.subscribe(
            person.id,
            session,
            endpoint=endpoint,
            p256dh=body.keys.p256dh,
            auth=body.keys.auth,
            key=number,
            takes_silent=body.silent,
            language=body.language,
            now=site.now(),
        )
    except EndpointTaken:
        raise Conflict("endpoint_taken", "Somebody else is told there. Subscribe anew.") from None
    return {}


@router.post("/me/push/end")
async def unsubscribe(request: Request, body: Ended, person: KnownPerson) -> dict[str, Any]:
    """This browser is told nothing any more."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.pushes.unsubscribe(person.id, body.endpoint)
    return {}


@router.put("/me/notices/wishes")
async def set_wishes(request: Request, body: Wanted, person: KnownPerson) -> dict[str, Any]:
    """What I want to hear, when, and on how many channels; the same for push, e-mail and webhook."""
    site = site_of(request)
    site.limits.take_write(person.id)
    try:
        ZoneInfo(body.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadRequest("bad_zone", "That time zone is not known here.") from None
    wishes = Wishes(
        switches={str(event): on for event, on in body.switches.items()},
        zone=body.zone,
        quiet=body.quiet,
        digest_at=body.digest_at,
        every_channel=body.every_channel,
    )
    await site.notices.set_wishes(person.id, wishes, body.language, site.now())
    return shown(wishes)


@router.get("/me/notices/games/{game}")
async def of_game(request: Request, game: GameId, person: KnownPerson) -> dict[str, Any]:
    """What I want to hear of this game, where that differs from what I want to hear of all; and both together."""
    site = site_of(request)
    notice = await site.notices.notice(person.id)
    switches = await site.notices.game_switches(person.id, game)
    return {
        "switches": switches,
        "effective": {**shown(notice.wishes if notice else Wishes())["switches"], **switches},
    }


@router.put("/me/notices/games/{game}")
async def set_of_game(request: Request, game: GameId, body: OfGame, person: KnownPerson) -> dict[str, Any]:
    """Changes it, for a table at which I sit."""
    site = site_of(request)
    site.limits.take_write(person.id)
    if not await site.notices.sits(person.id, game):
        raise NotFound("You do not sit at that table.")
    await site.notices.set_game_switches(
        person.id, game, {str(event): on for event, on in body.switches.items()}, body.language, site.now()
    )
    return {"switches": body.switches}


@router.post("/games/{game}/invitations")
async def invite(request: Request, game: GameId, body: Invited, person: KnownPerson) -> dict[str, Any]:
    """Invite a person with whom I have finished a game to a table at which I sit."""
    site = site_of(request)
    site.limits.take_write(person.id)
    site.limits.invitations.take(person.id)
    if not await site.notices.sits(person.id, game, status="open"):
        raise NotFound("You do not sit at an open table of that name.")
    if person.owns(body.player) or not await site.notices.have_finished_together(person.id, body.player):
        raise NotAllowed("not_played_together", "You can invite only players you have finished a game with.")
    invited = await site.people.player(body.player, site.now())
    if invited is None:
        raise NotFound("There is no such player.")
    if await site.social.is_blocked(person.ids, [body.player]):
        return {}  # they hear nothing of me, and I nothing of that
    if not await site.notices.invite(game, invited.id, person.id, site.now()):
        raise Conflict("too_many_invitations", "Enough people were invited to this table.")
    return {}


def shown(wishes: Wishes) -> dict[str, Any]:
    """Wishes as their owner sees them."""
    return {
        "switches": {event: wishes.switches.get(event, True) for event in EVENTS},
        "zone": wishes.zone,
        "quiet": wishes.quiet,
        "digest_at": wishes.digest_at,
        "every_channel": wishes.every_channel,
    }
