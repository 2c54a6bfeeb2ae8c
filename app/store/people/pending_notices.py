"""Pending notices, computed from the rows of games whenever a check or a claim needs them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import orjson
from sqlalchemy import Connection, and_, bindparam, case, exists, func, or_, select

from app.play.engines import ALL_DEAL_RULES_VERSIONS
from app.play.log.clocks import ClockTerms
from app.rules.catalogue import PRESETS
from app.store.batcher import pad_to_power_of_two
from app.store.people.notice_values import PendingNotice
from app.store.tables.games import games, heads, seats
from app.store.tables.people import blocks, invitations, players, present_name, with_present_names

_log = logging.getLogger("cartagena.store")
_DAY_SECONDS = 86_400
_DAY_MS = _DAY_SECONDS * 1000
_LIVE_NEWS_MS = 10 * 60_000  # how long it is news that a table is full or has started

_owner_id = func.coalesce(players.c.claimed_by, players.c.id)
_game_ids: Any = bindparam("games", expanding=True)
_next_game = games.alias("next")
_creators = players.alias("creators")


def _is_blocked(by: Any, player: Any) -> Any:
    return exists().where(blocks.c.player == by, blocks.c.blocked == player)


_SELECT_SEATED_PLAYERS = (
    select(
        _owner_id.label("player"),
        games.c.id,
        games.c.status,
        games.c.terms,
        games.c.players,
        games.c.taken,
        games.c.started_at,
        heads.c.seq,
        heads.c.deadline,
        heads.c.to_act,
        heads.c.updated_at,
        seats.c.seat,
    )
    .join(heads, heads.c.game == games.c.id)
    .join(seats, seats.c.game == games.c.id)
    .join(players, players.c.id == seats.c.person)
    .where(games.c.id.in_(_game_ids), seats.c.bot.is_(None))
    .where(games.c.rules_version.not_in(sorted(ALL_DEAL_RULES_VERSIONS)))  # a deal of the day is played alone
    .where(
        or_(
            and_(games.c.status.in_(("open", "running")), heads.c.deadline.is_not(None)),
            and_(games.c.status == "open", games.c.taken == games.c.players),
            and_(games.c.status == "running", games.c.started_at > bindparam("started_after")),
        )
    )
    .order_by(heads.c.deadline)
)
_SELECT_REMATCHES = (
    select(_owner_id.label("player"), _next_game.c.id, _next_game.c.created_at)
    .select_from(games)
    .join(_next_game, _next_game.c.id == games.c.next_game)
    .join(seats, seats.c.game == games.c.id)
    .join(players, players.c.id == seats.c.person)
    .outerjoin(_creators, _creators.c.id == _next_game.c.creator)
    .where(games.c.next_game.in_(_game_ids), seats.c.bot.is_(None))
    .where(
        _next_game.c.status == "open",
        _next_game.c.created_at > bindparam("created_after"),
        _next_game.c.creator != seats.c.person,
        ~_is_blocked(_owner_id, func.coalesce(_creators.c.claimed_by, _next_game.c.creator)),
        ~_is_blocked(func.coalesce(_creators.c.claimed_by, _next_game.c.creator), _owner_id),
    )
)
_SELECT_INVITATIONS = (
    select(invitations.c.player, games.c.id, invitations.c.at)
    .join(games, games.c.id == invitations.c.game)
    .where(invitations.c.game.in_(_game_ids), games.c.status == "open")
    .where(invitations.c.at > bindparam("invited_after"))
    .where(~_is_blocked(invitations.c.player, invitations.c.inviter))
    .where(~_is_blocked(invitations.c.inviter, invitations.c.player))
)
# Names are those of now: rows of the outbox and of games hold ids.
_SELECT_TABLES = select(games.c.id, games.c.preset, games.c.creator, games.c.host).where(
    games.c.id.in_(_game_ids)
)
_SELECT_SEATS = (
    select(
        seats.c.game,
        seats.c.person,
        seats.c.bot,
        _owner_id.label("owner"),
        case((seats.c.person.is_(None), seats.c.name), else_=present_name).label("name"),
    )
    .select_from(with_present_names(seats, seats.c.person))
    .where(seats.c.game.in_(_game_ids), or_(seats.c.person.is_not(None), seats.c.bot.is_not(None)))
    .order_by(seats.c.game, seats.c.seat)
)
_SELECT_BLOCKED = select(blocks.c.blocked).where(blocks.c.player == bindparam("player"))
_SELECT_SEAT_OWNERS = (
    select(_owner_id.label("player"), seats.c.game)
    .join(players, players.c.id == seats.c.person)
    .where(seats.c.game.in_(_game_ids))
)


def find_pending_notices(
    conn: Connection, game_ids: Sequence[str], now: int, player: str | None = None
) -> dict[str, list[PendingNotice]]:
    """Return the pending notices of these games by player, or of one player; per game, the most urgent comes first.

    Without `player`, a game whose terms cannot be decoded raises, which fails its check. For one player it is skipped,
    so that their other games still count.
    """
    ms, values = now * 1000, {"games": pad_to_power_of_two(game_ids)}

    def rows(query: Any, **times: int) -> Any:
        owner = invitations.c.player if query is _SELECT_INVITATIONS else _owner_id
        return conn.execute(query if player is None else query.where(owner == player), {**values, **times})

    pending: dict[str, list[PendingNotice]] = {}
    for row in rows(_SELECT_SEATED_PLAYERS, started_after=ms - _LIVE_NEWS_MS):
        try:
            pending.setdefault(row.player, []).extend(list(_find_for_seat(row, ms)))
        except (ValueError, TypeError, AttributeError):
            if player is None:
                raise
            _log.warning("no notices for game %s: its terms cannot be decoded", row.id)
    offers = [
        (row.player, row.id, "rematch", row.created_at)
        for row in rows(_SELECT_REMATCHES, created_after=ms - _DAY_MS)
    ]
    offers += [
        (row.player, row.id, "invited", row.at * 1000)
        for row in rows(_SELECT_INVITATIONS, invited_after=now - 7 * _DAY_SECONDS)
    ]
    if offers:
        seated = {(row.player, row.game) for row in rows(_SELECT_SEAT_OWNERS)}
        for owner, game, event, at in offers:
            if (owner, game) not in seated:
                item = PendingNotice(game, "", None, event=event, mark=event, since=at)
                pending.setdefault(owner, []).append(item)
    return {owner: items for owner, items in pending.items() if items}


def add_table_details(
    conn: Connection, player: str, pending: Sequence[PendingNotice]
) -> tuple[PendingNotice, ...]:
    """Return the notices of this player with edition and opponents, as they are now.

    Erased opponents and those whom the player has blocked are counted but not named, and a title written by a blocked
    player is left out. Invitations and rematches name no player: they come from people at whose table the player
    does not sit.
    """
    if not pending:
        return ()
    values = {"games": pad_to_power_of_two(sorted({item.game for item in pending}))}
    blocked = set(conn.scalars(_SELECT_BLOCKED, {"player": player}))
    tables = {row.id: row for row in conn.execute(_SELECT_TABLES, values)}
    names: dict[str, list[str]] = {}
    owners: dict[str, str] = {}
    for row in conn.execute(_SELECT_SEATS, values):
        owners[row.person] = row.owner
        if player not in (row.person, row.owner):
            is_hidden = not blocked.isdisjoint((row.person, row.owner))
            names.setdefault(row.game, []).append("" if is_hidden else row.name or "")

    def add(item: PendingNotice) -> PendingNotice:
        table = tables.get(item.game)
        if table is None:
            return item
        # The host may have changed the title.
        authors = [
            each for person in (table.creator, table.host) for each in (person, owners.get(person, person))
        ]
        at_table = names.get(item.game, []) if item.event in ("turn", "time", "table") else []
        return replace(
            item,
            preset=table.preset,
            edition=PRESETS[table.preset].title if table.preset in PRESETS else "",
            title=item.title if blocked.isdisjoint(authors) else "",
            opponents=tuple(name for name in at_table if name),
            unnamed_opponents=at_table.count(""),
        )

    return tuple(add(item) for item in pending)


def _find_for_seat(row: Any, ms: int) -> Iterator[PendingNotice]:
    terms = orjson.loads(row.terms)
    clock, title = msgspec.convert(terms.get("clock", {}), ClockTerms), terms.get("title", "")
    is_to_act = row.deadline is not None and str(row.seat) in row.to_act.split(",")
    source: dict[str, Any] = {"since": row.updated_at, "seq": row.seq}
    if row.status == "open":
        if is_to_act and clock.is_correspondence:
            yield PendingNotice(row.id, title, row.deadline, True, "table", **source)
        elif row.taken == row.players and row.deadline is None and row.updated_at > ms - _LIVE_NEWS_MS:
            yield PendingNotice(row.id, title, None, event="table", mark="full", **source)
        return
    if is_to_act and clock.is_correspondence:
        remind_at = row.deadline - clock.clock_class.reminder_ms(clock)
        if ms >= remind_at:
            # This event begins now, whenever the turn itself began.
            yield PendingNotice(row.id, title, row.deadline, event="time", since=ms, seq=row.seq)
        yield PendingNotice(row.id, title, row.deadline, remind_at=remind_at, **source)
    # In a correspondence game, notices of turns follow instead.
    is_superseded = clock.is_correspondence and row.updated_at > row.started_at
    if row.started_at is not None and row.started_at > ms - _LIVE_NEWS_MS and not is_superseded:
        source["since"] = row.started_at
        yield PendingNotice(row.id, title, None, event="table", mark=f"begun:{row.started_at}", **source)
