"""Who I am over the API: choose or change a name, see my devices."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import HTTPConnection, Request

from app.store.people.players import LoginTaken
from app.web.api.models import Body, responses
from app.web.auth import names
from app.web.auth.identity import (
    KnownPerson,
    MaybePerson,
    Person,
    current_person,
    free_suggestion,
    make_guest,
)
from app.web.auth.sessions import csrf_token, session_of
from app.web.errors import Conflict
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["people"], responses=responses(401, 403, 409, 413, 422))

Name = Annotated[str, Field(max_length=200, examples=["Salty Pelican"])]


class NameBody(Body):
    """The name I want; left out: the suggestion."""

    name: Name | None = None


def person_json(person: Person) -> dict[str, Any]:
    """A person as their own browser sees them."""
    return {"id": person.id, "name": person.name, "is_account": person.is_account}


def with_csrf(request: HTTPConnection, person: Person, **more: Any) -> dict[str, Any]:
    """The usual answer after an identity changed: who, and the token for the next write."""
    return {"person": person_json(person), "csrf": csrf_token(request), **more}


async def free_name(site: Site, text: str, but: str | None) -> str:
    """A name that may be one and that nobody about has; raises BadRequest or Conflict."""
    name = names.checked_name(text)
    if await site.people.is_taken(names.named(name), site.now(), but):
        raise _name_taken()
    return name


def _name_taken() -> Conflict:
    return Conflict("name_taken", "Somebody here has that name, or one that looks like it. Choose another.")


@router.get("/me")
async def me(request: Request, person: MaybePerson) -> dict[str, Any]:
    """Who I am to this server; without an identity, a name to suggest."""
    site = site_of(request)
    return {
        "person": person_json(person) if person else None,
        "suggested": None if person else await free_suggestion(request),
        "csrf": csrf_token(request),
        "mail": bool(site.settings.smtp_host),
        "webhooks": site.settings.calls_webhooks,
    }


@router.post("/me")
async def choose_name(request: Request, body: NameBody) -> dict[str, Any]:
    """Makes me a guest, or changes my name."""
    site = site_of(request)
    person = await current_person(request)
    if person is None:
        name = None if body.name is None else names.checked_name(body.name)
        try:
            return with_csrf(request, await make_guest(request, name))
        except LoginTaken:
            raise _name_taken() from None
    site.limits.take_write(person.id)
    if body.name is not None and body.name != person.name:
        name = await free_name(site, body.name, person.id)
        try:
            await site.people.rename(person.id, names.named(name), site.now())
        except LoginTaken:
            raise _name_taken() from None
        site.rename(*person.ids, name=name)
        person = replace(person, name=name)
    return with_csrf(request, person)


@router.get("/me/devices")
async def devices(request: Request, person: KnownPerson) -> dict[str, Any]:
    """Where I am logged in."""
    site = site_of(request)
    rows = await site.people.devices(person.id, session_of(request))
    return {
        "devices": [
            {"id": row[0], "label": row[1], "seen_at": row[2] * 1000, "is_this": row[3]} for row in rows
        ]
    }
