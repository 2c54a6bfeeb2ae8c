"""API routes for web push subscriptions and notice preferences, of all games or one."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field
from starlette.requests import Request

from app.notify.outbound import BadUrl, validate_url
from app.notify.webpush import BadKeys, validate_keys
from app.store.people.notice_values import EVENTS, Wishes
from app.store.people.pushes import EndpointTaken
from app.web.api.games import GameId
from app.web.api.models import Body, error_responses
from app.web.auth.identity import KnownPerson, credential_of
from app.web.errors import BadRequest, Conflict, NotAllowed, NotFound
from app.web.i18n import LANGUAGES
from app.web.routing import Router
from app.web.security.buckets import Attempt
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["notices"], responses=error_responses(401, 403, 404, 409, 413, 422))

Language = Annotated[str, Field(pattern=f"^({'|'.join(LANGUAGES)})$")]  # a language of this site
Endpoint = Annotated[str, Field(max_length=1000)]
TimeZone = Annotated[str, Field(max_length=64)]  # of the browser, for deadlines; an unknown one is ignored
MinuteOfDay = Annotated[int, Field(ge=0, lt=1440)]
NoticeEvent = Literal["turn", "time", "table", "invited", "rematch"]
NoticeSwitches = dict[NoticeEvent, bool]


class SubscriptionKeys(Body):
    """The keys with which messages to this browser are encrypted."""

    p256dh: Annotated[str, Field(max_length=100)]
    auth: Annotated[str, Field(max_length=40)]


class Subscription(Body):
    """A subscription as returned by the browser's PushManager or a UnifiedPush distributor."""

    endpoint: Endpoint
    keys: SubscriptionKeys
    key: Annotated[str, Field(max_length=100)] | None = None  # our public key that it was made with
    silent: bool = False  # whether a notice may be withdrawn without showing another
    replaces: Endpoint | None = None
    person: Annotated[str, Field(max_length=32)] | None = None
    """The player who requested notices. Refused if the session now belongs to another player."""
    language: Language | None = None
    zone: TimeZone | None = None


class EndedSubscription(Body):
    """The subscription to end."""

    endpoint: Endpoint


class NoticeWishes(Body):
    """Which notices to send and when. Times are minutes of the day in the given time zone."""

    switches: NoticeSwitches = Field(default_factory=dict)
    zone: Annotated[str, Field(max_length=64)] = "UTC"
    quiet: tuple[MinuteOfDay, MinuteOfDay] | None = None
    digest_at: MinuteOfDay | None = None
    every_channel: bool = False
    language: Language | None = None


class GameNoticeWishes(Body):
    """Notice preferences of one game; empty for the general ones."""

    switches: NoticeSwitches = Field(default_factory=dict)
    language: Language | None = None


@router.get("/me/push")
async def push(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Return the public key for subscriptions, and the current person's subscriptions."""
    site = site_of(request)
    if not site.settings.push:
        return {"push": False, "key": None, "endpoints": []}
    newest = await site.pushes.get_newest_key(site.now())
    return {
        "push": True,
        "key": newest.public,
        "endpoints": [
            {"endpoint": endpoint, "is_current": key == newest.number}
            for endpoint, key in await site.pushes.list_endpoints(person.id)
        ],
    }


@router.post("/me/push")
async def subscribe(request: Request, body: Subscription, person: KnownPerson) -> dict[str, Any]:
    """Subscribe this browser to notices, until it is logged out."""
    site = site_of(request)
    if not site.settings.push:
        raise NotAllowed("no_push", "This server does not send notifications to browsers.")
    limits = site.limits
    limits.take_write(person.id)
    if body.person is not None and not person.owns(body.person):
        raise Conflict("endpoint_taken", "You are now logged in as another player. Subscribe again.")
    Attempt(
        (limits.subscriptions, person.id, 1.0),
        (limits.subscriptions_by_address, limits.key_of(request), 1.0),
    )
    try:
        endpoint = validate_url(
            body.endpoint, allow_private=site.settings.webhook_private, max_length=1000, what="A push service"
        )
        validate_keys(body.keys.p256dh, body.keys.auth)
    except BadUrl as problem:
        raise BadRequest("bad_endpoint", str(problem)) from None
    except BadKeys:
        raise BadRequest("bad_keys", "Those are not valid browser keys.") from None
    keys = await site.pushes.list_keys() or [await site.pushes.get_newest_key(site.now())]
    number = next((key.number for key in keys if key.public == body.key), keys[-1].number)
    session = credential_of(request)
    assert session is not None  # programs are refused earlier
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
            zone=find_zone(body.zone),
            now=site.now(),
        )
    except EndpointTaken:
        raise Conflict(
            "endpoint_taken", "Notifications there belong to another player. Subscribe again."
        ) from None
    return {}


@router.post("/me/push/end")
async def unsubscribe(request: Request, body: EndedSubscription, person: KnownPerson) -> dict[str, Any]:
    """End this browser's subscription."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.pushes.unsubscribe(person.id, body.endpoint)
    return {}


@router.put("/me/notices/wishes")
async def set_wishes(request: Request, body: NoticeWishes, person: KnownPerson) -> dict[str, Any]:
    """Set which notices the current person receives, when, and on how many channels (push, e-mail, webhook)."""
    site = site_of(request)
    site.limits.take_write(person.id)
    if find_zone(body.zone) is None:
        raise BadRequest("bad_zone", "That time zone is not known.")
    wishes = Wishes(
        switches={str(event): on for event, on in body.switches.items()},
        zone=body.zone,
        quiet=body.quiet,
        digest_at=body.digest_at,
        every_channel=body.every_channel,
    )
    await site.notices.save_wishes(person.id, wishes, body.language, site.now())
    return wishes_json(wishes)


@router.get("/me/notices/games/{game}")
async def of_game(request: Request, game: GameId, person: KnownPerson) -> dict[str, Any]:
    """Return the notice preferences of this game that differ from the general ones, and the effective ones."""
    site = site_of(request)
    notice = await site.notices.read_settings(person.id)
    switches = await site.notices.read_game_switches(person.id, game)
    return {
        "switches": switches,
        "effective": {**wishes_json(notice.wishes)["switches"], **switches},
    }


@router.put("/me/notices/games/{game}")
async def set_of_game(
    request: Request, game: GameId, body: GameNoticeWishes, person: KnownPerson
) -> dict[str, Any]:
    """Set the notice preferences of a game in which the current person has a seat."""
    site = site_of(request)
    site.limits.take_write(person.id)
    if not await site.notices.is_seated(person.id, game):
        raise NotFound("You do not have a seat at that table.")
    await site.notices.save_game_switches(
        person.id, game, {str(event): on for event, on in body.switches.items()}, body.language, site.now()
    )
    return {"switches": body.switches}


def find_zone(name: str | None) -> str | None:
    """Return the name of a time zone; None if this server does not know it."""
    try:
        return ZoneInfo(name).key if name is not None else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def wishes_json(wishes: Wishes) -> dict[str, Any]:
    """Return notice preferences as their owner sees them."""
    return {
        "switches": {event: wishes.switches.get(event, True) for event in EVENTS},
        "zone": wishes.zone,
        "quiet": wishes.quiet,
        "digest_at": wishes.digest_at,
        "every_channel": wishes.every_channel,
    }
