"""API routes for games and results of a player, for their own page and the public profile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query
from starlette.requests import Request

from app.play.deal.days import day_of
from app.play.engines import ALL_DEAL_RULES_VERSIONS
from app.play.lobby import list_variants
from app.play.log.entries import GameRow, SeatRow
from app.play.ports import GameLists
from app.store.people.players import Player
from app.web.api.invitations import can_invite
from app.web.api.models import error_responses
from app.web.auth.identity import KnownPerson, MaybePerson
from app.web.errors import NotFound
from app.web.game_server import game_server_of
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["people"], responses=error_responses(401, 403, 404, 422))

PAGE_SIZE = 30
_PROFILE_COST_MS = 15  # for a player with thousands of games, including the queries
_MAX_UNFINISHED = 500
_SEAT_FIELDS = ("person", "name", "colour", "bot", "place")  # fields of a seat in lists

Offset = Annotated[int, Query(ge=0, le=100_000)]


@router.get("/me/games")
async def my_games(
    request: Request,
    person: KnownPerson,
    status: Literal["unfinished", "finished"] = "unfinished",
    offset: Offset = 0,
) -> dict[str, Any]:
    """Return one page of the current person's games. Among unfinished ones, those where it is their turn come first."""
    games = site_of(request).games
    rows = await games.list_games_of(
        person.ids, unfinished=status == "unfinished", limit=PAGE_SIZE + 1, offset=offset
    )
    shown = [game_row_json(row, person.ids) for row in rows[:PAGE_SIZE]]
    if status == "unfinished":
        shown.sort(key=lambda row: (not row["my_turn"], row["deadline"] or 1 << 60))
    return {"games": shown, "more": len(rows) > PAGE_SIZE}


@router.get("/players/{player}")
async def profile(request: Request, player: str, reader: MaybePerson, offset: Offset = 0) -> dict[str, Any]:
    """Return a player's public profile: finished games that anyone could watch, deals of past days, their statistics;
    and for the reader alone: results against each other, their relation, and the reader's note.
    """
    site = site_of(request)
    found = await site.people.find_player(player, site.now()) if len(player) <= 32 else None
    if found is None:
        raise NotFound("There is no such player.")
    site.limits.take_work(request, _PROFILE_COST_MS)
    ids, now = found.ids, game_server_of(request).clock.now()
    rows = await site.games.list_games_of(
        ids, unfinished=False, limit=PAGE_SIZE + 1, offset=offset, public_at=now
    )
    results = results_by_preset(await site.games.count_results(ids, now))
    colours = await site.games.count_colours(ids, now)
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
        **await _describe_relation(site, reader, found),
        "games": [game_row_json(row, ids) for row in rows[:PAGE_SIZE]],
        "more": len(rows) > PAGE_SIZE,
    }


async def _describe_relation(site: Site, reader: Player | None, other: Player) -> dict[str, Any]:
    """Return what a profile shows to this reader alone. A block by the other person does not show."""
    if reader is None or reader.owns(other.id):
        return {
            "between": None, "can_invite": False, "relation": None, "can_ask": False, "is_blocked": False, "note": "",
        }  # fmt: skip
    is_blocked = other.id in await site.social.read_blocked_ids(reader.ids)
    relations = await site.friends.read_relations(reader.id, [other.id])
    return {
        "between": None if is_blocked else await _head_to_head(site.games, reader, other.ids),
        "can_invite": not is_blocked and await can_invite(site, reader, other),
        "relation": relations[other.id],
        "can_ask": other.is_account and not is_blocked,
        "is_blocked": is_blocked,
        "note": await site.player_notes.read(reader.id, other.id),
    }


async def _head_to_head(games: GameLists, reader: Player, ids: Sequence[str]) -> dict[str, int] | None:
    """Return the results of all games that both finished; None if there are none."""
    played, won, lost = await games.count_results_between(reader.ids, ids)
    return {"played": played, "won": won, "lost": lost} if played else None


def game_row_json(row: GameRow, ids: Sequence[str]) -> dict[str, Any]:
    """Return a game as lists show it; `ids` are those of the list's owner."""
    seats = row.summary.seats if row.summary else ()
    mine = _seat_of(seats, ids)
    to_act = [int(seat) for seat in row.to_act.split(",") if seat]
    return {
        "id": row.id,
        "title": row.terms.get("title", ""),
        "preset": row.options.get("preset"),
        "variant": list_variants(row.options),
        "deal": day_of(row.created_at) if row.rules_version in ALL_DEAL_RULES_VERSIONS else None,
        "status": row.status,
        "players": [{name: getattr(seat, name) for name in _SEAT_FIELDS} for seat in seats],
        "rated": row.summary is not None and row.summary.is_rated,
        "my_seat": mine.seat if mine else None,
        "place": mine.place if mine else None,
        "my_turn": row.status in ("open", "running") and mine is not None and mine.seat in to_act,
        "clock": row.terms.get("clock", {}).get("kind", "none"),
        "deadline": row.deadline,
        "created_at": row.created_at,
        "ended_at": row.summary.ended_at if row.summary else None,
    }


def results_by_preset(counted: Sequence[tuple[str, int, int]]) -> list[dict[str, Any]]:
    """Return per preset how many games a player finished and won, and how often they came in each place."""
    lines: dict[str, dict[str, Any]] = {}
    for preset, place, count in counted:
        line = lines.setdefault(preset, {"preset": preset, "played": 0, "won": 0, "places": [0] * 5})
        line["played"] += count
        line["won"] += count if place == 1 else 0
        line["places"][min(place, 5) - 1] += count
    return sorted(lines.values(), key=lambda line: (-line["played"], line["preset"]))


async def are_at_same_table(games: GameLists, one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two players sit at the same unfinished table, so that they cannot be merged."""
    rows = await games.list_games_of(one, unfinished=True, limit=_MAX_UNFINISHED)
    return any(_seat_of(row.summary.seats, other) for row in rows if row.summary)


def _seat_of(seats: Sequence[SeatRow], ids: Sequence[str]) -> SeatRow | None:
    return next((seat for seat in seats if seat.person is not None and seat.person in ids), None)
