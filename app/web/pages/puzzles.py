"""The practice page: turns of one's finished games that cost much come back as puzzles."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Path
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.store.people.mistakes import Mistake
from app.web.api.records import ENTRIES_PER_MS
from app.web.auth.identity import KnownPerson
from app.web.errors import BadRequest, NotFound
from app.web.mistakes import Mistakes
from app.web.pages.analysis import run_study
from app.web.pages.render import Pages, json_object
from app.web.pages.trial import MOVES_PER_MS
from app.web.routing import Router
from app.web.security.request_bounds import DEFAULT_BODY_BYTES
from app.web.site import site_of

router = Router(include_in_schema=False)

MAX_LISTED = 20
MAX_SEARCHED_GAMES = 10
"""Newest finished games that a visit queues to be searched."""
MAX_ACTIONS = 12
PLAY_COST_MS = 20.0
"""CPU of a puzzle at the beginning of a cached game. The moves before it are replayed."""
JUDGE_COST = 2.0
"""Seconds of a bot process, as in `take_study`. It searches with double effort."""

Json = dict[str, Any]
PuzzleGame = Annotated[str, Path(max_length=40)]
Step = Annotated[int, Path(ge=0, le=1_000_000)]


def _mistakes_of(request: Request) -> Mistakes:
    mistakes: Mistakes = request.app.state.mistakes
    return mistakes


@router.get("/practice")
async def practice_page(request: Request, pages: Pages) -> Response:
    """Return the practice page, which loads the person's puzzles."""
    return await pages.page(request, "practice.html")


@router.get("/practice/mistakes")
async def list_mistakes(request: Request, person: KnownPerson) -> Response:
    """Return the puzzles that are due, and counts of the others."""
    store, now = _mistakes_of(request).store, site_of(request).now()
    overview = await store.read_overview(person.id, now)
    due = await store.list_due(person.id, now, MAX_LISTED) if overview.due else []
    return JSONResponse(
        {
            **msgspec.structs.asdict(overview),
            "next_at": None if overview.next_at is None else overview.next_at * 1000,
            "now": now * 1000,
            "puzzles": [{"game": each.game, "step": each.step, "stage": each.stage} for each in due],
        }
    )


@router.post("/practice/mistakes/search")
async def search_games(request: Request, person: KnownPerson) -> Response:
    """Queue the newest finished games of the person to be searched for mistakes."""
    site, mistakes = site_of(request), _mistakes_of(request)
    site.limits.take_write(person.id)
    rows = await site.games.list_games_of(person.ids, unfinished=False, limit=MAX_SEARCHED_GAMES)
    games = [row.id for row in rows if row.status in ("finished", "aborted")]
    return JSONResponse({"queued": await mistakes.request(person, games)})


async def _find(request: Request, person_id: str, game: str, step: int) -> Mistake:
    found = await _mistakes_of(request).store.find(person_id, game, step)
    if found is None:
        raise NotFound("There is no such puzzle.")
    return found


async def _take_work(request: Request, mistake: Mistake) -> None:
    unread = await _mistakes_of(request).count_unread_entries(mistake)
    cost = PLAY_COST_MS + mistake.step / MOVES_PER_MS + unread / ENTRIES_PER_MS
    site_of(request).limits.take_work(request, cost)


async def _read_actions(request: Request) -> list[Json]:
    actions = json_object(await request.body(), limit=DEFAULT_BODY_BYTES).get("actions")
    if (
        not isinstance(actions, list)
        or len(actions) > MAX_ACTIONS
        or not all(isinstance(action, dict) for action in actions)
    ):
        raise BadRequest("bad_request", f"A turn is a list of at most {MAX_ACTIONS} actions.")
    return actions


@router.post("/practice/mistakes/{puzzle}/{step}/play")
async def play(request: Request, puzzle: PuzzleGame, step: Step, person: KnownPerson) -> Response:
    """Return the puzzle after some actions."""
    site_of(request).limits.take_write(person.id)
    actions = await _read_actions(request)
    mistake = await _find(request, person.id, puzzle, step)
    await _take_work(request, mistake)
    return JSONResponse(await _mistakes_of(request).play(mistake, actions))


@router.post("/practice/mistakes/{puzzle}/{step}/judge")
async def judge(request: Request, puzzle: PuzzleGame, step: Step, person: KnownPerson) -> Response:
    """Judge a whole turn, and set when the puzzle comes back."""
    site, mistakes = site_of(request), _mistakes_of(request)
    site.limits.take_write(person.id)
    actions = await _read_actions(request)
    mistake = await _find(request, person.id, puzzle, step)
    await _take_work(request, mistake)
    await mistakes.check_turn(mistake, actions)
    found = await run_study(
        request, person.id, lambda asker: mistakes.judge(mistake, actions, asker), JUDGE_COST
    )
    await mistakes.store.record_try(mistake, site.now(), is_right=found["is_right"])
    return JSONResponse(found)
