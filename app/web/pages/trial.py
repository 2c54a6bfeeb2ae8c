"""Trials: play on from any turn of a finished game, in the seat whose turn it was, against bots.

As in a lesson (practice.py), the server keeps no state: the browser sends every action so far, its own and the bots'.
The position comes from the game's record, so none from a client has to be trusted. Only finished games, whose cards are
public, can be continued. The deck is that of the game, so the same cards are drawn.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import orjson
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.bots.levels import is_level
from app.play.ports import ActionChooser
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.web.api.games import GameId, RoomPassword
from app.web.api.records import record_for
from app.web.auth.identity import MaybePerson
from app.web.errors import BadRequest
from app.web.game_server import actor_of, game_server_of
from app.web.pages.click_question import explain_click, parse_question
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.request_bounds import TRIAL_BODY_BYTES
from app.web.security.room_lookup import find_room
from app.web.site import site_of

__all__ = ["MAX_ACTIONS", "MAX_REPLIES", "Trial", "router"]

router = Router(include_in_schema=False)

SUBSTITUTE_LEVEL = "mate"  # plays the seats that people had
BOT_SECONDS = 0.5  # a bot's time for one action
LEGEND_SECONDS = 0.1  # which would use all of its time
REPLY_COST_MS = 40.0  # of a bot process
LEGEND_REPLY_COST_MS = 1000 * LEGEND_SECONDS
MOVES_PER_MS = 4  # replayed
MAX_ACTIONS = 1_500
MAX_REPLIES = 60  # by bots to one action; four bots' turns are at most 24 actions, plus forced responses
MAX_CACHED_RECORDS = 32  # a trial sends a request per action

Json = dict[str, Any]


class Trial:
    """The game up to a step, continued with other actions."""

    def __init__(self, record: rules.Record, step: int, actions: list[Json]) -> None:
        self.options = record.options
        self._levels = [bot if bot and is_level(bot) else SUBSTITUTE_LEVEL for _, bot in record.players]
        self.position, _ = next(line := rules.replay(record))
        self._seen: list[list[Json]] = [[] for _ in range(record.options.players)]
        for self.position, events in islice(line, step):
            self._append_seen(events)
        if self.position.winner is not None:
            raise Refusal("game_over")
        self.seat = rules.seats_to_act(self.position)[0]
        self.steps: list[Json] = []
        for step_json in actions:
            self.play(step_json.get("seat"), step_json.get("action"), "person")

    def play(self, seat: object, action: object, by: str) -> None:
        """Play one action. Raise RuleError if it is illegal."""
        if not (type(seat) is int and 0 <= seat < self.options.players):
            raise BadRequest("bad_seat", "There is no such seat.")
        self.position, events = rules.apply(self.position, seat, rules.action_from_json(action))
        self._append_seen(events)
        to_json = rules.events_for(events, self.seat, self.options)
        self.steps.append({"seat": seat, "action": action, "by": by, "events": to_json})

    def _append_seen(self, events: tuple[rules.Event, ...]) -> None:
        for seat, seen in enumerate(self._seen):
            seen += rules.events_for(events, seat, self.options)

    def bot_to_act(self) -> int | None:
        """Return the seat of the bot that must act; None if it is the person's move or the game is over."""
        if self.position.winner is not None:
            return None
        acting = rules.seats_to_act(self.position)
        return None if self.seat in acting else acting[0]

    def reply_cost_ms(self, seat: int) -> float:
        """Return what one action of a bot costs."""
        return LEGEND_REPLY_COST_MS if self._levels[seat] == "legend" else REPLY_COST_MS

    async def reply(self, bots: ActionChooser, seat: int, person: str = "") -> None:
        """Play one action of a bot, chosen from what its seat knows. Bots of the game keep their level."""
        level = self._levels[seat]
        seconds = LEGEND_SECONDS if level == "legend" else BOT_SECONDS
        actions = [rules.action_to_json(action) for action in rules.legal(self.position, seat)]
        view = rules.view(self.position, seat)
        chosen = await bots.choose(view, actions, self._seen[seat], level, seconds, seat=seat, person=person)
        self.play(seat, chosen, "bot")

    def to_json(self, known: int) -> Json:
        """Return what the person sees now. `known` is the number of actions they have already seen."""
        position = self.position
        is_over = position.winner is not None
        may_act = not is_over and self.seat in rules.seats_to_act(position)
        return {
            "seat": self.seat,
            "view": rules.view(position, self.seat),
            "choices": orjson.loads(rules.choices_json(position, self.seat)) if may_act else [],
            "steps": self.steps[known:],
            "result": {"winner": position.winner, "places": list(rules.finishing_places(position))}
            if is_over
            else None,
        }


@router.post("/g/{game}/try")
async def try_from_here(
    request: Request, game: GameId, person: MaybePerson, password: RoomPassword = None
) -> Response:
    """Play on from a step of a finished game: the given actions, then the bots' replies."""
    site, bots = site_of(request), game_server_of(request).context.bots
    site.limits.writes.take(f"try {site.limits.key_of(request)}", 2)
    room = await find_room(request, game, actor_of(person), password)
    record = await _record(request, room)
    body = json_object(await request.body(), limit=TRIAL_BODY_BYTES)
    step, known, actions = (body.get(name) for name in ("step", "known", "actions"))
    if (
        not isinstance(actions, list)
        or len(actions) > MAX_ACTIONS
        or not all(isinstance(action, dict) for action in actions)
    ):
        raise BadRequest("bad_request", f"A practice game takes a list of at most {MAX_ACTIONS} actions.")
    # The last step is allowed too: an aborted game can be continued.
    if type(step) is not int or not 0 <= step <= len(record.moves):
        raise BadRequest("bad_request", "There is no such step in this game.")
    if type(known) is not int or not 0 <= known <= len(actions):
        raise BadRequest("bad_request", "`known` must be a whole number from 0 to the number of actions.")
    site.limits.take_work(request, (step + len(actions)) / MOVES_PER_MS)
    question = parse_question(body.get("why"))
    trial = await site.offload.run(Trial, record, step, actions)
    if question is not None:
        return JSONResponse({"why": explain_click(trial.position, trial.seat, question)})
    for _ in range(MAX_REPLIES):
        seat = trial.bot_to_act()
        if seat is None:
            break
        site.limits.take_work(request, trial.reply_cost_ms(seat))
        await trial.reply(bots, seat, person.id if person is not None else site.limits.address_of(request))
    return JSONResponse(trial.to_json(known))


async def _record(request: Request, room: Room) -> rules.Record:
    """Return the record of the room's game. It is final and cached; its names are not used."""
    cached: LRUCache[str, rules.Record] = request.app.state.record_cache
    found = cached.get(room.id)
    if found is None:
        actions = await record_for(request, room)
        found = await site_of(request).offload.run(rules.record_from_json, actions)
        cached[room.id] = found
    return found
