"""Practice: the real engine on a lesson's position, with nothing kept between two requests.

The browser sends all its actions so far; they are played from the lesson's opening. So there is no state
to lose or to leak, and no position from outside to trust.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.web.errors import BadRequest, NotFound
from app.web.pages.lessons import Lesson, Stage, find_stage, opening
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.request_bounds import DEFAULT_BODY_BYTES
from app.web.site import site_of

router = Router(include_in_schema=False)

ME = 0
MOST_ACTIONS = 40

Json = dict[str, Any]


def reply(position: rules.Position) -> rules.Action:
    """What blue does: forward if it can, else back, else it ends. A lesson needs no cleverer pirate."""
    offered = rules.legal(position, position.turn_seat)
    forward = ("advance", "retreat", "morgan", "end")
    kinds = ("end", *forward) if position.taken >= 2 else forward
    for kind in kinds:
        for action in offered:
            if rules.action_to_json(action)["type"] == kind:
                return action
    return rules.default_action(position, position.turn_seat)


def play_stage(stage: Stage, actions: list[object]) -> Json:
    """The stage after these actions: what red sees, what just happened, what red may do next."""
    position = opening(f"demo-{stage.name}" if not isinstance(stage, Lesson) else stage.name)
    before = rules.view(position, ME)
    shown: list[Json] = []
    everything: list[Json] = []
    for given in actions:
        before = rules.view(position, ME)
        action = rules.action_from_json(given)
        position, events = rules.apply(position, ME, action)
        shown = rules.events_for(events, ME, position.options)
        while isinstance(stage, Lesson) and position.winner is None and position.turn_seat != ME:
            position, events = rules.apply(position, position.turn_seat, reply(position))
            shown += rules.events_for(events, ME, position.options)
        for seat in rules.seats_to_act(position) if position.pending is not None else ():
            if seat != ME:  # blue owes something and answers at once
                position, events = rules.apply(position, seat, rules.default_action(position, seat))
                shown += rules.events_for(events, ME, position.options)
        everything += shown
    offered = rules.choices(position, ME) if position.winner is None and position.turn_seat == ME else []
    is_done = isinstance(stage, Lesson) and stage.is_done(position, everything)
    if isinstance(stage, Lesson) and stage.only:
        offered = [each for each in offered if each["action"]["type"] in stage.only]
    return {
        "before": before,
        "view": rules.view(position, ME),
        "events": shown,
        "choices": [] if is_done else offered,
        "show": stage.show,
        "then": list(stage.then),
        "done": is_done,
    }


@router.post("/practice/{name}")
async def practice(request: Request, name: str) -> Response:
    """Play a lesson's actions from its beginning."""
    site = site_of(request)
    site.limits.writes.take(f"practice {site.limits.key_of(request)}")
    stage = find_stage(name)
    if stage is None:
        raise NotFound
    actions = json_object(await request.body(), limit=DEFAULT_BODY_BYTES).get("actions", [])
    if not isinstance(actions, list) or len(actions) > MOST_ACTIONS:
        raise BadRequest("bad_request", f"A lesson takes a list of at most {MOST_ACTIONS} actions.")
    return JSONResponse(play_stage(stage, actions))
