"""API routes for the current person: their identity, name and devices."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import HTTPConnection, Request

from app.store.people.players import LoginTaken, Player
from app.web.api.models import Body, error_responses
from app.web.auth import names
from app.web.auth.identity import (
    KnownPerson,
    MaybePerson,
    current_person,
    free_suggestion,
    make_guest,
)
from app.web.auth.sessions import csrf_token, session_of
from app.web.errors import Conflict
from app.web.routing import WAIT_FOR_ADMISSION, Router
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["people"], responses=error_responses(401, 403, 409, 413, 422))

Name = Annotated[str, Field(max_length=200, examples=["Salty Pelican"])]


class NameBody(Body):
    """The new name; if omitted, a suggestion."""

    name: Name | None = None


def person_json(person: Player) -> dict[str, Any]:
    """Return a person as their own browser sees them."""
    return {"id": person.id, "name": person.name, "is_account": person.is_account}


def identity_json(request: HTTPConnection, person: Player, **more: Any) -> dict[str, Any]:
    """Return the usual answer after a change of identity: the person, and the CSRF token for the next write."""
    return {"person": person_json(person), "csrf": csrf_token(request), **more}


async def validate_free_name(site: Site, text: str, but: str | None) -> str:
    """Return a valid name that is free. Raise BadRequest or Conflict. `but` is a player who may have it."""
    name = names.validate_name(text)
    if await site.people.is_name_taken(names.make_name(name), site.now(), but):
        raise _name_taken()
    return name


def _name_taken() -> Conflict:
    return Conflict("name_taken", "Someone already has that name, or one that looks like it. Choose another.")


@router.get("/me")
async def me(request: Request, person: MaybePerson) -> dict[str, Any]:
    """Return the current person; without one, a suggested name."""
    site = site_of(request)
    return {
        "person": person_json(person) if person else None,
        "suggested": None if person else await free_suggestion(request),
        "csrf": csrf_token(request),
        "mail": bool(site.settings.smtp_host),
        "webhooks": site.settings.calls_webhooks,
    }


@router.post("/me", dependencies=[WAIT_FOR_ADMISSION])
async def choose_name(request: Request, body: NameBody) -> dict[str, Any]:
    """Create a guest, or change the current person's name."""
    site = site_of(request)
    person = await current_person(request)
    if person is None:
        name = None if body.name is None else names.validate_name(body.name)
        try:
            return identity_json(request, await make_guest(request, name))
        except LoginTaken:
            raise _name_taken() from None
    site.limits.take_write(person.id)
    if body.name is not None and body.name != person.name:
        name = await validate_free_name(site, body.name, person.id)
        try:
            await site.people.rename(person.id, names.make_name(name), site.now())
        except LoginTaken:
            raise _name_taken() from None
        site.rename(*person.ids, name=name)
        person = replace(person, name=name)
    return identity_json(request, person)


@router.get("/me/devices")
async def devices(request: Request, person: KnownPerson) -> dict[str, Any]:
    """List the devices that the current person is logged in on."""
    site = site_of(request)
    rows = await site.people.list_devices(person.id, session_of(request))
    return {
        "devices": [
            {"id": row[0], "label": row[1], "seen_at": row[2] * 1000, "is_this": row[3]} for row in rows
        ]
    }
