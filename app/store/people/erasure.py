"""Erasure of a person: hidden at once, then removed from every game in steps.

A person may have played thousands of games. The first transaction is short: it deletes the rows listed in
references.py, blanks the name and adds a row to `erasures`. Each following step is a short transaction too, so that
moves do not wait long. A step records its progress, so any worker can continue after a crash, and it is idempotent, so
two workers may run it at once.

No row about the person is added meanwhile. Transactions that write such a row lock the person's row and check it
(`lock_present`), and the first and last transaction of an erasure lock it too. The last step deletes the rows listed in
references.py again, because workers of release 0.1.0 do not check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, bindparam, delete, insert, or_, select, tuple_, update

from app.store.database import Database
from app.store.lock_order import lock_order
from app.store.people.references import erase_rows
from app.store.tables.games import chat, games, mutes, seats
from app.store.tables.people import erasures, players

ERASED_NAME = "somebody"
MAX_GAMES_PER_STEP = 25
MAX_ROWS_PER_STEP = 500  # of chat and mutes


def begin_erasure(conn: Connection, ids: Sequence[str], now: int, *, without_trace: bool = False) -> None:
    """Delete name, account and sessions of a person with these ids, and queue the remaining steps.

    With `without_trace`, the row of a player who never sat at a table is deleted in the end.
    """
    locked = conn.execute(_lock_with_guests(ids))
    all_ids = sorted({*ids, *(row.id for row in locked)})
    erased = {"name": ERASED_NAME, "skeleton": "", "is_account": False, "deleted_at": now, "changed_at": now}
    conn.execute(update(players).where(players.c.id.in_(all_ids)).values(**erased))
    erase_rows(conn, all_ids)
    for row in conn.execute(_select_listed(all_ids)).all():  # few: the number of unfinished games is limited
        conn.execute(update(games).where(games.c.id == row.id).values(terms=_without_title(row.terms)))
    conn.execute(delete(erasures).where(erasures.c.player.in_(all_ids)))
    rows = [
        {"player": player, "at": now, "done_to": "", "without_trace": without_trace} for player in all_ids
    ]
    conn.execute(insert(erasures), rows)


def _lock_with_guests(ids: Sequence[str]) -> Any:
    """Select and lock these players and the guests they claimed. A later claim finds the account erased."""
    return (
        select(players.c.id)
        .where(or_(players.c.id.in_(ids), players.c.claimed_by.in_(ids)))
        .order_by(lock_order(players.c.id))
        .with_for_update()
    )


async def run_erasure_step(database: Database, ids: Sequence[str] | None = None) -> bool:
    """Run the next step for these people, or for the one waiting longest; return False if nothing is left."""
    waiting = select(erasures).order_by(erasures.c.at, erasures.c.player).limit(1)
    if ids is not None:
        waiting = waiting.where(erasures.c.player.in_(ids))

    def read(conn: Connection) -> tuple[Any, list[str] | None] | None:
        erasure = conn.execute(waiting).first()
        if erasure is None:
            return None
        if _has_chat_rows(conn, erasure.player):
            return erasure, None
        return erasure, [row[0] for row in conn.execute(_select_games(erasure.player, erasure.done_to))]

    next_step = await database.read(read)  # outside the write lock
    if next_step is None:
        return False
    erasure, game_ids = next_step

    def write(conn: Connection) -> None:
        if game_ids is None:
            _erase_chat_rows(conn, erasure.player)
            return
        _erase_titles(conn, game_ids)
        if len(game_ids) == MAX_GAMES_PER_STEP:
            done = update(erasures).where(erasures.c.player == erasure.player).values(done_to=game_ids[-1])
            conn.execute(done)
        else:
            _finish(conn, erasure)

    await database.write(write)
    return True


def _finish(conn: Connection, erasure: Any) -> None:
    """Delete rows written since the first transaction, and the row of the erasure."""
    conn.execute(select(players.c.id).where(players.c.id == erasure.player).with_for_update())
    erase_rows(conn, [erasure.player])
    if _has_chat_rows(conn, erasure.player):
        return  # a chat line was being written: one more step is needed
    conn.execute(delete(erasures).where(erasures.c.player == erasure.player))
    if erasure.without_trace:
        sat = select(seats.c.person).where(seats.c.person == erasure.player)
        conn.execute(delete(players).where(players.c.id == erasure.player, ~sat.exists()))


def _has_chat_rows(conn: Connection, player: str) -> bool:
    return any(conn.execute(query.limit(1)).first() for query in _select_chat_rows(player))


def _erase_titles(conn: Connection, game_ids: Sequence[str]) -> None:
    """Erase the titles of these tables. Seats and log entries hold ids and no names.

    Rows are locked in order as they are read: another worker may run the same step.
    """
    titles = [
        {"of_game": row.id, "terms_without_title": _without_title(row.terms)}
        for row in conn.execute(_LOCK_TERMS, {"games": list(game_ids)}).all()
        if orjson.loads(row.terms).get("title")
    ]
    if titles:
        conn.execute(_UPDATE_TERMS, titles)


# Built once, because they are used thousands of times.
_LOCK_TERMS = (
    select(games.c.id, games.c.terms)
    .where(games.c.id.in_(bindparam("games", expanding=True)))
    .order_by(lock_order(games.c.id))
    .with_for_update()
)
_UPDATE_TERMS = (
    update(games).where(games.c.id == bindparam("of_game")).values(terms=bindparam("terms_without_title"))
)


def _select_games(player: str, after: str) -> Any:
    """Select the next games that the player created."""
    created = select(games.c.id).where(games.c.creator == player, games.c.id > after)
    return created.order_by(games.c.id).limit(MAX_GAMES_PER_STEP)


_KEYS = {chat: (chat.c.game, chat.c.n), mutes: (mutes.c.game, mutes.c.person, mutes.c.muted)}


def _select_chat_rows(player: str) -> tuple[Any, Any]:
    """Select the keys of the player's chat lines that are not blank, and of mutes by and of the player."""
    lines = select(*_KEYS[chat]).where(
        chat.c.person == player, or_(chat.c.name != ERASED_NAME, chat.c.is_deleted.is_(False))
    )
    muted = select(*_KEYS[mutes]).where(or_(mutes.c.person == player, mutes.c.muted == player))
    return lines, muted


def _erase_chat_rows(conn: Connection, player: str) -> None:
    lines, muted = _select_chat_rows(player)
    blank = {"name": ERASED_NAME, "text": None, "preset": None, "is_deleted": True}
    batch = tuple_(*_KEYS[chat]).in_(lines.limit(MAX_ROWS_PER_STEP))
    conn.execute(update(chat).where(batch).values(**blank))
    conn.execute(delete(mutes).where(tuple_(*_KEYS[mutes]).in_(muted.limit(MAX_ROWS_PER_STEP))))


def _select_listed(ids: Sequence[str]) -> Any:
    """Select the unfinished tables of these creators, which lobbies may show with their titles."""
    return select(games.c.id, games.c.terms).where(
        games.c.creator.in_(ids), games.c.status.in_(("open", "running"))
    )


def _without_title(terms: str) -> str:
    return orjson.dumps({**orjson.loads(terms), "title": ""}).decode()
