"""API routes for games: create, list, quick play, state, commands, record."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Header, Path, Query
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import Response

from app.play.commands import messages as cmd
from app.play.engines import CHANCE_SCHEMES
from app.play.frames import State, encode
from app.play.lobby import build_game_row
from app.play.log.entries import GameRow
from app.play.log.terms import Terms, parse_terms, with_password_hash
from app.play.matchmaking import find_rated_table, find_table
from app.play.ports import Actor
from app.play.refusals import Refusal
from app.play.room.audience_frames import state_frame
from app.play.room.room import Room
from app.play.table_limit import end_oldest_table
from app.store.people.players import Player
from app.web.api.models import (
    CommandAccepted,
    CreatedGame,
    GameAction,
    GameList,
    NewGame,
    QuickPlayRequest,
    QuickPlayTable,
    error_responses,
)
from app.web.api.records import record_for
from app.web.auth.identity import MaybePerson, PersonOrGuest
from app.web.errors import status_of
from app.web.game_server import actor_of, game_server_of
from app.web.routing import WAIT_FOR_ADMISSION, Router
from app.web.security.idempotency import IdempotencyKey, derive_table_id
from app.web.security.room_lookup import find_room, hash_table_password
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["games"])

GameId = Annotated[str, Path(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


def _decode_header(password: str | None) -> str | None:
    """Decode a header as UTF-8, which pages send; if that fails keep Latin-1, which a program may have sent."""
    try:
        return None if password is None else password.encode("latin-1").decode()
    except UnicodeDecodeError:
        return password


RoomPassword = Annotated[
    str | None, Header(alias="X-Room-Password", max_length=400), AfterValidator(_decode_header)
]


@router.post(
    "/games",
    status_code=201,
    dependencies=[WAIT_FOR_ADMISSION],
    responses=error_responses(401, 403, 409, 422),
)
async def create_game(
    request: Request,
    new: NewGame,
    person: PersonOrGuest,
    key: IdempotencyKey = None,
    make_room: Annotated[bool, Query()] = False,
) -> CreatedGame:
    """Create a table. It is listed, unlisted (anyone with the link can join) or locked with a password.

    Repeating the same Idempotency-Key returns the same table. With `make_room`, a person at the limit of unfinished
    tables has their oldest table without other people ended (`ended`).
    """
    site_of(request).limits.take_write(person.id)
    terms, password = parse_terms(new.model_dump(exclude={"options", "bots", "screen", "rated"}))
    if password is not None:
        terms = with_password_hash(terms, await hash_table_password(request, password, person.id))
    row, ended = await _create(
        request,
        person,
        new.options,
        terms,
        new.bots,
        key,
        make_room=make_room,
        is_from_screen=new.screen,
        is_rated=new.rated,
    )
    return CreatedGame(
        id=row.id, commitment=row.commitment, scheme=CHANCE_SCHEMES[row.rules_version], ended=ended
    )


@router.get("/games", responses=error_responses(401, 422))
async def list_games(
    request: Request,
    person: MaybePerson,
    which: Annotated[Literal["open", "watch", "mine", "finished"], Query(alias="list")] = "open",
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> GameList:
    """List open tables, games to watch, or the current person's games: unfinished (their turn first) or finished."""
    game_server, actor = game_server_of(request), actor_of(person)
    if which in ("open", "watch"):
        blocked = await game_server.blocked_people.read(actor)
        return GameList(games=(await game_server.lobby.read_rows(which, blocked))[:limit])
    if not actor.ids:
        raise Refusal("no_session")
    if which == "mine":
        return GameList(games=await game_server.lobby.read_own_games(actor))
    games = await game_server.store.lists.list_games_of(
        actor.ids, unfinished=False, limit=limit, offset=offset
    )
    return GameList(
        games=[
            {**build_game_row(game), "result": game.summary.result if game.summary is not None else None}
            for game in games
        ]
    )


@router.post("/quick", responses=error_responses(401, 403, 409, 422))
async def quick_play(
    request: Request, body: QuickPlayRequest, person: PersonOrGuest, key: IdempotencyKey = None
) -> QuickPlayTable:
    """Return a suitable open table, or create one. Sit down there with a seal; if it is full by then, ask again.

    Rated, the players' ratings must be close; how close depends on how long the table has been open. Repeating the
    same Idempotency-Key creates no second table.
    """
    game_server, actor = game_server_of(request), actor_of(person)
    site_of(request).limits.take_write(person.id)
    opened = await game_server.read_stored_game(_table_id(request, person, key))
    if opened is not None:
        return _quick_answer(opened, is_found=False)
    preset = None if body.any_preset else body.preset
    seats = None if body.any_seats else body.seats
    if body.rated:
        if not person.is_account:
            raise Refusal("account_required", "Log in or create an account to play rated games.")
        read_values = site_of(request).ratings.read_values
        found = await find_rated_table(game_server, actor, preset, seats, read_values)
    else:
        found = await find_table(game_server, actor, preset, seats)
    if found is not None:
        return _quick_answer(found, is_found=True)
    options = {"preset": body.preset, "players": body.seats}
    row, _ = await _create(request, person, options, Terms(), [], key, is_rated=body.rated)
    return _quick_answer(row, is_found=False)


async def _create(
    request: Request,
    person: Player,
    options: dict[str, Any],
    terms: Terms,
    bots: list[str],
    key: str | None,
    *,
    make_room: bool = False,
    is_from_screen: bool = False,
    is_rated: bool = False,
) -> tuple[GameRow, list[str]]:
    """Create a table. Return it with the ids of tables that were ended for it."""
    game_server, actor = game_server_of(request), actor_of(person)
    settings, game = site_of(request).settings, _table_id(request, person, key)
    most = settings.rooms_per_account if person.is_account else settings.rooms_per_guest
    ended: list[str] = []
    while True:
        try:
            made = await game_server.create_table(
                actor,
                options,
                terms,
                bots,
                most,
                game,
                is_from_screen=is_from_screen,
                is_rated=is_rated,
            )
            return made, ended
        except Refusal as refusal:
            if refusal.code != "too_many_rooms" or not make_room:
                raise
            before = await game_server.read_stored_game(
                game
            )  # the same request came twice: nothing is ended for it
            if before is not None:
                return before, ended
            oldest = await end_oldest_table(game_server, actor)
            if oldest is None:
                raise
            ended.append(oldest)


def _table_id(request: Request, person: Player, key: str | None) -> str | None:
    return derive_table_id(site_of(request).settings.secret, person.id, key)


def _quick_answer(row: GameRow, *, is_found: bool) -> QuickPlayTable:
    scheme = CHANCE_SCHEMES[row.rules_version]
    return QuickPlayTable(id=row.id, found=is_found, commitment=row.commitment, scheme=scheme)


@router.get("/games/{game}", responses=error_responses(403, 422), response_model=dict[str, Any])
async def game_state(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> Response:
    """Return the current state as this viewer may see it: the `state` message of the socket."""
    actor = actor_of(person)
    room = await find_room(request, game, actor, password)
    return Response(encode(_state(room, actor)), media_type="application/json")


def _state(room: Room, actor: Actor) -> State:
    return state_frame(room.table, room.table.seat_of(actor.ids))


@router.post(
    "/games/{game}/act",
    responses=error_responses(401, 403, 409, 422),
    response_model=CommandAccepted,
    response_model_exclude_none=True,
)
async def act(
    request: Request, game: GameId, move: GameAction, person: MaybePerson, password: RoomPassword = None
) -> Any:
    """Submit a game action. An accepted action is on disk. Repeating the same id gets the same answer."""
    command = cmd.Act.from_json(move.id, move.version, move.action)
    return await _submit(request, game, person, password, command)


@router.post(
    "/games/{game}/commands",
    responses=error_responses(401, 403, 409, 422),
    response_model=CommandAccepted,
    response_model_exclude_none=True,
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "Any command of docs/protocol.md §2 that has an id, in the same format.",
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
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> Any:
    """Submit any command of the game socket: sit down, get ready, start, vote, chat and so on."""
    message = cmd.decode(await request.body())
    if isinstance(message, cmd.Hello | cmd.Ping | cmd.StillHere | cmd.Why):
        raise Refusal("bad_message", "This command works only on a socket.")
    return await _submit(request, game, person, password, message)


@router.get("/games/{game}/record", responses=error_responses(403, 409, 422))
async def game_record(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> dict[str, Any]:
    """Return the record of a finished game, from which anyone can verify every card."""
    return await record_for(request, await find_room(request, game, actor_of(person), password))


async def _submit(
    request: Request, game: str, person: Player | None, password: str | None, command: cmd.Command
) -> Any:
    game_server, actor = game_server_of(request), actor_of(person)
    received = game_server.clock.now()
    room = await find_room(request, game, actor, password)
    if actor.ids:
        site_of(request).limits.take_write(actor.id)
    try:
        done = await game_server.dispatcher.submit(room, actor, command, received)
    except Refusal as refusal:
        game_server.metrics.count_refusal(refusal.code)
        if not isinstance(command, cmd.Act | cmd.Undo):
            raise
        answer = {"error": refusal.as_json(), "state": _state(room, actor)}
        return Response(encode(answer), status_of(refusal), media_type="application/json")
    commitment = room.table.commitment if isinstance(command, cmd.Sit) else None
    return CommandAccepted(ack=command.id, seq=done.seq, commitment=commitment)
