"""Resume codes: a short one-time code, typed or scanned, that makes another device mine as well."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form
from pydantic import Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.web.api.me import with_csrf
from app.web.api.models import Body, responses
from app.web.api.qr import public_address, qr_svg
from app.web.auth.identity import KnownPerson, Person
from app.web.auth.passwords import new_code, plain_code
from app.web.auth.sessions import start_session
from app.web.errors import Refused
from app.web.routing import Router
from app.web.site import site_of

router = Router(tags=["people"], responses=responses(401, 403, 404, 413, 422))


class Room(Body):
    """The room that the other device should open."""

    room: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")] | None = None


class Code(Body):
    """A code as typed: dashes, spaces and case do not matter."""

    code: Annotated[str, Field(max_length=100)]


class WrongCode(Refused):
    """Unknown, used or too old: one answer."""

    status = 404

    def __init__(self) -> None:
        super().__init__(
            "wrong_code", "That code does not fit, is too old, or was used already. Make a new one."
        )


@router.post("/api/v1/resume-codes")
async def make_code(request: Request, person: KnownPerson, body: Room) -> dict[str, Any]:
    """A code for my other device; an earlier one of mine is void."""
    site = site_of(request)
    site.limits.take_write(person.id)
    code = new_code(3)
    expires_at = site.now() + site.settings.resume_minutes * 60
    await site.accounts.add_resume_code(person.id, plain_code(code), body.room, expires_at)
    url = public_address(request, f"/resume/{code}")
    return {"code": code, "url": url, "qr": await qr_svg(request, url), "expires_at": expires_at * 1000}


@router.post("/api/v1/resume")
async def use_code(request: Request, body: Code) -> dict[str, Any]:
    """Exchanges a code for a session of its owner on this device; the code is gone."""
    person, room = await _exchange(request, body.code)
    return with_csrf(request, person, room=room)


@router.post("/resume", include_in_schema=False)
async def use_code_by_form(request: Request, code: Annotated[str, Form(max_length=100)]) -> Response:
    """The same for the plain form of /resume/{code}."""
    _, room = await _exchange(request, code)
    return RedirectResponse(f"/g/{room}" if room else "/me", status_code=303)


async def _exchange(request: Request, typed: str) -> tuple[Person, str | None]:
    site = site_of(request)
    with site.limits.code(site.limits.key_of(request)):
        found = await site.accounts.use_resume_code(plain_code(typed), site.now())
        player = await site.people.player(found[0], site.now()) if found else None
        if found is None or player is None or player.is_banned:
            raise WrongCode
    await start_session(request, player)
    return Person.of(player), found[1]
