"""API routes for ratings: leaderboards, a player's ratings, what a game changed, and one's own settings.

A reader who hides ratings gets `hidden` and no figures from every route, so that no page can show one by mistake.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.requests import Request

from app.ratings.bot_strengths import PlaysLike, estimate_level, load_matches
from app.ratings.display import (
    MAX_LISTED_AGE_MS,
    MAX_LISTED_SIGMA,
    MIN_LISTED_GAMES,
    is_uncertain,
    shown_deviation,
    shown_number,
)
from app.ratings.model import Value
from app.ratings.pools import Pool
from app.store.people.players import Player
from app.store.ratings.reading import MAX_PLACES
from app.store.ratings.settings import RatingSettings
from app.web.api.games import GameId, RoomPassword
from app.web.api.models import Body, error_responses
from app.web.auth.identity import KnownPerson, MaybePerson
from app.web.errors import NotFound
from app.web.game_server import actor_of, game_server_of
from app.web.routing import Router
from app.web.security.room_lookup import find_room
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["ratings"])

PAGE_SIZE = 50
# Including the queries, for a player with thousands of games or a page far down.
_LEADERBOARD_COST_MS = 10
_PERSON_COST_MS = 20
_HISTORY_COST_MS = 10
_GAME_COST_MS = 3
_DAY_MS = 86_400_000


class Rating(BaseModel):
    """A rating as it is shown: the number ± the deviation, and whether it is shown with a question mark."""

    number: int
    deviation: int
    uncertain: bool


class Leader(Rating):
    place: int
    person: str
    name: str
    games: int
    last_at: int


class LeaderboardBounds(BaseModel):
    """Who is on a leaderboard: at least so many games, at most this deviation, played within so many days."""

    games: int = MIN_LISTED_GAMES
    deviation: int = shown_deviation(MAX_LISTED_SIGMA)
    days: int = MAX_LISTED_AGE_MS // _DAY_MS


class Leaderboard(BaseModel):
    """A page of a pool's leaderboard, best first."""

    pool: Pool
    bounds: LeaderboardBounds = LeaderboardBounds()
    rows: list[Leader] = []
    more: bool = False
    hidden: bool = False


class PoolRating(Rating):
    """A player's rating in a pool. `best` is the highest number without a question mark."""

    pool: Pool
    games: int
    best: int | None
    last_at: int
    place: int | None


class PoolLevel(BaseModel):
    """The bot level that a player plays like, from results against bots of this version, with a 95 % interval."""

    pool: Pool
    level: str
    lowest: str
    highest: str
    games: int
    bot_version: str


class PlayerRatings(BaseModel):
    """A player's ratings, and the bot levels that the player plays like."""

    ratings: list[PoolRating] = []
    plays_like: list[PoolLevel] = []
    hidden: bool = False


class HistoryPoint(BaseModel):
    at: int
    number: int
    deviation: int


class RatingHistory(BaseModel):
    """A player's rating after games spread evenly over the history, the last one included."""

    pool: Pool
    points: list[HistoryPoint] = []
    hidden: bool = False


class SeatChange(BaseModel):
    """What a game changed for the person of a seat."""

    seat: int
    rank: int
    before: Rating
    after: Rating


class GameRatings(BaseModel):
    """What a game changed. `counted` is false until the ratings have taken it in. `void` says why it does not count."""

    counted: bool = False
    pool: Pool | None = None
    weight: float = 0
    void: str | None = Field(default=None, examples=["timed_out_again"])
    changes: list[SeatChange] = []
    hidden: bool = False


class SeatRating(Rating):
    seat: int


class SeatRatings(BaseModel):
    """The ratings that the people at a rated table have now; empty at other tables."""

    ratings: list[SeatRating] = []
    hidden: bool = False


class OwnRatingSettings(Body):
    """`hides_ratings`: see no rating anywhere. `withheld`: appear without an id in the public file."""

    hides_ratings: bool
    withheld: bool


def _shown(value: Value) -> Rating:
    return Rating(
        number=shown_number(value.mu), deviation=shown_deviation(value.sigma), uncertain=is_uncertain(value)
    )


async def _hides_ratings(site: Site, reader: Player | None) -> bool:
    return reader is not None and (await site.rating_settings.read(reader.id)).hides_ratings


async def _find_player(site: Site, player: str) -> Player:
    found = await site.people.find_player(player, site.now()) if len(player) <= 32 else None
    if found is None:
        raise NotFound("There is no such player.")
    return found


@router.get("/me/ratings", responses=error_responses(401, 403))
async def own_settings(request: Request, person: KnownPerson) -> OwnRatingSettings:
    """Return the current person's settings for ratings."""
    found = await site_of(request).rating_settings.read(person.id)
    return OwnRatingSettings(hides_ratings=found.hides_ratings, withheld=found.is_withheld)


@router.post("/me/ratings", responses=error_responses(401, 403))
async def change_settings(
    request: Request, body: OwnRatingSettings, person: KnownPerson
) -> OwnRatingSettings:
    """Change the current person's settings for ratings. The person is still rated."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.rating_settings.save(person.id, RatingSettings(body.hides_ratings, body.withheld))
    return body


@router.get("/ratings/{pool}", responses=error_responses(403))
async def leaderboard(
    request: Request,
    pool: Pool,
    reader: MaybePerson,
    offset: Annotated[int, Query(ge=0, le=MAX_PLACES - PAGE_SIZE)] = 0,
) -> Leaderboard:
    """Return a page of a leaderboard. Deleted and banned people, and people outside the bounds, are not on it."""
    site = site_of(request)
    site.limits.take_work(request, _LEADERBOARD_COST_MS)
    if await _hides_ratings(site, reader):
        return Leaderboard(pool=pool, hidden=True)
    now = game_server_of(request).clock.now()
    rows = await site.ratings.list_leaders(pool, now, PAGE_SIZE + 1, offset)
    leaders = [
        Leader(
            place=offset + number,
            person=row["person"],
            name=row["name"],
            games=row["games"],
            last_at=row["last_at"],
            **_shown(Value(row["mu"], row["sigma"])).model_dump(),
        )
        for number, row in enumerate(rows[:PAGE_SIZE], 1)
    ]
    has_more = len(rows) > PAGE_SIZE and offset + PAGE_SIZE < MAX_PLACES
    return Leaderboard(pool=pool, rows=leaders, more=has_more)


@router.get("/players/{player}/ratings", responses=error_responses(403, 404))
async def player_ratings(request: Request, player: str, reader: MaybePerson) -> PlayerRatings:
    """Return a player's ratings in each pool, and the bot level that the player plays like."""
    site = site_of(request)
    found = await _find_player(site, player)
    site.limits.take_work(request, _PERSON_COST_MS)
    if await _hides_ratings(site, reader):
        return PlayerRatings(hidden=True)
    standings = await site.ratings.read_person(found.id, game_server_of(request).clock.now())
    ratings = [
        PoolRating(
            pool=pool,
            games=standing.games,
            best=standing.best,
            last_at=standing.last_at,
            place=standing.place,
            **_shown(standing.value).model_dump(),
        )
        for pool, standing in sorted(standings.items())
    ]
    levels = [
        _make_level(pool, level)
        for pool, of_pool in sorted((await site.ratings.read_bot_games(found.ids)).items())
        if (level := estimate_level(pool, of_pool.results, of_pool.games)) is not None
    ]
    return PlayerRatings(ratings=ratings, plays_like=levels)


def _make_level(pool: Pool, found: PlaysLike) -> PoolLevel:
    return PoolLevel(pool=pool, bot_version=load_matches().bot_version, **found._asdict())


@router.get("/players/{player}/ratings/{pool}/history", responses=error_responses(403, 404))
async def player_history(request: Request, player: str, pool: Pool, reader: MaybePerson) -> RatingHistory:
    """Return at most 400 points of a player's rating in a pool, oldest first."""
    site = site_of(request)
    found = await _find_player(site, player)
    site.limits.take_work(request, _HISTORY_COST_MS)
    if await _hides_ratings(site, reader):
        return RatingHistory(pool=pool, hidden=True)
    points = [
        HistoryPoint(at=at, number=shown_number(value.mu), deviation=shown_deviation(value.sigma))
        for at, value in await site.ratings.read_history(found.id, pool)
    ]
    return RatingHistory(pool=pool, points=points)


@router.get("/games/{game}/ratings", responses=error_responses(403))
async def game_ratings(
    request: Request, game: GameId, reader: MaybePerson, password: RoomPassword = None
) -> GameRatings:
    """Return what a rated game changed, for those who may see the game; a few seconds after its end."""
    site = site_of(request)
    room = await find_room(request, game, actor_of(reader), password)
    site.limits.take_work(request, _GAME_COST_MS)
    if await _hides_ratings(site, reader):
        return GameRatings(hidden=True)
    rows = await site.ratings.read_game(room.id)
    if not rows:
        return GameRatings()
    changes = [
        SeatChange(
            seat=row["seat"],
            rank=row["rank"],
            before=_shown(Value(row["mu_before"], row["sigma_before"])),
            after=_shown(Value(row["mu"], row["sigma"])),
        )
        for row in rows
    ]
    first = rows[0]
    return GameRatings(
        counted=True, pool=first["pool"], weight=first["weight"], void=first["void"], changes=changes
    )


@router.get("/games/{game}/seat-ratings", responses=error_responses(403))
async def seat_ratings(
    request: Request, game: GameId, reader: MaybePerson, password: RoomPassword = None
) -> SeatRatings:
    """Return the ratings that the people at a rated table have now in its pool, for those who may see the game."""
    site = site_of(request)
    room = await find_room(request, game, actor_of(reader), password)
    site.limits.take_work(request, _GAME_COST_MS)
    if await _hides_ratings(site, reader):
        return SeatRatings(hidden=True)
    table = room.table
    people = {seat.person: number for number, seat in enumerate(table.seats) if seat.person is not None}
    if not table.is_rated or not people:
        return SeatRatings()
    values = await site.ratings.read_values(sorted(people), table.rating_pool())
    return SeatRatings(
        ratings=[
            SeatRating(seat=number, **_shown(values[person]).model_dump())
            for person, number in people.items()
        ]
    )
