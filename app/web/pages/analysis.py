"""The analysis board: any position with all hands face up, any legal action for any seat, chances and best turns.

The server keeps no state. A page sends a position code (app/rules/formats/position_code.py), or a view with all hands,
and the actions since. A code contains neither the deck's order nor anything about a table, so a link tells nobody more
than its sender knew. A seat's view of a running game with hidden hands has no code; only games that are over, records
and positions set up by hand can be analysed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import rules
from app.bots.pool import BotPool, SearchFailed
from app.play.commands import messages as cmd
from app.play.refusals import Refusal
from app.rules.catalogue import PRESETS
from app.web.auth.identity import MaybePerson
from app.web.errors import BadRequest, TooMany
from app.web.pages.click_question import explain_click, parse_question
from app.web.pages.render import Pages, json_object
from app.web.routing import Router
from app.web.security.request_bounds import DEFAULT_BODY_BYTES
from app.web.site import site_of

__all__ = ["MAX_ACTIONS", "MAX_CACHED_ANALYSES", "play_line", "router", "run_study"]

router = Router(include_in_schema=False)

MAX_ACTIONS = 60
"""Actions since a code. A page continues from the newest code, so it sends those of one turn."""
MAX_CACHED_ANALYSES = 500
ANALYSIS_SECONDS = 15.0
"""Time limit of a search, which takes up to about three seconds of CPU."""
RETRY_SECONDS = 10
PLAY_COST_MS = 4.0

Json = dict[str, Any]


@router.get("/analysis")
async def analysis_page(request: Request, pages: Pages, p: str = "") -> Response:
    """Return the analysis board for the position in the address, or the page for setting one up."""
    return await pages.page(request, "analysis.html" if p else "setup.html", presets=PRESETS.values())


@router.get("/analysis/setup")
async def setup_page(request: Request, pages: Pages) -> Response:
    """Return the page for setting up a position, which may begin with that of the address."""
    return await pages.page(request, "setup.html", presets=PRESETS.values())


@router.post("/analysis/play")
async def play(request: Request) -> Response:
    """Play actions from a position: by its code, by a view with all hands, or the start of a game with options.

    With `why`, return only why a click then does nothing.
    """
    site = site_of(request)
    site.limits.writes.take(f"analysis {site.limits.key_of(request)}")
    body = json_object(await request.body(), limit=DEFAULT_BODY_BYTES)
    actions = body.get("actions", [])
    if (
        not isinstance(actions, list)
        or len(actions) > MAX_ACTIONS
        or not all(isinstance(action, dict) for action in actions)
    ):
        raise BadRequest("bad_request", f"An analysis takes a list of at most {MAX_ACTIONS} actions.")
    question = parse_question(body.get("why"))
    site.limits.take_work(request, PLAY_COST_MS)
    return JSONResponse(await site.offload.run(_play_from, body, actions, question))


def _play_from(body: Json, actions: list[Json], question: cmd.Why | None) -> Json:
    return play_line(_start(body), actions, question)


def _start(body: Json) -> str:
    """Return the code of the position to start from."""
    if "view" in body:
        return rules.code_from_view(body["view"])
    if "options" in body:
        options = rules.parse_options(body["options"])
        return rules.position_to_code(rules.new_game(options, "0" * 64)) or ""
    code = body.get("code")
    if not isinstance(code, str):
        raise BadRequest("bad_request", "An analysis takes the code of a position.")
    return code


def play_line(code: str, actions: list[Json], question: cmd.Why | None = None) -> Json:
    """Return the position after the actions, for the seat that acts next, or the answer to a question about it.

    Raise RuleError for an illegal action.
    """
    position = rules.position_from_code(code)
    steps: list[Json] = []
    for given in actions:
        seat = given.get("seat")
        if not (type(seat) is int and 0 <= seat < position.options.players):
            raise BadRequest("bad_seat", "There is no such seat.")
        position, events = rules.apply(position, seat, rules.action_from_json(given.get("action")))
        steps.append({"seat": seat, "events": rules.events_for(events, seat, position.options)})
    is_over = position.winner is not None
    if question is not None and is_over:
        raise Refusal("game_over")
    seat = position.turn_seat if is_over else rules.seats_to_act(position)[0]
    if question is not None:
        return {"why": explain_click(position, seat, question)}
    return {
        "code": rules.position_to_code(position),
        "start": code,
        "seat": seat,
        "view": rules.view(position, seat),
        "choices": [] if is_over else orjson.loads(rules.choices_json(position, seat)),
        "steps": steps,
        "result": {"winner": position.winner, "places": list(rules.finishing_places(position))}
        if is_over
        else None,
    }


@router.post("/analysis/evaluate")
async def evaluate(request: Request, person: MaybePerson) -> Response:
    """Return the chances and the best turns of a position."""
    site = site_of(request)
    site.limits.writes.take(f"analysis {site.limits.key_of(request)}")
    code = json_object(await request.body(), limit=4096).get("code")
    cached: LRUCache[str, Json] = request.app.state.analysis_cache
    found = cached.get(str(code))
    if found is None:
        site.limits.take_work(request, PLAY_COST_MS)
        await site.offload.run(rules.position_from_code, code)  # refused here, not in the bots' process
        pool: BotPool = request.app.state.bot_pool
        found = await run_study(
            request,
            person.id if person is not None else None,
            lambda asker: pool.study("analysis", {"analyse": code}, ANALYSIS_SECONDS, asker),
        )
        cached[str(code)] = found
    return JSONResponse(found)


async def run_study(
    request: Request, person: str | None, study: Callable[[str], Awaitable[Json]], cost: float = 1.0
) -> Json:
    """Charge a study and run it for a person or an address. Raise TooMany.

    The charge is given back if the study did not run to its time limit.
    """
    limits = site_of(request).limits
    charge = limits.take_study(request, person, cost)
    try:
        return await study(person or limits.address_of(request))
    except SearchFailed as problem:
        if problem.outcome == "late":
            raise TooMany(RETRY_SECONDS, "The analysis took too long. Ask again in a moment.") from None
        charge.give_back()
        raise TooMany(RETRY_SECONDS, "Other positions are being analysed. Ask again in a moment.") from None
