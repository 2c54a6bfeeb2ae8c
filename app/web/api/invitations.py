"""API routes for invitations to tables, and for opening an earlier table again with the same company."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request

from app.play.create import new_table_like
from app.play.engines import ALL_DEAL_RULES_VERSIONS, CHANCE_SCHEMES
from app.play.log.entries import GameRow
from app.play.refusals import Refusal
from app.store.people.players import Player
from app.web.api.games import GameId
from app.web.api.models import Body, CreatedGame, error_responses
from app.web.auth.identity import KnownPerson
from app.web.errors import Conflict, NotAllowed, NotFound
from app.web.game_server import actor_of, game_server_of
from app.web.routing import Router
from app.web.security.idempotency import IdempotencyKey, derive_table_id
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["friends"], responses=error_responses(401, 403, 404, 409, 413, 422))

_AGAIN_COST_MS = 5


class Invitation(Body):
    """A friend, or a player with whom the current person has finished a game."""

    player: Annotated[str, Field(max_length=32)]


class ReopenedTable(CreatedGame):
    """The new table, and how many people were invited to it."""

    invited: int


@router.post("/games/{game}/invitations")
async def invite(request: Request, game: GameId, body: Invitation, person: KnownPerson) -> dict[str, Any]:
    """Invite a friend, or a player one has finished a game with, to a table at which one sits."""
    site = site_of(request)
    site.limits.take_write(person.id)
    site.limits.invitations.take(person.id)
    if not await site.notices.is_seated(person.id, game, status="open"):
        raise NotFound("You do not have a seat at an open table with that id.")
    invited = await site.people.find_player(body.player, site.now())
    if invited is None or person.owns(invited.id) or not await can_invite(site, person, invited):
        raise NotAllowed(
            "not_played_together",
            "You can invite only your friends and players you have finished a game with.",
        )
    await _invite(site, game, person, invited)
    return {}


@router.delete("/games/{game}/invitations")
async def dismiss(request: Request, game: GameId, person: KnownPerson) -> dict[str, Any]:
    """Dismiss one's own invitation to a table. The inviter is not told."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.notices.dismiss_invitation(game, person.ids, site.now())
    return {}


@router.post("/games/{game}/again", status_code=201)
async def open_again(
    request: Request, game: GameId, person: KnownPerson, key: IdempotencyKey = None
) -> ReopenedTable:
    """Open a table with the options of a finished game, keep the seats of its players, and invite them.

    Repeating the same Idempotency-Key returns the same table.
    """
    site, game_server = site_of(request), game_server_of(request)
    site.limits.take_write(person.id)
    site.limits.take_work(request, _AGAIN_COST_MS)
    site.limits.invitations.take(person.id)
    old = await game_server.read_stored_game(game)
    if old is None or old.summary is None or not any(person.owns(seat.person) for seat in old.summary.seats):
        raise NotFound("You have not played a game with that id.")
    if old.rules_version in ALL_DEAL_RULES_VERSIONS:
        raise Refusal("deal_alone")
    if old.status not in ("finished", "aborted"):
        raise Refusal("not_over")
    company = await _find_company(site, old, person)
    kept = {seat: other.id for seat, other in company.items()}
    actor, most = actor_of(person), site.settings
    row, entry = new_table_like(
        old,
        actor,
        kept,
        game_server.clock.now(),
        game_server.new_table_version,
        derive_table_id(site.settings.secret, person.id, key),
    )
    limit = most.rooms_per_account if person.is_account else most.rooms_per_guest
    table = await game_server.store_table(actor, row, entry, limit)
    others = [other for other in company.values() if other.id != person.id]
    for other in others:
        await _invite(site, table.id, person, other)
    return ReopenedTable(
        id=table.id,
        commitment=table.commitment,
        scheme=CHANCE_SCHEMES[table.rules_version],
        invited=len(others),
    )


async def can_invite(site: Site, person: Player, other: Player) -> bool:
    """Return whether they are friends or have finished a game together. A block by the other does not show."""
    relations = await site.friends.read_relations(person.id, [other.id])
    return relations[other.id] == "friends" or await site.notices.have_finished_together(person.id, other.id)


async def _find_company(site: Site, old: GameRow, person: Player) -> dict[int, Player]:
    """Return the people of a game by seat, without those who are gone and those who do not play with this person."""
    assert old.summary is not None
    seated = {seat.seat: seat.person for seat in old.summary.seats if seat.person is not None}
    found = await site.people.find_players(set(seated.values()), site.now())
    company: dict[int, Player] = {}
    for seat, id_ in seated.items():
        other = found.get(id_)
        if other is None or other.id in {each.id for each in company.values()}:
            continue
        if other.id == person.id or not await _is_blocked_either_way(site, person, other):
            company[seat] = other
    return company


async def _is_blocked_either_way(site: Site, person: Player, other: Player) -> bool:
    return await site.social.is_blocked(person.ids, other.ids) or await site.social.is_blocked(
        other.ids, person.ids
    )


async def _invite(site: Site, game: str, person: Player, invited: Player) -> None:
    """Store an invitation. A player who has blocked the sender is not notified, and the sender does not learn of it."""
    if await site.social.is_blocked(person.ids, [invited.id]):
        return
    if not await site.notices.invite(game, invited.id, person.id, site.now()):
        raise Conflict("too_many_invitations", "Too many people have already been invited to this table.")
