"""API routes for private notes about people."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from starlette.requests import Request

from app.web.api.friend_models import Note, StoredNote
from app.web.api.models import error_responses
from app.web.auth.identity import KnownPerson
from app.web.errors import BadRequest, Conflict, NotFound
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["friends"], responses=error_responses(401, 403, 404, 409, 413, 422))

PlayerId = Annotated[str, Path(max_length=32)]


@router.get("/notes/{player}")
async def read_note(request: Request, player: PlayerId, person: KnownPerson) -> StoredNote:
    """Return the current person's note about a player. Nobody else can read it."""
    site = site_of(request)
    found = await site.people.find_player(player, site.now())
    if found is None:
        raise NotFound("There is no such player.")
    return StoredNote(text=await site.player_notes.read(person.id, found.id))


@router.put("/notes/{player}")
async def write_note(request: Request, player: PlayerId, body: Note, person: KnownPerson) -> StoredNote:
    """Replace the note about a player; an empty text deletes it."""
    site = site_of(request)
    site.limits.take_write(person.id)
    found = await site.people.find_player(player, site.now())
    if found is None:
        raise NotFound("There is no such player.")
    if person.owns(found.id):
        raise BadRequest("yourself", "Notes are about other players.")
    text = "".join(letter for letter in body.text if letter.isprintable() or letter == "\n").strip()
    if not await site.player_notes.save(person.id, found.id, text, site.now()):
        raise Conflict("too_many_notes", "You have as many notes as this site allows. Delete one first.")
    return StoredNote(text=text)


@router.delete("/notes/{player}")
async def delete_note(request: Request, player: PlayerId, person: KnownPerson) -> StoredNote:
    """Delete the note about a player."""
    site = site_of(request)
    site.limits.take_write(person.id)
    found = await site.people.find_player(player, site.now())
    if found is not None:
        await site.player_notes.save(person.id, found.id, "", site.now())
    return StoredNote(text="")
