"""Somebody's games and results, for their own page and for the public one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.requests import Request

from app.play.lobby import variant_of
from app.play.log.entries import GameRow, SeatRow
from app.play.ports import GameStore
from app.web.api.models import responses
from app.web.auth.identity import KnownPerson, MaybePerson, Person
from app.web.errors import NotFound
from app.web.routing import Router
from app.web.site import site_of

router = Router(prefix="/api/v1", tags=["people"], responses=responses(401, 403, 404, 422))

PAGE = 30
_MILLISECONDS = 15  # what a page of somebody with thousands of games costs the database and us
_ALL_UNFINISHED = 500
_OF_SEATS = ("person", "name", "colour", "bot", "place")  # what lists tell of a seat

Offset = Annotated[int, Query(ge=0, le=100_000)]


@router.get("/me/games")
async def my_games(
    request: Request,
    person: KnownPerson,
    status: Literal["unfinished", "finished"] = "unfinished",
    offset: Offset = 0,
) -> dict[str, Any]:
    """My games, a page at a time; unfinished ones that wait for me come first."""
    games = site_of(request).games
    rows = await games.games_of(person.ids, unfinished=status == "unfinished", limit=PAGE + 1, offset=offset)
    shown = [game_row(row, person.ids) for row in rows[:PAGE]]
    if status == "unfinished":
        shown.sort(key=lambda row: (not row["my_turn"], row["deadline"] or 1 << 60))
    return {"games": shown, "more": len(rows) > PAGE}


@router.get("/players/{player}")
async def profile(request: Request, player: str, reader: MaybePerson, offset: Offset = 0) -> dict[str, Any]:
    """Somebody's public page: finished games at tables anybody could watch, what they say of the player, and how
    the reader fared against them there.
    """
    site = site_of(request)
    found = await site.people.player(player, site.now()) if len(player) <= 32 else None
    if found is None:
        raise NotFound("There is no such player.")
    site.limits.take_work(request, _MILLISECONDS)
    ids = (found.id, *found.aliases)
    rows = await site.games.games_of(ids, unfinished=False, limit=PAGE + 1, offset=offset, public=True)
    results = results_by_preset(await site.games.results_of(ids))
    colours = await site.games.colours_of(ids)
    return {
        "player": {
            "id": found.id,
            "name": found.name,
            "is_account": found.is_account,
            "since": found.made_at * 1000,
        },
        "results": results,
        "favourite": {
            "preset": results[0]["preset"] if results else None,
            "colour": colours[0][0] if colours else None,
        },
        "between": await _between(site.games, reader, ids),
        "can_invite": reader is not None
        and not reader.owns(player)
        and await site.notices.have_finished_together(reader.id, player),
        "games": [game_row(row, ids) for row in rows[:PAGE]],
        "more": len(rows) > PAGE,
    }


async def _between(games: GameStore, reader: Person | None, ids: Sequence[str]) -> dict[str, int] | None:
    """What two players have of each other; None where there is nothing, or they are one."""
    if reader is None or not set(reader.ids).isdisjoint(ids):
        return None
    played, won, lost = await games.between(reader.ids, ids)
    return {"played": played, "won": won, "lost": lost} if played else None


def game_row(row: GameRow, ids: Sequence[str]) -> dict[str, Any]:
    """A game as lists show it; `ids` are the player's whose list it is."""
    seats = row.summary.seats if row.summary else ()
    mine = _seat_of(seats, ids)
    to_act = [int(seat) for seat in row.to_act.split(",") if seat]
    return {
        "id": row.id,
        "title": row.terms.get("title", ""),
        "preset": row.options.get("preset"),
        "variant": variant_of(row.options),
        "status": row.status,
        "players": [{name: getattr(seat, name) for name in _OF_SEATS} for seat in seats],
        "my_seat": mine.seat if mine else None,
        "place": mine.place if mine else None,
        "my_turn": row.status in ("open", "running") and mine is not None and mine.seat in to_act,
        "clock": row.terms.get("clock", {}).get("kind", "none"),
        "deadline": row.deadline,
        "created_at": row.created_at,
        "ended_at": row.summary.ended_at if row.summary else None,
    }


def results_by_preset(counted: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """How often somebody played a preset to its end, won it, and came in at each place."""
    lines: dict[str, dict[str, Any]] = {}
    for preset, place, times in counted:
        line = lines.setdefault(preset, {"preset": preset, "played": 0, "won": 0, "places": [0] * 5})
        line["played"] += times
        line["won"] += times if place == 1 else 0
        line["places"][min(place, 5) - 1] += times
    return sorted(lines.values(), key=lambda line: (-line["played"], line["preset"]))


async def share_a_table(games: GameStore, one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two players sit at one unfinished table: they must stay two."""
    rows = await games.games_of(one, unfinished=True, limit=_ALL_UNFINISHED)
    return any(_seat_of(row.summary.seats, other) for row in rows if row.summary)


def _seat_of(seats: Sequence[SeatRow], ids: Sequence[str]) -> SeatRow | None:
    return next((seat for seat in seats if seat.person is not None and seat.person in ids), None)
