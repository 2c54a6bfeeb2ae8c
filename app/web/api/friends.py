"""API routes for friends: lists, requests, scores, and what friends may see."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from starlette.requests import Request

from app.play.log.entries import GameRow
from app.store.people.friend_games import FriendTable
from app.store.people.friend_settings import FriendSettings
from app.store.people.friends import AskerBlocks, Friend, FriendLimit
from app.store.people.players import Player
from app.store.people.retention import LAST_SEEN_DAYS
from app.web.api.friend_models import (
    EarlierTable,
    FriendEntry,
    FriendLists,
    FriendRequestEntry,
    FriendScore,
    FriendScores,
    InvitationEntry,
    NewRelation,
    OwnTable,
    PersonName,
    RelationEntry,
    Relations,
    TableOfFriend,
    TablesToShare,
    Visibility,
)
from app.web.api.models import error_responses
from app.web.auth.identity import KnownPerson
from app.web.errors import BadRequest, Conflict, NotAllowed, NotFound
from app.web.routing import Router
from app.web.site import Site, site_of

router = Router(prefix="/api/v1", tags=["friends"], responses=error_responses(401, 403, 404, 409, 413, 422))

MAX_RELATIONS = 8  # asked for at once: the people at a table, and some in its chat
_MAX_TABLES_PER_FRIEND = 3
_MAX_OWN_TABLES = 100
_LISTS_COST_MS = 5
_SCORES_COST_MS = 20  # for a person with thousands of games
_RELATIONS_COST_MS = 1
_DAY_SECONDS = 86_400

PlayerId = Annotated[str, Path(max_length=32)]


@router.get("/friends")
async def list_friends(request: Request, person: KnownPerson) -> FriendLists:
    """Return the current person's friends, requests and invitations. A guest has invitations only."""
    site = site_of(request)
    site.limits.take_work(request, _LISTS_COST_MS)
    now = site.now()
    friends = await site.friends.list_friends(person.id, now - LAST_SEEN_DAYS * _DAY_SECONDS)
    visible = [friend.id for friend in friends if friend.shows_online]
    tables = await site.friend_games.list_tables(person.ids, visible)
    received, sent = await site.friends.list_requests(person.id)
    invitations = await site.friend_games.list_invitations(person.ids, now)
    settings = await site.friend_settings.read(person.id)
    return FriendLists(
        friends=[_friend_entry(site, friend, tables) for friend in friends],
        requests=[FriendRequestEntry(id=each.id, name=each.name, at=each.at * 1000) for each in received],
        sent=[FriendRequestEntry(id=each.id, name=each.name, at=each.at * 1000) for each in sent],
        invitations=[
            InvitationEntry(
                game=each.game,
                preset=each.preset,
                by=PersonName(id=each.inviter, name=each.name),
                at=each.at * 1000,
            )
            for each in invitations
        ],
        visibility=Visibility(online=settings.shows_online, seen=settings.shows_seen),
    )


@router.get("/friends/scores")
async def list_scores(request: Request, person: KnownPerson) -> FriendScores:
    """Return the results against each friend, in all games that both finished."""
    site = site_of(request)
    site.limits.take_work(request, _SCORES_COST_MS)
    friends = await site.friends.list_friend_ids(person.id)
    scores = await site.friend_games.count_scores(person.ids, friends)
    return FriendScores(
        scores={
            friend: FriendScore(played=score.played, won=score.won, lost=score.lost)
            for friend, score in scores.items()
        }
    )


@router.get("/friends/relations")
async def list_relations(
    request: Request,
    person: KnownPerson,
    player: Annotated[list[str], Query(max_length=MAX_RELATIONS)],
) -> Relations:
    """Return the current person's relation to each of these players."""
    site = site_of(request)
    site.limits.take_work(request, _RELATIONS_COST_MS)
    asked = sorted({each for each in player if len(each) <= 32})
    found = await site.people.find_players(asked, site.now())
    ids = sorted({other.id for other in found.values()})
    relations = await site.friends.read_relations(person.id, ids) if ids else {}
    blocked = await site.social.read_blocked_ids(person.ids)
    return Relations(
        relations={
            key: RelationEntry(
                relation=relations[other.id],
                can_ask=other.is_account and not person.owns(other.id) and other.id not in blocked,
            )
            for key, other in found.items()
        }
    )


@router.put("/friends/{player}")
async def ask(request: Request, player: PlayerId, person: KnownPerson) -> NewRelation:
    """Ask a player to be friends, or accept their request. Repeating it changes nothing.

    The answer does not show whether the request was declined.
    """
    site = site_of(request)
    site.limits.take_write(person.id)
    if not person.is_account:
        raise NotAllowed(
            "friends_need_account",
            "To have friends, you need an account. Create one on the account page; your games come along.",
        )
    other = await _find(site, player)
    if person.owns(other.id):
        raise BadRequest("yourself", "You cannot be your own friend.")
    if not other.is_account:
        raise NotAllowed(
            "friend_is_guest", "This player plays as a guest. Only players with an account can be friends."
        )
    # Accepting is possible without a free request, also where many people share an address.
    is_answer = (await site.friends.read_relations(person.id, [other.id]))[other.id] == "asks_you"
    attempt = None if is_answer else site.limits.take_friend_request(request, person.id)
    try:
        relation = await site.friends.ask(person.id, other.id, site.now())
    except AskerBlocks:
        raise Conflict(
            "you_blocked", "You have blocked this player. Unblock them on your account page first."
        ) from None
    except FriendLimit as limit:
        raise _limit_reached(limit) from None
    if attempt is not None and relation == "friends":
        attempt.give_back()
    return NewRelation(relation=relation)


@router.delete("/friends/{player}")
async def remove(request: Request, player: PlayerId, person: KnownPerson) -> NewRelation:
    """End a friendship, or withdraw a request. The other person is not told."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.friends.remove(person.id, await _present_id(site, player))
    return NewRelation(relation="none")


@router.delete("/friends/requests/{player}")
async def decline(request: Request, player: PlayerId, person: KnownPerson) -> NewRelation:
    """Decline a player's request. They are not told, and cannot ask again for some time."""
    site = site_of(request)
    site.limits.take_write(person.id)
    await site.friends.decline(person.id, await _present_id(site, player), site.now())
    return NewRelation(relation="none")


@router.get("/friends/{player}/tables")
async def list_tables_to_share(request: Request, player: PlayerId, person: KnownPerson) -> TablesToShare:
    """Return the tables to which the current person can invite this player, and their last table together."""
    site = site_of(request)
    site.limits.take_work(request, _SCORES_COST_MS)
    other = await _find(site, player)
    own = await site.games.list_games_of(person.ids, unfinished=True, limit=_MAX_OWN_TABLES)
    last = await site.friend_games.find_last_game(person.ids, other.ids)
    return TablesToShare(
        open=[_own_table(row) for row in own if _can_invite_to(row, person, other)],
        last=None
        if last is None
        else EarlierTable(id=last.id, preset=last.preset, seats=last.seats, company=last.company),
    )


@router.get("/me/visibility")
async def visibility(request: Request, person: KnownPerson) -> Visibility:
    """Return what friends may see of the current person."""
    settings = await site_of(request).friend_settings.read(person.id)
    return Visibility(online=settings.shows_online, seen=settings.shows_seen)


@router.put("/me/visibility")
async def set_visibility(request: Request, body: Visibility, person: KnownPerson) -> Visibility:
    """Choose what friends may see. Switching `seen` off deletes the stored time."""
    site = site_of(request)
    site.limits.take_write(person.id)
    if not person.is_account:
        raise NotAllowed("account_needed", "You need an account for this.")
    await site.friend_settings.save(person.id, FriendSettings(body.online, body.seen), site.now())
    return body


async def _find(site: Site, player: str) -> Player:
    found = await site.people.find_player(player, site.now())
    if found is None:
        raise NotFound("There is no such player.")
    return found


async def _present_id(site: Site, player: str) -> str:
    """Return the account of a claimed guest, or the id itself, also of a person who is gone."""
    found = await site.people.find_player(player, site.now())
    return player if found is None else found.id


def _limit_reached(limit: FriendLimit) -> Conflict:
    match limit.which:
        case "own":
            return Conflict(
                "too_many_friends", "You have as many friends as this site allows. Remove one first."
            )
        case "other":
            return Conflict("friend_list_full", "This player has as many friends as this site allows.")
        case "requests":
            return Conflict(
                "too_many_requests",
                "Too many of your requests have no answer yet. Withdraw one on your friends page first.",
            )


def _friend_entry(site: Site, friend: Friend, tables: list[FriendTable]) -> FriendEntry:
    is_online = site.online.is_online(friend.id) if friend.shows_online else None
    seen_at = None if is_online or friend.seen_at is None else friend.seen_at * 1000
    at_tables = [table for table in tables if friend.id in table.friends]
    return FriendEntry(
        id=friend.id,
        name=friend.name,
        since=friend.since * 1000,
        online=is_online,
        seen_at=seen_at,
        note=friend.note or "",
        tables=[_table_of_friend(table) for table in at_tables[:_MAX_TABLES_PER_FRIEND]],
    )


def _table_of_friend(table: FriendTable) -> TableOfFriend:
    return TableOfFriend(
        id=table.id,
        preset=table.preset,
        way="play" if table.is_own else "join" if table.status == "open" else "watch",
        seats=table.players,
        taken=table.taken,
    )


def _can_invite_to(row: GameRow, person: Player, other: Player) -> bool:
    """Return whether the table is open with a free seat, the person sits there, and the other does not."""
    if row.status != "open" or row.summary is None or row.summary.taken >= row.summary.options["players"]:
        return False
    seated = [seat.person for seat in row.summary.seats]
    return any(map(person.owns, seated)) and not any(map(other.owns, seated))


def _own_table(row: GameRow) -> OwnTable:
    assert row.summary is not None
    return OwnTable(
        id=row.id,
        title=row.terms.get("title", ""),
        preset=row.options["preset"],
        seats=row.summary.options["players"],
        taken=row.summary.taken,
    )
