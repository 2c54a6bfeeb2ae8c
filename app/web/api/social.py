"""API routes for blocking and reporting players."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request

from app.store.people.players import Player
from app.web.api.models import Body, error_responses
from app.web.auth.identity import KnownPerson
from app.web.errors import BadRequest, Conflict, NotFound
from app.web.game_server import game_server_of
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["people"], responses=error_responses(401, 403, 404, 409, 413, 422))
MAX_BLOCKED_PLAYERS = 200


class Report(Body):
    """A report about a player, for the operator."""

    player: Annotated[str, Field(max_length=32)]
    room: Annotated[str, Field(max_length=64)] | None = None
    reason: Literal["cheating", "insult", "name", "stalling", "other"]
    words: Annotated[str, Field(max_length=1000)] = ""


@router.get("/blocks")
async def blocked(request: Request, person: KnownPerson) -> dict[str, Any]:
    """List the players that the current person has blocked."""
    rows = await site_of(request).social.list_blocked(person.ids)
    return {"blocked": [{"id": row[0], "name": row[1]} for row in rows]}


@router.put("/blocks/{player}")
async def block(request: Request, player: str, person: KnownPerson) -> dict[str, Any]:
    """Block a player. They can no longer sit down with the current person or be matched with them, and are not told.

    It ends a friendship.
    """
    site = site_of(request)
    site.limits.take_write(person.id)
    if person.owns(player):
        raise BadRequest("yourself", "You cannot block yourself.")
    found = await site.people.find_player(player, site.now())
    if found is None:
        raise NotFound("There is no such player.")
    if not await site.social.block(person.id, found.id, site.now(), MAX_BLOCKED_PLAYERS):
        raise Conflict("too_many_blocks", f"You may block {MAX_BLOCKED_PLAYERS} players. Unblock one first.")
    await _apply_blocks(request, person)
    return {}


@router.delete("/blocks/{player}")
async def unblock(request: Request, player: str, person: KnownPerson) -> dict[str, Any]:
    """Unblock a player."""
    site = site_of(request)
    site.limits.take_write(person.id)
    found = await site.people.find_player(player, site.now())
    for mine in person.ids:
        await site.social.unblock(mine, [player] if found is None else [player, *found.ids])
    await _apply_blocks(request, person)
    return {}


async def _apply_blocks(request: Request, person: Player) -> None:
    """Hide the lines and tables of blocked people on the person's open pages, in every worker."""
    blocked = await site_of(request).social.read_blocked_ids(person.ids)
    game_server_of(request).blocked_people.change(person.id, sorted(blocked))


@router.post("/reports")
async def report(request: Request, body: Report, person: KnownPerson) -> dict[str, Any]:
    """Report a player to the operator."""
    site = site_of(request)
    site.limits.reports.take(person.id)
    if person.owns(body.player):
        raise BadRequest("yourself", "You cannot report yourself.")
    if await site.people.find_player(body.player, site.now()) is None:
        raise NotFound("There is no such player.")
    words = "".join(letter for letter in body.words if letter.isprintable() or letter == "\n").strip()
    number = await site.social.add_report(
        {
            "reporter": person.id,
            "reported": body.player,
            "room": body.room,
            "reason": body.reason,
            "words": words,
            "at": site.now(),
        }
    )
    return {"id": number}
