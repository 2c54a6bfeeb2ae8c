"""My data over the API: all of it as a file, or gone."""

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
from app.web.api.accounts import check_password
from app.web.api.models import Body, responses
from app.web.auth.identity import KnownPerson
from app.web.auth.known_devices import forget_device
from app.web.auth.sessions import forget_cookie
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1/me", tags=["people"], responses=responses(401, 403, 413, 422))

_MILLISECONDS = 200  # what the data of somebody with thousands of games costs
_STEPS = 20  # of erasing before the answer: enough for nearly everybody; maintenance makes the others


class Delete(Body):
    """An account gives its password once more."""

    password: Annotated[str, Field(max_length=1000)] | None = None


@router.get("/data")
async def download(request: Request, person: KnownPerson) -> Response:
    """Everything this server keeps about me, as a JSON file."""
    site = site_of(request)
    site.limits.take_write(person.id)
    site.limits.take_work(request, _MILLISECONDS)
    kept = {"at": site.now() * 1000, **await site.data.download(person.ids)}
    headers = {
        "Content-Disposition": 'attachment; filename="cartagena-my-data.json"',
        "Cache-Control": "no-store",
    }
    body = await site.offload.run(partial(orjson.dumps, kept, option=orjson.OPT_INDENT_2))
    return Response(body, media_type="application/json", headers=headers)


@router.post("/delete")
async def delete(request: Request, body: Delete, person: KnownPerson) -> dict[str, Any]:
    """Forgets me: logged out everywhere, my name in finished games becomes "somebody", my words are gone."""
    site = site_of(request)
    if person.is_account:
        await check_password(request, site, person, body.password or "")
    await site.data.begin_erasure(person.ids, site.now())
    site.rename(*person.ids, name=None)
    site.sign_out("person", *person.ids)
    forget_cookie(request)
    if person.is_account:
        forget_device(request)
    with suppress(StoreUnavailable):  # what is left then, maintenance does
        for _ in range(_STEPS):
            if not await site.data.erase_step(person.ids):
                break
            await asyncio.sleep(0.01)  # somebody's move may go first
    return {}
