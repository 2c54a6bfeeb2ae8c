"""Replays: of a record, or of a running game as far as the viewer has seen it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

from app import rules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import PlayedLine, read_whole_log
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.web.api.games import GameId, RoomPassword
from app.web.api.records import ENTRIES_PER_MS
from app.web.auth.identity import MaybePerson
from app.web.errors import BadRequest, TooBig
from app.web.game_server import actor_of, game_server_of
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import site_of

router = Router(include_in_schema=False)

MAX_RECORD_BYTES = 900_000
MAX_MOVES = 4_000
BYTES_PER_MS = 2_500  # of a record that is replayed
MAX_CACHED_REPLAYS = 64  # of running games, encoded; many spectators request the same one

Json = dict[str, Any]


def steps_of(record: rules.Record, eyes: int | None, *, everything: bool) -> Json:
    """Return the opening and the events of each move: for a seat, for spectators (`eyes` None) or `everything`."""
    line = rules.replay(record)
    position, _ = next(line)
    options = position.options
    first = rules.open_view(position) if everything else rules.view(position, eyes)
    steps: list[Json] = []
    for move, (after, events) in zip(record.moves, line, strict=True):
        shown = (
            [rules.event_to_json(event) for event in events]
            if everything
            else rules.events_for(events, eyes, options)
        )
        steps.append(
            {"seat": move.seat, "at": move.at, "by": move.by, "marks": list(move.marks), "events": shown}
        )
        position = after
    return {"view": first, "steps": steps, "seed": record.seed, "over": position.winner is not None}


@router.post("/replay/steps")
async def replay_record(request: Request) -> Response:
    """Replay a record. Nothing is stored, and only what the record contains is shown."""
    site = site_of(request)
    site.limits.writes.take(f"replay {site.limits.key_of(request)}", 3)
    body = await request.body()
    site.limits.take_work(request, len(body) / BYTES_PER_MS)
    played = await site.offload.run(_call_and_encode, _replay_body, body)
    return Response(played, media_type="application/json")


def _replay_body(body: bytes) -> Json:
    request_json = json_object(body, limit=MAX_RECORD_BYTES)
    record = request_json.get("record")
    moves = record.get("actions") if isinstance(record, dict) else None
    if isinstance(moves, list) and len(moves) > MAX_MOVES:  # checked before parsing
        raise TooBig
    record = rules.record_from_json(record)
    eyes = request_json.get("eyes", "all")
    if eyes != "all" and eyes is not None and not (type(eyes) is int and 0 <= eyes < record.options.players):
        raise BadRequest("bad_seat", "There is no such seat.")
    return steps_of(record, None if eyes == "all" else eyes, everything=eyes == "all")


def seen_history_json(row: GameRow, entries: list[Entry], seat: int | None, last: int) -> Json:
    """Return a game as one audience has seen it so far: its own view and events, and nothing else of the log.

    Entries after `last` are left out: `seat` is valid at that entry, but seats are renumbered when a game starts, and
    the log may be ahead of the room.
    """
    played = PlayedLine(Table.from_row(row), (entry for entry in entries if entry.seq <= last))
    table, opening = played.table, played.first_position
    if opening is None:
        raise Refusal("not_started")
    engine = table.rules
    steps = [
        {
            "seq": entry.seq,
            "seat": entry.seat,
            "at": entry.at,
            "by": entry.by,
            "marks": [],
            "events": engine.events_for(events, seat, table.options),
        }
        for entry, events, _ in played.moves
    ]
    return {
        "view": engine.view(opening, seat),
        "began": played.started_seq,
        "seq": table.seq,
        "steps": steps,
    }


def _call_and_encode(make: Callable[..., Json], *arguments: Any) -> bytes:
    """Call `make` and encode its result as JSON. Both take long, so they run in the offload thread."""
    return orjson.dumps(make(*arguments))


@router.get("/g/{game}/seen")
async def seen_history(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> Response:
    """Return what this viewer has seen of a running game, from its start."""
    game_server, actor = game_server_of(request), actor_of(person)
    site = site_of(request)
    site.limits.writes.take(f"replay {site.limits.key_of(request)}", 3)
    room = await find_room(request, game, actor, password)
    cached: LRUCache[tuple[str, int, int | None], bytes] = request.app.state.replay_cache
    table = room.table
    seat = table.seat_of(actor.ids)
    key = (game, table.seq, seat)
    body = cached.get(key)
    if body is None:
        site.limits.take_work(request, table.seq / ENTRIES_PER_MS)
        # Replaying a long game takes a tenth of a second, too long for the event loop.
        body = await site.offload.run(
            _call_and_encode,
            seen_history_json,
            room.row,
            await read_whole_log(game_server.store.log, game),
            seat,
            table.seq,
        )
        cached[key] = body
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
