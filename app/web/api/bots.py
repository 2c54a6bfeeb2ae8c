"""What bots do for people over the API: the review of a finished game, and a hint with its answer."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from app.play.commands import messages as cmd
from app.web.api.games import GameId, Password
from app.web.api.models import Body, responses
from app.web.api.records import record_for
from app.web.api.reviews import Reviews
from app.web.auth.identity import MaybePerson
from app.web.errors import Refused
from app.web.game_server import actor_of, game_server_of
from app.web.pages.replay import seen
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["bots"])


class HintAsked(Body):
    """Asks what a strong bot would do; marked in the record."""

    id: Annotated[str, Field(min_length=8, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]
    version: Annotated[int, Field(ge=0, le=2**53)]


class HintAnswer(BaseModel):
    """The move a strong bot would make, and why: a code and its parameters."""

    ack: str
    seq: int
    action: dict[str, Any] | None
    why: str | None = None
    params: dict[str, Any] | None = None


@router.get("/games/{game}/review", responses=responses(403, 409, 422, 503))
async def game_review(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> dict[str, Any]:
    """Of a finished game: chances after each turn, turning points, luck apart from choices, better turns."""
    room = await find_room(request, game, actor_of(person), password)
    reviews: Reviews = request.app.state.reviews
    found = await reviews.known(game)
    if found is None:
        record = await record_for(request, room)
        limits = site_of(request).limits
        asked = limits.take_review(request, person.id if person is not None else None)
        try:
            found = await reviews.made(
                game, record, person.id if person is not None else limits.address_of(request)
            )
        except Refused:
            asked.give_back()  # it was not made
            raise
    return found


@router.get("/games/{game}/seen", responses=responses(403, 409, 422))
async def game_seen(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> Response:
    """What this program's seat (or a spectator) has seen of a game so far, from its first action on.

    For whoever sits down, takes over or comes back late: `view` is the opening as the seat saw it, `steps` its
    events action by action, each with its `seq`; all of it up to the log entry `seq`.
    """
    return await seen(request, game, person, password)


@router.post("/games/{game}/hint", responses=responses(401, 403, 409, 422))
async def game_hint(
    request: Request, game: GameId, asked: HintAsked, person: MaybePerson, password: Password = None
) -> HintAnswer:
    """What a strong bot would do here, where the table allows hints. The same id gets the same hint."""
    game_server, actor = game_server_of(request), actor_of(person)
    received = game_server.clock.now()
    room = await find_room(request, game, actor, password)
    if actor.ids:
        site_of(request).limits.take_write(actor.id)
    done = await game_server.submit(room, actor, cmd.Hint(id=asked.id, version=asked.version), received)
    return HintAnswer(ack=asked.id, seq=done.seq, **room.hints.get(done.seq, {"action": None}))
