"""Replays: a record, or the running game as far as one has seen it, for one seat or for everybody."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from app import rules
from app.play.log.entries import Entry, GameRow
from app.play.log.reading import PlayedLine, whole_log
from app.play.log.table import Table
from app.play.refusals import Refusal
from app.web.api.games import GameId, Password
from app.web.api.records import ENTRIES_A_MILLISECOND
from app.web.auth.identity import MaybePerson
from app.web.errors import BadRequest, TooBig
from app.web.game_server import actor_of, game_server_of
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import site_of

router = Router(include_in_schema=False)

LARGEST = 900_000
MOST_MOVES = 4_000
BYTES_A_MILLISECOND = 2_500  # of a record that is played through, for the price
KEPT = 64  # encoded replays of running games: a crowd that comes to watch gets the same one

Json = dict[str, Any]


def open_view(position: rules.Position) -> Json:
    """A view in which every hand lies open, as the eyes of all see it."""
    seen = rules.view(position, None)
    full = rules.position_to_json(position)
    for player, known in zip(seen["players"], full["players"], strict=True):
        player["hand"] = known["hand"]
        player["cards"] = len(known["hand"])
    # Folding hides a hand again after a theft where hands are hidden; here nothing is.
    seen["options"] = {**seen["options"], "hands": "open"}
    return seen


def steps_of(record: rules.Record, eyes: int | None, *, everything: bool) -> Json:
    """The opening and, for each move, what these eyes see of it."""
    line = rules.replay(record)
    position, _ = next(line)
    options = position.options
    first = open_view(position) if everything else rules.view(position, eyes)
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
async def steps(request: Request) -> Response:
    """Play a record through. Nothing is kept, and only what the record itself holds is shown."""
    site = site_of(request)
    site.limits.writes.take(f"replay {site.limits.key_of(request)}", 3)
    body = await request.body()
    site.limits.take_work(request, len(body) / BYTES_A_MILLISECOND)
    played = await site.offload.run(_encoded, _steps, body)
    return Response(played, media_type="application/json")


def _steps(body: bytes) -> Json:
    given = json_object(body, limit=LARGEST)
    record = given.get("record")
    moves = record.get("actions") if isinstance(record, dict) else None
    if isinstance(moves, list) and len(moves) > MOST_MOVES:  # before they are looked at
        raise TooBig
    record = rules.record_from_json(record)
    eyes = given.get("eyes", "all")
    if eyes != "all" and eyes is not None and not (type(eyes) is int and 0 <= eyes < record.options.players):
        raise BadRequest("bad_seat", "There is no such seat for this.")
    return steps_of(record, None if eyes == "all" else eyes, everything=eyes == "all")


def seen_by(row: GameRow, entries: list[Entry], seat: int | None, last: int) -> Json:
    """A game as one audience has seen it so far: its own views and events, and nothing else of the log.

    `last`: the entry after which the seat has this number. Later ones are left out: seats close up when a game begins,
    and the log may be ahead of the room that knows who sits where.
    """
    played = PlayedLine(Table.of(row), (entry for entry in entries if entry.seq <= last))
    table, opening = played.table, played.opening
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
    return {"view": engine.view(opening, seat), "began": played.began, "seq": table.seq, "steps": steps}


def _encoded(make: Callable[..., Json], *given: Any) -> bytes:
    """What `make` makes, as JSON: encoding it takes as long as making it, so both are done off the loop."""
    return orjson.dumps(make(*given))


@router.get("/g/{game}/seen")
async def seen(request: Request, game: GameId, person: MaybePerson, password: Password = None) -> Response:
    """What this viewer has seen of a game that still runs, from its start."""
    game_server, actor = game_server_of(request), actor_of(person)
    site = site_of(request)
    site.limits.writes.take(f"replay {site.limits.key_of(request)}", 3)
    room = await find_room(request, game, actor, password)
    kept: OrderedDict[tuple[str, int, int | None], bytes] | None = getattr(request.app.state, "seen", None)
    if kept is None:
        kept = request.app.state.seen = OrderedDict()
    table = room.table
    seat = table.seat_of(actor.ids)
    key = (game, table.seq, seat)
    body = kept.get(key)
    if body is None:
        site.limits.take_work(request, table.seq / ENTRIES_A_MILLISECOND)
        # A long game takes a tenth of a second to play through: not on the loop that carries everybody's moves.
        body = await site.offload.run(
            _encoded, seen_by, room.row, await whole_log(game_server.store, game), seat, table.seq
        )
        kept[key] = body
        while len(kept) > KEPT:
            kept.popitem(last=False)
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})
