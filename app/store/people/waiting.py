"""What games wait for, read from their own rows when a check or a claim needs it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, and_, bindparam, func, or_, select

from app.notify.ports import Waiting
from app.play.engines import DEALT
from app.store.batches import padded
from app.store.games.tables import games, heads, seats
from app.store.people.tables import invitations, players

_log = logging.getLogger("cartagena.store")
_HOUR = 3600_000
_DAY = 24 * _HOUR
_LIVE = 10 * 60_000  # how long it is news that a table is full or has begun
_REMINDER = 4  # the last quarter of the time for a turn, a day at most, is running out

_owner = func.coalesce(players.c.claimed_by, players.c.id)
_games: Any = bindparam("games", expanding=True)
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
    .where(games.c.id.in_(_games), seats.c.bot.is_(None))
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
    select(_owner.label("player"), _open.c.id, _open.c.created_at)
    .select_from(games)
    .join(_open, _open.c.id == games.c.next_game)
    .join(seats, seats.c.game == games.c.id)
    .join(players, players.c.id == seats.c.person)
    .where(games.c.next_game.in_(_games), seats.c.bot.is_(None))
    .where(
        _open.c.status == "open",
        _open.c.created_at > bindparam("yesterday"),
        _open.c.creator != seats.c.person,
    )
)
_INVITED = (
    select(invitations.c.player, games.c.id, invitations.c.at)
    .join(games, games.c.id == invitations.c.game)
    .where(invitations.c.game.in_(_games), games.c.status == "open")
    .where(invitations.c.at > bindparam("invited_after"))
)
_SITS = (
    select(_owner.label("player"), seats.c.game)
    .join(players, players.c.id == seats.c.person)
    .where(seats.c.game.in_(_games))
)


def find_waiting(
    run: Connection, concerned: Sequence[str], now: int, player: str | None = None
) -> dict[str, list[Waiting]]:
    """Return what these games wait for by person, or for one person; of one game the most pressing comes first.

    A game that cannot be read fails the check of that game. For one person it is left out: their other games count.
    """
    ms, values = now * 1000, {"games": padded(concerned)}

    def rows(query: Any, **more: int) -> Any:
        owner = invitations.c.player if query is _INVITED else _owner
        return run.execute(query if player is None else query.where(owner == player), {**values, **more})

    waiting: dict[str, list[Waiting]] = {}
    for row in rows(_SEATED, lately=ms - _LIVE):
        try:
            waiting.setdefault(row.player, []).extend(list(_of_seat(row, ms)))
        except (ValueError, TypeError, AttributeError):
            if player is None:
                raise
            _log.warning("game %s has terms that cannot be read; nobody is notified of it", row.id)
    asked = [(row.player, row.id, "rematch", row.created_at) for row in rows(_REMATCH, yesterday=ms - _DAY)]
    asked += [
        (row.player, row.id, "invited", row.at * 1000)
        for row in rows(_INVITED, invited_after=now - 7 * 86_400)
    ]
    if asked:
        sit = {(row.player, row.game) for row in rows(_SITS)}
        for owner, game, event, at in asked:
            if (owner, game) not in sit:
                item = Waiting(game, "", None, event=event, mark=event, since=at)
                waiting.setdefault(owner, []).append(item)
    return {owner: items for owner, items in waiting.items() if items}


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
        remind_at = row.deadline - min(_DAY, clock.get("days", 1) * _DAY // _REMINDER)
        if ms >= remind_at:
            # Its time began when it began to run out, whatever has happened at the table before.
            yield Waiting(row.id, title, row.deadline, event="time", since=ms, seq=row.seq)
        yield Waiting(row.id, title, row.deadline, remind_at=remind_at, **named)
    is_known = clock.get("kind") == "days" and row.updated_at > row.started_at  # turns tell of the rest
    if row.started_at is not None and row.started_at > ms - _LIVE and not is_known:
        named["since"] = row.started_at
        yield Waiting(row.id, title, None, event="table", mark=f"begun:{row.started_at}", **named)
