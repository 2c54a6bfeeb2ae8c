"""Practice: the real engine on a lesson's position, without state between requests.

The browser sends all its actions so far, which are replayed from the lesson's opening. So the server keeps no state
and never has to trust a position from a client.
"""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.web.errors import BadRequest, NotFound
from app.web.pages.lessons import Lesson, Stage, find_stage, opening_position
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.request_bounds import DEFAULT_BODY_BYTES
from app.web.site import site_of

router = Router(include_in_schema=False)

PLAYER_SEAT = 0
MAX_ACTIONS = 40

Json = dict[str, Any]


def choose_reply(position: rules.Position) -> rules.Action:
    """Return blue's action: advance if possible, else retreat, else end the turn. Lessons need no better opponent."""
    offered = rules.legal(position, position.turn_seat)
    forward = ("advance", "retreat", "morgan", "end")
    kinds = ("end", *forward) if position.actions_taken >= 2 else forward
    for kind in kinds:
        for action in offered:
            if rules.action_to_json(action)["type"] == kind:
                return action
    return rules.default_action(position, position.turn_seat)


def play_stage(stage: Stage, actions: list[object]) -> Json:
    """Return the stage after these actions: red's view, the last events, and red's choices."""
    position = opening_position(f"demo-{stage.name}" if not isinstance(stage, Lesson) else stage.name)
    before = rules.view(position, PLAYER_SEAT)
    shown: list[Json] = []
    all_events: list[Json] = []
    for given in actions:
        before = rules.view(position, PLAYER_SEAT)
        action = rules.action_from_json(given)
        position, events = rules.apply(position, PLAYER_SEAT, action)
        shown = rules.events_for(events, PLAYER_SEAT, position.options)
        while isinstance(stage, Lesson) and position.winner is None and position.turn_seat != PLAYER_SEAT:
            position, events = rules.apply(position, position.turn_seat, choose_reply(position))
            shown += rules.events_for(events, PLAYER_SEAT, position.options)
        for seat in rules.seats_to_act(position) if position.pending is not None else ():
            if seat != PLAYER_SEAT:  # blue must respond and does so at once
                position, events = rules.apply(position, seat, rules.default_action(position, seat))
                shown += rules.events_for(events, PLAYER_SEAT, position.options)
        all_events += shown
    may_act = position.winner is None and position.turn_seat == PLAYER_SEAT
    offered = orjson.loads(rules.choices_json(position, PLAYER_SEAT)) if may_act else []
    is_done = isinstance(stage, Lesson) and stage.is_done(position, all_events)
    if isinstance(stage, Lesson) and stage.only:
        offered = [choice for choice in offered if choice["action"]["type"] in stage.only]
    return {
        "before": before,
        "view": rules.view(position, PLAYER_SEAT),
        "events": shown,
        "choices": [] if is_done else offered,
        "show": stage.show,
        "then": list(stage.then),
        "done": is_done,
    }


@router.post("/practice/{name}")
async def practice(request: Request, name: str) -> Response:
    """Replay the actions of a lesson or demo and return the result."""
    site = site_of(request)
    site.limits.writes.take(f"practice {site.limits.key_of(request)}")
    stage = find_stage(name)
    if stage is None:
        raise NotFound
    actions = json_object(await request.body(), limit=DEFAULT_BODY_BYTES).get("actions", [])
    if not isinstance(actions, list) or len(actions) > MAX_ACTIONS:
        raise BadRequest("bad_request", f"A lesson takes a list of at most {MAX_ACTIONS} actions.")
    return JSONResponse(play_stage(stage, actions))
