"""API routes for personal data: download it, or delete the account."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import orjson
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from app.play.ports import StoreUnavailable
from app.play.stand_up import stand_up_everywhere
from app.web.api.accounts import check_password
from app.web.api.models import Body, error_responses
from app.web.auth.identity import KnownPerson
from app.web.auth.known_devices import forget_device
from app.web.auth.sessions import clear_session_cookie
from app.web.game_server import game_server_of
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1/me", tags=["people"], responses=error_responses(401, 403, 413, 422))

_DOWNLOAD_COST_MS = 200  # for a person with thousands of games
_MAX_ERASURE_STEPS = 20  # before the response; enough for nearly everyone, and the erasure queue continues


class DeleteConfirmation(Body):
    """The password again, for accounts."""

    password: Annotated[str, Field(max_length=1000)] | None = None


@router.get("/data")
async def download(request: Request, person: KnownPerson) -> Response:
    """Download everything the server stores about the current person, as a JSON file."""
    site = site_of(request)
    site.limits.take_write(person.id)
    site.limits.take_work(request, _DOWNLOAD_COST_MS)
    stored = {"at": site.now() * 1000, **await site.data.export(person.ids)}
    headers = {
        "Content-Disposition": 'attachment; filename="cartagena-my-data.json"',
        "Cache-Control": "no-store",
    }
    body = await site.offload.run(partial(orjson.dumps, stored, option=orjson.OPT_INDENT_2))
    return Response(body, media_type="application/json", headers=headers)


@router.post("/delete")
async def delete(request: Request, body: DeleteConfirmation, person: KnownPerson) -> dict[str, Any]:
    """Erase the current person: log out all devices, remove their chat, and replace their name in finished games."""
    site = site_of(request)
    if person.is_account:
        await check_password(request, site, person, body.password or "")
    await site.data.begin_erasure(person.ids, site.now())
    site.rename(*person.ids, name=None)
    site.sign_out("person", *person.ids)  # first: another tab could sit down again
    with suppress(StoreUnavailable):  # a seat that stays taken has no name
        await stand_up_everywhere(game_server_of(request), person.ids)
    clear_session_cookie(request)
    if person.is_account:
        forget_device(request)
    with suppress(StoreUnavailable):  # the erasure queue continues
        for _ in range(_MAX_ERASURE_STEPS):
            if not await site.data.run_erasure_step(person.ids):
                break
            await asyncio.sleep(0.01)  # waiting moves go first
    return {}
