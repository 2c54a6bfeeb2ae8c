"""A trial: the real engine on a turn of a finished game, the person on the seat whose turn it was, bots on all others.

As in a lesson (practice.py) nothing is kept between two requests: the browser sends every action so far, its own and
those it was told of the bots. The position comes from the game's own record, so there is none from outside to trust,
and only a game that is over, of which everything is known, can be gone on with. The deck is the game's own: what was
drawn then is drawn now.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.play.ports import BotPlayer
from app.play.refusals import Refusal
from app.play.room.room import Room
from app.web.api.games import GameId, Password
from app.web.api.records import record_for
from app.web.auth.identity import MaybePerson
from app.web.errors import BadRequest
from app.web.game_server import actor_of, game_server_of
from app.web.pages.render import json_object
from app.web.routing import Router
from app.web.security.request_bounds import TRIAL_BODY_BYTES
from app.web.security.room_lookup import find_room
from app.web.site import site_of

__all__ = ["MOST_ACTIONS", "MOST_REPLIES", "Trial", "router"]

router = Router(include_in_schema=False)

LEVEL = "mate"
SECONDS = 0.5  # that a bot may think about one action
REPLY_WORK = 40.0  # milliseconds of a bot's process, for the price of one reply
MOVES_A_MILLISECOND = 4  # played again, for the price
MOST_ACTIONS = 1_500
MOST_REPLIES = 60  # of bots to one action; four bots' turns are at most 24, and what they owe each other
KEPT = 32  # records that have been read: somebody who tries asks again with every action

Json = dict[str, Any]


class Trial:
    """What was played of the game up to a step, and what is played in its stead from there on."""

    def __init__(self, record: rules.Record, step: int, given: list[Json]) -> None:
        self.options = record.options
        self.position, _ = next(line := rules.replay(record))
        self._seen: list[list[Json]] = [[] for _ in range(record.options.players)]
        for self.position, events in islice(line, step):
            self._note(events)
        if self.position.winner is not None:
            raise Refusal("game_over")
        self.seat = rules.seats_to_act(self.position)[0]
        self.steps: list[Json] = []
        for each in given:
            self.play(each.get("seat"), each.get("action"), "person")

    def play(self, seat: object, action: object, by: str) -> None:
        """One action; raises RuleError."""
        if not (type(seat) is int and 0 <= seat < self.options.players):
            raise BadRequest("bad_seat", "There is no such seat for this.")
        self.position, events = rules.apply(self.position, seat, rules.action_from_json(action))
        self._note(events)
        shown = rules.events_for(events, self.seat, self.options)
        self.steps.append({"seat": seat, "action": action, "by": by, "events": shown})

    def _note(self, events: tuple[rules.Event, ...]) -> None:
        for seat, seen in enumerate(self._seen):
            seen += rules.events_for(events, seat, self.options)

    def bot_to_act(self) -> int | None:
        """The bot that is to act now; None while it is the person's move, or the game is over."""
        if self.position.winner is not None:
            return None
        acting = rules.seats_to_act(self.position)
        return None if self.seat in acting else acting[0]

    async def reply(self, bots: BotPlayer, seat: int, person: str = "") -> None:
        """One action of a bot, from what its seat knows."""
        actions = [rules.action_to_json(action) for action in rules.legal(self.position, seat)]
        view = rules.view(self.position, seat)
        chosen = await bots.choose(view, actions, self._seen[seat], LEVEL, SECONDS, seat=seat, person=person)
        self.play(seat, chosen, "bot")

    def shown(self, known: int) -> Json:
        """What the person sees after it; `known`: how many of the actions they have been shown already."""
        position = self.position
        is_over = position.winner is not None
        may_act = not is_over and self.seat in rules.seats_to_act(position)
        return {
            "seat": self.seat,
            "view": rules.view(position, self.seat),
            "choices": rules.choices(position, self.seat) if may_act else [],
            "steps": self.steps[known:],
            "result": {"winner": position.winner, "places": list(rules.places(position))}
            if is_over
            else None,
        }


@router.post("/g/{game}/try")
async def try_from_here(
    request: Request, game: GameId, person: MaybePerson, password: Password = None
) -> Response:
    """Play on from a step of a finished game: the given actions, then the bots' replies up to one's next choice."""
    site, bots = site_of(request), game_server_of(request).context.bots
    site.limits.writes.take(f"try {site.limits.key_of(request)}", 2)
    room = await find_room(request, game, actor_of(person), password)
    record = await _record(request, room)
    given = json_object(await request.body(), limit=TRIAL_BODY_BYTES)
    step, known, actions = (given.get(name) for name in ("step", "known", "actions"))
    if not isinstance(actions, list) or len(actions) > MOST_ACTIONS or not all(map(_is_object, actions)):
        raise BadRequest("bad_request", f"A trial takes a list of at most {MOST_ACTIONS} actions.")
    if type(step) is not int or not 0 <= step <= len(record.moves):  # one that was broken off goes on
        raise BadRequest("bad_request", "There is no such step in this game.")
    if type(known) is not int or not 0 <= known <= len(actions):
        raise BadRequest("bad_request", "You cannot know more actions than there are.")
    site.limits.take_work(request, (step + len(actions)) / MOVES_A_MILLISECOND)
    trial = await site.offload.run(Trial, record, step, actions)
    for _ in range(MOST_REPLIES):
        seat = trial.bot_to_act()
        if seat is None:
            break
        site.limits.take_work(request, REPLY_WORK)
        await trial.reply(bots, seat, person.id if person is not None else site.limits.address_of(request))
    return JSONResponse(trial.shown(known))


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


async def _record(request: Request, room: Room) -> rules.Record:
    """The record of the room's game, which never changes any more; its names are not looked at."""
    kept: OrderedDict[str, rules.Record] | None = getattr(request.app.state, "tried", None)
    if kept is None:
        kept = request.app.state.tried = OrderedDict()
    found = kept.get(room.id)
    if found is None:
        given = await record_for(request, room)
        found = await site_of(request).offload.run(rules.record_from_json, given)
        kept[room.id] = found
        while len(kept) > KEPT:
            kept.popitem(last=False)
    kept.move_to_end(room.id)
    return found
