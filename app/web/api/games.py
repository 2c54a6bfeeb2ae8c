"""The JSON API of games: create, list, quick play, state, commands, record."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import Header, Path, Query
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import JSONResponse

from app.play.commands import messages as cmd
from app.play.engines import SCHEMES
from app.play.lobby import row_of_game
from app.play.log.entries import GameRow
from app.play.log.terms import Terms, locked_with, parse_terms
from app.play.making_room import end_oldest
from app.play.matchmaking import fitting_table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.broadcast import state_frame
from app.play.room.room import Room
from app.web.api.models import Act, Created, Done, NewGame, Quick, QuickAnswer, Rows, responses
from app.web.api.records import record_for
from app.web.auth.identity import MaybePerson, Person, PersonOrGuest
from app.web.errors import status_of
from app.web.game_server import actor_of, game_server_of
from app.web.routing import Router
from app.web.security.idempotency import IdempotencyKey, table_id
from app.web.security.room_lookup import find_room, hash_table_password
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["games"])

GameId = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


def _as_typed(password: str | None) -> str | None:
    """A header holds bytes: pages send a word as UTF-8; a program may have sent Latin-1, as it was read."""
    try:
        return None if password is None else password.encode("latin-1").decode()
    except UnicodeDecodeError:
        return password


Password = Annotated[str | None, Header(alias="X-Room-Password", max_length=400), AfterValidator(_as_typed)]


@router.post("/games", status_code=201, responses=responses(401, 403, 409, 422))
async def create_game(
    request: Request,
    new: NewGame,
    person: PersonOrGuest,
    key: IdempotencyKey = None,
    make_room: Annotated[bool, Query()] = False,
) -> Created:
    """Open a table. It is listed, unlisted (its link is its key) or locked with a password.

    The same Idempotency-Key again answers with the same table. With `make_room`, whoever has as many unfinished
    tables as they may has the oldest one without other people ended for it (`ended`).
    """
    site_of(request).limits.take_write(person.id)
    terms, password = parse_terms(new.model_dump(exclude={"options", "bots", "screen"}))
    if password is not None:
        terms = locked_with(terms, await hash_table_password(request, password, person.id))
    row, ended = await _create(
        request, person, new.options, terms, new.bots, key, make_room=make_room, is_from_screen=new.screen
    )
    return Created(id=row.id, commitment=row.commitment, scheme=SCHEMES[row.rules_version], ended=ended)


@router.get("/games", responses=responses(401, 422))
async def list_games(
    request: Request,
    person: MaybePerson,
    which: Annotated[Literal["open", "watch", "mine", "finished"], Query(alias="list")] = "open",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Rows:
    """Open tables, games to watch, my unfinished ones (mine to move first), my finished ones."""
    game_server, actor = game_server_of(request), actor_of(person)
    if which in ("open", "watch"):
        return Rows(games=(await game_server.lobby.rows(which))[:limit])
    if not actor.ids:
        raise Refusal("no_session")
    if which == "mine":
        return Rows(games=await game_server.lobby.mine(actor))
    games = await game_server.store.games_of(actor.ids, unfinished=False, limit=limit, offset=offset)
    return Rows(
        games=[
            {**row_of_game(game), "result": game.summary.result if game.summary is not None else None}
            for game in games
        ]
    )


@router.post("/quick", responses=responses(401, 403, 409, 422))
async def quick_play(
    request: Request, wish: Quick, person: PersonOrGuest, key: IdempotencyKey = None
) -> QuickAnswer:
    """A fitting open table, or a new one. Sit down there with a seal; if it is full by then, ask again.

    The same Idempotency-Key again opens no second table.
    """
    game_server, actor = game_server_of(request), actor_of(person)
    site_of(request).limits.take_write(person.id)
    opened = await game_server.made_before(_table_id(request, person, key))
    if opened is not None:
        return _quick_answer(opened, is_found=False)
    found = await fitting_table(game_server, actor, wish.preset, wish.seats)
    if found is not None:
        return _quick_answer(found, is_found=True)
    options = {"preset": wish.preset, "players": wish.seats}
    row, _ = await _create(request, person, options, Terms(), [], key)
    return _quick_answer(row, is_found=False)


async def _create(
    request: Request,
    person: Person,
    options: dict[str, Any],
    terms: Terms,
    bots: list[str],
    key: str | None,
    *,
    make_room: bool = False,
    is_from_screen: bool = False,
) -> tuple[GameRow, list[str]]:
    """A new table, and those that were ended for it."""
    game_server, actor = game_server_of(request), actor_of(person)
    settings, game = site_of(request).settings, _table_id(request, person, key)
    most = settings.rooms_per_account if person.is_account else settings.rooms_per_guest
    ended: list[str] = []
    while True:
        try:
            made = await game_server.create(
                actor, options, terms, bots, most, game, is_from_screen=is_from_screen
            )
            return made, ended
        except Refusal as refusal:
            if refusal.code != "too_many_rooms" or not make_room:
                raise
            before = await game_server.made_before(
                game
            )  # the same request came twice: nothing is ended for it
            if before is not None:
                return before, ended
            oldest = await end_oldest(game_server, actor)
            if oldest is None:
                raise
            ended.append(oldest)


def _table_id(request: Request, person: Person, key: str | None) -> str | None:
    return table_id(site_of(request).settings.secret, person.id, key)


def _quick_answer(row: GameRow, *, is_found: bool) -> QuickAnswer:
    scheme = SCHEMES[row.rules_version]
    return QuickAnswer(id=row.id, found=is_found, commitment=row.commitment, scheme=scheme)


@router.get("/games/{game}", responses=responses(403, 422))
async def game_state(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> dict[str, Any]:
    """The present state, as this viewer may see it: the `state` message of the socket."""
    room = await _room(request, game, person, password)
    return _shown_state(room, actor_of(person))


def _shown_state(room: Room, actor: Actor) -> dict[str, Any]:
    shown: dict[str, Any] = msgspec.to_builtins(state_frame(room.table, room.table.seat_of(actor.ids)))
    return shown


@router.post(
    "/games/{game}/act",
    responses=responses(401, 403, 409, 422),
    response_model=Done,
    response_model_exclude_none=True,
)
async def act(
    request: Request, game: GameId, move: Act, person: MaybePerson, password: Password = None
) -> Any:
    """A game action. Accepted means on disk. The same id again gets the same answer."""
    command = cmd.Act.of(move.id, move.version, move.action)
    return await _submit(request, game, person, password, command)


@router.post(
    "/games/{game}/commands",
    responses=responses(401, 403, 409, 422),
    response_model=Done,
    response_model_exclude_none=True,
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "Any command of docs/protocol.md §2 that has an id, in the same words.",
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["do", "id"],
                        "properties": {"do": {"type": "string"}, "id": {"type": "string"}},
                        "example": {"do": "ready", "id": "cmd-00001", "ready": True},
                    }
                }
            },
        }
    },
)
async def submit_command(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> Any:
    """Sit down, get ready, start, vote, chat …: every command of the socket."""
    message = cmd.decode(await request.body())
    if isinstance(message, cmd.Hello | cmd.Ping | cmd.Here):
        raise Refusal("bad_message", "This is for sockets only.")
    return await _submit(request, game, person, password, message)


@router.get("/games/{game}/record", responses=responses(403, 409, 422))
async def game_record(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> dict[str, Any]:
    """The record of a finished game, with which anybody can check every card."""
    room = await _room(request, game, person, password)
    return await record_for(request, room)


async def _room(request: Request, game: str, person: Person | None, password: str | None) -> Room:
    return await find_room(request, game, actor_of(person), password)


async def _submit(
    request: Request, game: str, person: Person | None, password: str | None, command: cmd.Command
) -> Any:
    game_server, actor = game_server_of(request), actor_of(person)
    received = game_server.clock.now()
    room = await _room(request, game, person, password)
    if actor.ids:
        site_of(request).limits.take_write(actor.id)
    try:
        done = await game_server.submit(room, actor, command, received)
    except Refusal as refusal:
        game_server.metrics.refused(refusal.code)
        if not isinstance(command, cmd.Act | cmd.Undo):
            raise
        problem = refusal.as_json()
        state = _shown_state(room, actor)
        return JSONResponse({"error": problem, "state": state}, status_of(refusal))
    commitment = room.table.commitment if isinstance(command, cmd.Sit) else None
    return Done(ack=command.id, seq=done.seq, commitment=commitment)
