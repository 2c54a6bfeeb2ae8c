"""The deal of the day over the API: what is played today, against whom; one's own tries; the table of all."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import Path, Query
from pydantic import BaseModel
from starlette.requests import HTTPConnection, Request

from app.play.deal.days import Deal, begins_at, ends_at, is_sealed, next_day, parse_day, streak
from app.play.deal.results import BEATEN, GIVEN_UP, line_json
from app.play.lobby import variant_of
from app.play.refusals import Refusal
from app.store.people.deals import Try
from app.web.api.models import responses
from app.web.auth.identity import MaybePerson, Person, PersonOrGuest
from app.web.deals import Deals
from app.web.errors import Conflict, NotFound
from app.web.game_server import actor_of
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["deal"], responses=responses(401, 403, 404, 409, 422))

PAGE = 50
_MILLISECONDS = 15  # what a page of results costs the database and us
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
Day = Annotated[str, Path(max_length=10, pattern=_DAY, examples=["2026-11-17"])]


class Begun(BaseModel):
    """A try of today's deal: the table to go to, and whether it is the one that counts."""

    id: str
    day: str
    n: int
    counts: bool


class Results(BaseModel):
    """The table of a day: first tries that ended within it, people with an account and guests apart."""

    day: str
    accounts: dict[str, Any]
    guests: dict[str, Any]
    comparison: dict[str, Any] | None


def deals_of(connection: HTTPConnection) -> Deals:
    found: Deals = connection.app.state.deals
    return found


@router.get("/deal")
async def todays_deal(request: Request, person: MaybePerson) -> dict[str, Any]:
    """Today's deal: what is played and against whom, its fingerprint and tomorrow's; my tries and my streak."""
    return await _shown(request, deals_of(request).today(), person)


@router.post("/deal", status_code=201)
async def play_deal(
    request: Request,
    person: PersonOrGuest,
    day: Annotated[str | None, Query(max_length=10, pattern=_DAY)] = None,
) -> Begun:
    """A table with today's deal. An unfinished try of today is gone on with; the first one counts. With `day`
    only if that is today: a page may be open since yesterday."""
    site, deals = site_of(request), deals_of(request)
    site.limits.take_write(person.id)
    if day is not None and day != deals.today():
        await _fixed(deals, day)
        raise Conflict(
            "deal_over",
            "This day is over. Its deal can no longer be played, and everything about it is shown.",
        )
    settings = site.settings
    most = settings.rooms_per_account if person.is_account else settings.rooms_per_guest
    found = await deals.play(actor_of(person), most)
    return Begun(id=found.game, day=found.day, n=found.n, counts=found.counts)


@router.get("/deal/{day}")
async def deal_of_day(request: Request, day: Day, person: MaybePerson) -> dict[str, Any]:
    """The deal of one day; its secret once that day is over."""
    return await _shown(request, day, person)


@router.get("/deal/{day}/results")
async def deal_results(
    request: Request,
    day: Day,
    person: MaybePerson,
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
) -> Results:
    """Who played it how, a page at a time; and where my way left the others'. Before the day is over only for
    whoever has finished their first try."""
    deals, site = deals_of(request), site_of(request)
    await _fixed(deals, day)
    ids = person.ids if person is not None else ()
    first = await _first(deals, ids, day)
    is_closed = is_sealed(day, deals.now())
    if is_closed and (first is None or not (first.is_over or first.ended_at is not None)):
        raise Refusal("deal_unplayed")
    site.limits.take_work(request, _MILLISECONDS)
    lists = {
        who: await _list(deals, day, offset, ids, accounts=who == "accounts")
        for who in ("accounts", "guests")
    }
    comparison = None
    if first is not None and first.ended_at is not None and first.line:
        comparison = msgspec.to_builtins(await deals.compared(ids, first))
        if is_closed and comparison["parting"] is not None:
            del comparison["parting"]["instead"]  # what others did with their cards is told tomorrow
    return Results(day=day, **lists, comparison=comparison)


async def _list(
    deals: Deals, day: str, offset: int, ids: tuple[str, ...], *, accounts: bool
) -> dict[str, Any]:
    total, rows = await deals.store.results(day, accounts=accounts, limit=PAGE, offset=offset)
    shown = [
        {
            "place": row["place"],
            "person": row["owner"],
            "name": row["name"],
            "how": how_of(row["score"]),
            "turns": row["turns"],
            "spaces": row["spaces"],
            "is_me": row["owner"] in ids,
        }
        for row in rows
    ]
    return {"total": total, "rows": shown}


def how_of(score: int | None) -> str | None:
    """How a try ended, in a word."""
    if score is None:
        return None
    return "given_up" if score >= GIVEN_UP else "beaten" if score >= BEATEN else "won"


async def _fixed(deals: Deals, day: str) -> Deal:
    """The deal of this day; raises NotFound, for a day to come too."""
    known = parse_day(day)
    found = await deals.fixed(known) if known is not None and known <= deals.today() else None
    if found is None:
        raise NotFound("There was no deal on this day.")
    return found


async def _first(deals: Deals, ids: tuple[str, ...], day: str) -> Try | None:
    tries = await deals.tries_of(ids, day) if ids else []
    return tries[0] if tries else None


async def _shown(request: Request, day: str, person: Person | None) -> dict[str, Any]:
    deals = deals_of(request)
    deal, today = await _fixed(deals, day), deals.today()
    tomorrow = await deals.fixed(next_day(today)) if day == today else None
    ids = person.ids if person is not None else ()
    tries = await deals.tries_of(ids, day) if ids else []
    # A try whose game could not be created yet is not shown: playing creates it.
    tries = [each for each in tries if each.is_made or each.ended_at is not None]
    present, best = streak(await deals.store.days_played(ids), today) if ids else (0, 0)
    is_open = not is_sealed(day, deals.now())
    return {
        **_public(deal),
        "today": today,
        "now": deals.now(),
        "begins_at": begins_at(day),
        "ends_at": ends_at(day),
        "is_over": is_open,
        # Over, and only then: with it anybody can recompute every card.
        "server_seed": deal.server_seed if is_open else None,
        "tomorrow": None if tomorrow is None else _public(tomorrow),
        "tries": [_try_json(each) for each in tries],
        "streak": {"days": present, "best": best},
    }


def _public(deal: Deal) -> dict[str, Any]:
    """What everybody may know of a deal at any time."""
    return {
        "day": deal.day,
        "preset": deal.options["preset"],
        "variant": variant_of(deal.options),
        "players": deal.options["players"],
        "opponents": list(deal.opponents),
        "commitment": deal.commitment,
        "made_at": deal.made_at,
        "was_early": deal.was_early,
    }


def _try_json(each: Try) -> dict[str, Any]:
    return {
        "game": each.game,
        "n": each.n,
        "counts": each.counts,
        "is_over": each.is_over or each.ended_at is not None,
        "is_late": each.is_late,
        "how": how_of(each.score),
        "turns": each.turns,
        "spaces": each.spaces,
        "line": line_json(each.line),
    }
