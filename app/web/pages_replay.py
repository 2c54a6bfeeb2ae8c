"""Replays: a record is played through by the rules and told for one pair of eyes, or for all."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.web.errors import BadRequest
from app.web.pages_render import json_object
from app.web.site import site_of

__all__ = ["router", "steps_of"]

router = APIRouter(include_in_schema=False)

LARGEST = 900_000
MOST_MOVES = 4_000

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
        told = (
            [rules.event_to_json(event) for event in events]
            if everything
            else rules.events_for(events, eyes, options)
        )
        steps.append(
            {"seat": move.seat, "at": move.at, "by": move.by, "marks": list(move.marks), "events": told}
        )
        position = after
    return {"view": first, "steps": steps, "seed": record.seed, "over": position.winner is not None}


@router.post("/replay/steps")
async def steps(request: Request) -> Response:
    """Play a record through. Nothing is kept, and only what the record itself holds is told."""
    site = site_of(request)
    site.limits.writes.take(f"replay {site.limits.key_of(request)}", 3)
    given = json_object(await request.body(), limit=LARGEST)
    record = rules.record_from_json(given.get("record"))
    eyes = given.get("eyes", "all")
    if len(record.moves) > MOST_MOVES:
        raise BadRequest("too_big", "That is too big.")
    if eyes != "all" and eyes is not None and not (type(eyes) is int and 0 <= eyes < record.options.players):
        raise BadRequest("bad_seat", "There is no such seat for this.")
    return JSONResponse(steps_of(record, None if eyes == "all" else eyes, everything=eyes == "all"))
