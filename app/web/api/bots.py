"""API routes that use bots: the review of a finished game, and hints."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.play.commands import messages as cmd
from app.play.log.reading import list_players
from app.play.ports import StoreUnavailable
from app.web.api.games import GameId, RoomPassword
from app.web.api.models import Body, error_responses
from app.web.api.records import record_for
from app.web.api.reviews import Reviews
from app.web.auth.identity import MaybePerson
from app.web.errors import Refused
from app.web.game_server import actor_of, game_server_of
from app.web.mistakes import Mistakes
from app.web.pages.replay import seen_history
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["bots"])


class HintRequest(Body):
    """Request for a hint. It is marked in the record."""

    id: Annotated[str, Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
    version: Annotated[int, Field(ge=0, le=2**53)]


class HintAnswer(BaseModel):
    """A strong bot's move, and the reason as a code with parameters."""

    ack: str
    seq: int
    action: dict[str, Any] | None
    why: str | None = None
    params: dict[str, Any] | None = None


@router.get("/games/{game}/review", responses=error_responses(403, 409, 422, 503))
async def game_review(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> dict[str, Any]:
    """Review a finished game: chances after each turn, turning points, luck apart from skill, better turns."""
    room = await find_room(request, game, actor_of(person), password)
    reviews: Reviews = request.app.state.reviews
    found = await reviews.find(game)
    if found is None:
        record = await record_for(request, room)
        limits = site_of(request).limits
        charge = limits.take_review(request, person.id if person is not None else None)
        try:
            found = await reviews.find_or_make(
                game, record, person.id if person is not None else limits.address_of(request)
            )
        except Refused:
            charge.give_back()  # no review was made
            raise
    if person is not None and room.table.seat_of(person.ids) is not None:
        mistakes: Mistakes = request.app.state.mistakes
        with suppress(StoreUnavailable):  # a visit to the practice page queues the game
            await mistakes.request(person, [game])
    names = game_server_of(request).names
    await names.fetch_missing(seat.person for seat in room.table.seats if seat.person is not None)
    return {**found, "players": list_players(room.table, names)}


@router.get("/games/{game}/seen", responses=error_responses(403, 409, 422))
async def game_seen(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> Response:
    """Return what this program's seat, or a spectator, has seen of a game since its first action.

    For programs that join, take over or return late. `view` is the opening as the seat saw it; `steps` are its events,
    action by action, each with its `seq`. The answer is complete up to the log entry `seq`.
    """
    return await seen_history(request, game, person, password)


@router.post("/games/{game}/hint", responses=error_responses(401, 403, 409, 422))
async def game_hint(
    request: Request, game: GameId, asked: HintRequest, person: MaybePerson, password: RoomPassword = None
) -> HintAnswer:
    """Return what a strong bot would do now, if the table allows hints. The same id gets the same hint."""
    game_server, actor = game_server_of(request), actor_of(person)
    received = game_server.clock.now()
    room = await find_room(request, game, actor, password)
    if actor.ids:
        site_of(request).limits.take_write(actor.id)
    done = await game_server.dispatcher.submit(
        room, actor, cmd.AskForHint(id=asked.id, version=asked.version), received
    )
    return HintAnswer(ack=asked.id, seq=done.seq, **room.hints.get(done.seq, {"action": None}))
