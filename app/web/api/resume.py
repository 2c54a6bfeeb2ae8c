"""API routes for resume codes: short one-time codes, typed or scanned, that log in another device."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Form
from pydantic import Field
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.store.people.players import Player
from app.web.api.me import identity_json
from app.web.api.models import Body, error_responses
from app.web.api.qr import draw_qr_svg, public_address
from app.web.auth.identity import KnownPerson
from app.web.auth.passwords import new_code, normalise_code
from app.web.auth.sessions import start_session
from app.web.errors import Refused
from app.web.routing import Router
from app.web.site import site_of

router = Router(tags=["people"], responses=error_responses(401, 403, 404, 413, 422))


class ResumeTarget(Body):
    """The room that the other device should open."""

    room: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")] | None = None


class ResumeCode(Body):
    """A code as typed. Dashes, spaces and case do not matter."""

    code: Annotated[str, Field(max_length=100)]


class WrongResumeCode(Refused):
    """The code is unknown, used or expired; the answer is the same."""

    status, code = 404, "wrong_code"
    message = "That code is wrong, has expired, or has already been used. Make a new one."


@router.post("/api/v1/resume-codes")
async def make_code(request: Request, person: KnownPerson, body: ResumeTarget) -> dict[str, Any]:
    """Create a code for another device. An earlier one becomes invalid."""
    site = site_of(request)
    site.limits.take_write(person.id)
    code = new_code(3)
    expires_at = site.now() + site.settings.resume_minutes * 60
    await site.accounts.add_resume_code(person.id, normalise_code(code), body.room, expires_at)
    url = public_address(request, f"/resume/{code}")
    return {"code": code, "url": url, "qr": await draw_qr_svg(request, url), "expires_at": expires_at * 1000}


@router.post("/api/v1/resume")
async def use_code(request: Request, body: ResumeCode) -> dict[str, Any]:
    """Log this device in with a code. The code is used up."""
    person, room = await _exchange(request, body.code)
    return identity_json(request, person, room=room)


@router.post("/resume", include_in_schema=False)
async def use_code_by_form(request: Request, code: Annotated[str, Form(max_length=100)]) -> Response:
    """Log this device in through the HTML form of /resume/{code}."""
    _, room = await _exchange(request, code)
    return RedirectResponse(f"/g/{room}" if room else "/me", status_code=303)


async def _exchange(request: Request, typed: str) -> tuple[Player, str | None]:
    site = site_of(request)
    with site.limits.take_code(site.limits.key_of(request)):
        found = await site.accounts.use_resume_code(normalise_code(typed), site.now())
        player = await site.people.find_player(found[0], site.now()) if found else None
        if found is None or player is None or player.is_banned:
            raise WrongResumeCode
    await start_session(request, player)
    return player, found[1]
