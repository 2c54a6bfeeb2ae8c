"""API routes for the deal of the day: the deal, the current person's tries, and the results."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Path, Query
from pydantic import BaseModel
from starlette.requests import HTTPConnection, Request

from app import rules
from app.play.deal.days import (
    Deal,
    add_days,
    day_ends_at,
    day_starts_at,
    is_deal_secret,
    parse_day,
)
from app.play.deal.par import Par
from app.play.deal.results import LOSS_BASE_SCORE, RESIGNED_SCORE, turns_to_json
from app.play.deal.statistics import summarise_tries
from app.play.lobby import list_variants
from app.play.refusals import Refusal
from app.store.people.deals import MAX_TRIES_PER_DAY, TooManyTries, Try
from app.store.people.players import Player
from app.web.api.models import error_responses
from app.web.auth.identity import MaybePerson, PersonOrGuest
from app.web.deals import Deals
from app.web.errors import Conflict, NotFound
from app.web.game_server import actor_of
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["deal"], responses=error_responses(401, 403, 404, 409, 422))

TOO_MANY_TRIES = (
    f"You have made {MAX_TRIES_PER_DAY} attempts at today's deal. The next deal begins at midnight UTC."
)
PAGE_SIZE = 50
_RESULTS_COST_MS = 15  # of one page, including the queries
_DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
Day = Annotated[str, Path(max_length=10, pattern=_DAY_PATTERN, examples=["2026-11-17"])]


class StartedTry(BaseModel):
    """A try of today's deal: its table, and whether it counts."""

    id: str
    day: str
    n: int
    counts: bool


class DealResults(BaseModel):
    """The results of a day: first tries that ended on that day, accounts and guests separately."""

    day: str
    accounts: dict[str, Any]
    guests: dict[str, Any]
    comparison: dict[str, Any] | None
    distribution: dict[str, Any]
    standing: dict[str, Any] | None
    par: dict[str, Any] | None


def deals_of(connection: HTTPConnection) -> Deals:
    found: Deals = connection.app.state.deals
    return found


@router.get("/deal")
async def todays_deal(request: Request, person: MaybePerson) -> dict[str, Any]:
    """Return today's deal with tomorrow's commitment, and the current person's tries and streak."""
    return await _deal_json(request, deals_of(request).today(), person)


@router.post("/deal", status_code=201)
async def play_deal(
    request: Request,
    person: PersonOrGuest,
    day: Annotated[str | None, Query(max_length=10, pattern=_DAY_PATTERN)] = None,
) -> StartedTry:
    """Create a table with today's deal, or return the current person's unfinished try. Only the first try counts.

    With `day`, refuse unless it is today: a page may have been open since yesterday.
    """
    site, deals = site_of(request), deals_of(request)
    site.limits.take_write(person.id)
    if day is not None and day != deals.today():
        await _get_deal(deals, day)
        raise Conflict(
            "deal_over",
            "This day is over. Its deal can no longer be played, and everything about it is shown.",
        )
    settings = site.settings
    most = settings.rooms_per_account if person.is_account else settings.rooms_per_guest
    try:
        found = await deals.play(actor_of(person), most)
    except TooManyTries:
        raise Conflict("too_many_tries", TOO_MANY_TRIES) from None
    return StartedTry(id=found.game, day=found.day, n=found.n, counts=found.is_counted)


@router.get("/deal/{day}")
async def deal_of_day(request: Request, day: Day, person: MaybePerson) -> dict[str, Any]:
    """Return the deal of a day, with its server seed once the day is over."""
    return await _deal_json(request, day, person)


@router.get("/deal/{day}/results")
async def deal_results(
    request: Request,
    day: Day,
    person: MaybePerson,
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> DealResults:
    """Return one page of a day's results, their distribution, the bots' own result (par), and where the current
    person's first try diverged from the others.

    Before the day is over, this requires a finished first try.
    """
    deals, site = deals_of(request), site_of(request)
    await _get_deal(deals, day)
    ids = person.ids if person is not None else ()
    first = await _first_try(deals, ids, day)
    is_closed = is_deal_secret(day, deals.now())
    if is_closed and (first is None or not (first.is_over or first.ended_at is not None)):
        raise Refusal("deal_unplayed")
    site.limits.take_work(request, _RESULTS_COST_MS)
    lists = {
        group: await _results_json(deals, day, offset, ids, accounts=group == "accounts")
        for group in ("accounts", "guests")
    }
    distribution, standing = await deals.read_distribution(day, first)
    par = await deals.read_par(day)
    comparison = None
    if first is not None and first.ended_at is not None and first.line:
        comparison = msgspec.to_builtins(await deals.compare(ids, first))
        if comparison["parting"] is not None:
            _add_parting_actions(comparison["parting"], is_closed=is_closed)
    return DealResults(
        day=day,
        **lists,
        comparison=comparison,
        distribution=msgspec.to_builtins(distribution),
        standing=msgspec.to_builtins(standing),
        par=None if par is None else _par_json(par),
    )


def _add_parting_actions(parting: dict[str, Any], *, is_closed: bool) -> None:
    """Add the actions of both turns as JSON; what others did with their cards stays secret until the day is over."""
    if is_closed:
        del parting["instead"]
    for name in ("played", "instead"):
        if name in parting:
            texts = parting[name].split(", ") if parting[name] else []
            parting[f"{name}_actions"] = [
                rules.action_to_json(rules.action_from_text(text)) for text in texts
            ]


def _par_json(par: Par) -> dict[str, Any]:
    return {
        "level": par.level,
        "how": outcome_name(par.score),
        "turns": par.turns,
        "spaces": par.spaces,
    }


async def _results_json(
    deals: Deals, day: str, offset: int, ids: tuple[str, ...], *, accounts: bool
) -> dict[str, Any]:
    is_open = not is_deal_secret(day, deals.now())
    total, rows = await deals.store.list_results(day, accounts=accounts, limit=PAGE_SIZE, offset=offset)
    shown = [
        {
            "place": row["place"],
            "person": row["owner"],
            "name": row["name"],
            "how": outcome_name(row["score"]),
            "turns": row["turns"],
            "spaces": row["spaces"],
            "is_me": row["owner"] in ids,
            # Until the day is over, only for oneself: no other player is admitted to the game.
            "game": row["game"] if is_open or row["owner"] in ids else None,
        }
        for row in rows
    ]
    return {"total": total, "rows": shown}


def outcome_name(score: int | None) -> str | None:
    """Return how a try ended: "won", "beaten" or "given_up"; None before its end."""
    if score is None:
        return None
    return "given_up" if score >= RESIGNED_SCORE else "beaten" if score >= LOSS_BASE_SCORE else "won"


async def _get_deal(deals: Deals, day: str) -> Deal:
    """Return the deal of a day. Raise NotFound if there is none, and for future days."""
    known = parse_day(day)
    found = await deals.get_deal(known) if known is not None and known <= deals.today() else None
    if found is None:
        raise NotFound("There was no deal on this day.")
    return found


async def _first_try(deals: Deals, ids: tuple[str, ...], day: str) -> Try | None:
    tries = await deals.tries_of(ids, day) if ids else []
    return tries[0] if tries else None


async def _deal_json(request: Request, day: str, person: Player | None) -> dict[str, Any]:
    deals = deals_of(request)
    deal, today = await _get_deal(deals, day), deals.today()
    tomorrow = await deals.get_deal(add_days(today)) if day == today else None
    ids = person.ids if person is not None else ()
    tries = await deals.tries_of(ids, day) if ids else []
    # A try without a game is hidden; playing it creates the game.
    tries = [attempt for attempt in tries if attempt.has_game or attempt.ended_at is not None]
    statistics = await deals.store.read_statistics(ids, today) if ids else summarise_tries((), today)
    is_open = not is_deal_secret(day, deals.now())
    return {
        **_public_deal_json(deal),
        "today": today,
        "now": deals.now(),
        "begins_at": day_starts_at(day),
        "ends_at": day_ends_at(day),
        "is_over": is_open,
        # Only after the day: with the seed anyone can compute every card.
        "server_seed": deal.server_seed if is_open else None,
        "tomorrow": None if tomorrow is None else _public_deal_json(tomorrow),
        "tries": [_try_json(attempt) for attempt in tries],
        "streak": {
            "days": statistics.streak,
            "best": statistics.best_streak,
            "today": statistics.has_played_today,
        },
        "statistics": {
            "played": statistics.played,
            "won": statistics.won,
            "best_turns": statistics.best_turns,
            "average_turns": statistics.average_turns,
        },
    }


def _public_deal_json(deal: Deal) -> dict[str, Any]:
    """Return what is public about a deal at any time."""
    return {
        "day": deal.day,
        "preset": deal.options["preset"],
        "scenario": deal.options["scenario"],
        "variant": list_variants(deal.options),
        "players": deal.options["players"],
        "opponents": list(deal.opponents),
        "commitment": deal.commitment,
        "made_at": deal.made_at,
        "was_early": deal.was_early,
    }


def _try_json(attempt: Try) -> dict[str, Any]:
    return {
        "game": attempt.game,
        "n": attempt.n,
        "counts": attempt.is_counted,
        "is_over": attempt.is_over or attempt.ended_at is not None,
        "is_late": attempt.is_late,
        "how": outcome_name(attempt.score),
        "turns": attempt.turns,
        "spaces": attempt.spaces,
        "line": turns_to_json(attempt.line),
    }
