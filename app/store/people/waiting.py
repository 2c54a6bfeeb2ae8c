"""What there is to hear of, read from the games' own rows each time: a notice cannot be lost between a move and its
telling, for it is not written down apart from the move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from sqlalchemy import and_, bindparam, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.notify.ports import Waiting
from app.play.engines import DEALT
from app.store.games.tables import games, heads, seats
from app.store.people.tables import invitations, players

_HOUR = 3600_000
_DAY = 24 * _HOUR
_LIVE = 10 * 60_000  # how long it is news that a table is full or has begun
_REMINDER = 4  # the last quarter of the time for a turn, a day at most, is running out

_owner = func.coalesce(players.c.claimed_by, players.c.id)
_ids: Any = bindparam("ids", expanding=True)
_open = games.alias("next")

_SEATED = (
    select(
        _owner.label("player"),
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
    .where(or_(players.c.id.in_(_ids), players.c.claimed_by.in_(_ids)), seats.c.bot.is_(None))
    .where(games.c.rules_version != DEALT)  # whoever begins a deal of the day sits there, and nobody waits
    .where(
        or_(
            and_(games.c.status.in_(("open", "running")), heads.c.deadline.is_not(None)),
            and_(games.c.status == "open", games.c.taken == games.c.players),
            and_(games.c.status == "running", games.c.started_at > bindparam("lately")),
        )
    )
    .order_by(heads.c.deadline)
)
_REMATCH = (
    select(_owner.label("player"), _open.c.id, _open.c.terms, _open.c.created_at)
    .select_from(games)
    .join(_open, _open.c.id == games.c.next_game)
    .join(seats, seats.c.game == games.c.id)
    .join(players, players.c.id == seats.c.person)
    .where(or_(players.c.id.in_(_ids), players.c.claimed_by.in_(_ids)), seats.c.bot.is_(None))
    .where(
        _open.c.status == "open",
        _open.c.created_at > bindparam("yesterday"),
        _open.c.creator != seats.c.person,
    )
)
_INVITED = (
    select(invitations.c.player, games.c.id, games.c.terms, invitations.c.at)
    .join(games, games.c.id == invitations.c.game)
    .where(invitations.c.player.in_(_ids), games.c.status == "open")
    .where(invitations.c.at > bindparam("invited_after"))
)
_SITS = (
    select(_owner.label("player"), seats.c.game)
    .join(players, players.c.id == seats.c.person)
    .where(or_(players.c.id.in_(_ids), players.c.claimed_by.in_(_ids)))
    .where(seats.c.game.in_(bindparam("games", expanding=True)))
)


async def what_waits(run: AsyncConnection, ids: Mapping[str, Any], now: int) -> dict[str, list[Waiting]]:
    """By person; of one game the most pressing comes first."""
    ms = now * 1000
    waiting: dict[str, list[Waiting]] = {}
    for row in await run.execute(_SEATED, {**ids, "lately": ms - _LIVE}):
        waiting.setdefault(row.player, []).extend(_of_seat(row, ms))
    asked = [
        (row.player, row.id, row.terms, "rematch", row.created_at)
        for row in await run.execute(_REMATCH, {**ids, "yesterday": ms - _DAY})
    ]
    asked += [
        (row.player, row.id, row.terms, "invited", row.at * 1000)
        for row in await run.execute(_INVITED, {**ids, "invited_after": now - 7 * 86_400})
    ]
    if asked:
        games_ = {"games": [game for _, game, *_ in asked]}
        sit = {(row.player, row.game) for row in await run.execute(_SITS, {**ids, **games_})}
        for player, game, terms, event, at in asked:
            if (player, game) not in sit:
                title = orjson.loads(terms).get("title", "")
                item = Waiting(game, title, None, event=event, mark=event, since=at)
                waiting.setdefault(player, []).append(item)
    return waiting


def _of_seat(row: Any, ms: int) -> Iterator[Waiting]:
    terms = orjson.loads(row.terms)
    clock, title = terms.get("clock", {}), terms.get("title", "")
    is_awaited = row.deadline is not None and str(row.seat) in row.to_act.split(",")
    named: dict[str, Any] = {"since": row.updated_at, "seq": row.seq}
    if row.status == "open":
        if is_awaited and clock.get("kind") == "days":
            yield Waiting(row.id, title, row.deadline, True, "table", **named)
        elif row.taken == row.players and row.deadline is None and row.updated_at > ms - _LIVE:
            yield Waiting(row.id, title, None, event="table", mark="full", **named)
        return
    if is_awaited and clock.get("kind") == "days":
        if row.deadline - ms <= min(_DAY, clock.get("days", 1) * _DAY // _REMINDER):
            # Its time began when it began to run out, whatever has happened at the table before.
            yield Waiting(row.id, title, row.deadline, event="time", since=ms, seq=row.seq)
        yield Waiting(row.id, title, row.deadline, **named)
    is_known = clock.get("kind") == "days" and row.updated_at > row.started_at  # turns tell of the rest
    if row.started_at is not None and row.started_at > ms - _LIVE and not is_known:
        named["since"] = row.started_at
        yield Waiting(row.id, title, None, event="table", mark=f"begun:{row.started_at}", **named)
