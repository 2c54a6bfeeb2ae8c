"""Erasing a person: gone at once for everyone, then removed from every game, step by step.

A person may have sat at thousands of tables. The first transaction is short: it deletes what references.py says,
removes the name and adds a row to `erasures`. Each step after it is a short transaction too, so that no move waits
long, and records its progress: any worker continues there, after a crash as well; a step that two workers take at
once has the same effect as one.

No row about the person appears meanwhile. Transactions that write one lock the person's row and check it
(`lock_present`), and both ends of an erasure lock it too. The last step deletes once more what references.py says,
for a worker of an older release does not check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import bindparam, delete, insert, or_, select, tuple_, union, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.games.tables import chat, games, log, mutes, seats
from app.store.lock_order import lock_order
from app.store.people.references import erase_rows
from app.store.people.tables import erasures, players
from app.store.transactions import reading, writing

SOMEBODY = "somebody"
GAMES_A_STEP = 25
ROWS_A_STEP = 500  # of chat and mutes
_WITH_NAMES = ("seated", "created")  # the kinds of log entries that hold names


async def begin(run: AsyncConnection, ids: Sequence[str], now: int, *, without_trace: bool = False) -> None:
    """Remove name, account and sessions of a person with these ids, and record the rest as work to be done.

    `without_trace`: a person who never sat at a table leaves no row at all.
    """
    claimed = await run.execute(_with_claimed(ids))
    mine = sorted({*ids, *(row.id for row in claimed)})
    gone = {"name": SOMEBODY, "skeleton": "", "is_account": False, "deleted_at": now, "changed_at": now}
    await run.execute(update(players).where(players.c.id.in_(mine)).values(**gone))
    await run.run_sync(erase_rows, mine)
    for row in (await run.execute(_listed_of(mine))).all():  # as many as one person may have open
        await run.execute(update(games).where(games.c.id == row.id).values(terms=_untitled(row.terms)))
    await run.execute(delete(erasures).where(erasures.c.player.in_(mine)))
    rows = [{"player": player, "at": now, "done_to": "", "without_trace": without_trace} for player in mine]
    await run.execute(insert(erasures), rows)


def _with_claimed(ids: Sequence[str]) -> Any:
    """Lock these players and the guests they claimed; a claim that comes later finds the account erased."""
    return (
        select(players.c.id)
        .where(or_(players.c.id.in_(ids), players.c.claimed_by.in_(ids)))
        .order_by(lock_order(players.c.id))
        .with_for_update()
    )


async def step(engine: AsyncEngine, ids: Sequence[str] | None = None) -> bool:
    """Take the next step for these people, or for the one who has waited longest; False: nothing is left to do."""
    waiting = select(erasures).order_by(erasures.c.at, erasures.c.player).limit(1)
    if ids is not None:
        waiting = waiting.where(erasures.c.player.in_(ids))
    async with reading(engine) as run:  # as much as possible outside the write lock
        owed = (await run.execute(waiting)).first()
        if owed is None:
            return False
        has_words = await _has_words(run, owed.player)
        found = (
            [] if has_words else [row[0] for row in await run.execute(_games_of(owed.player, owed.done_to))]
        )
    async with writing(engine) as run:
        if has_words:
            await _forget_words(run, owed.player)
            return True
        await _forget_names(run, owed.player, found)
        if len(found) == GAMES_A_STEP:
            done = update(erasures).where(erasures.c.player == owed.player).values(done_to=found[-1])
            await run.execute(done)
        else:
            await _end(run, owed)
    return True


async def _end(run: AsyncConnection, owed: Any) -> None:
    """Delete what was written since the first transaction, and the erasure's row."""
    await run.execute(select(players.c.id).where(players.c.id == owed.player).with_for_update())
    await run.run_sync(erase_rows, [owed.player])
    if await _has_words(run, owed.player):
        return  # a line that was on its way: one more step
    await run.execute(delete(erasures).where(erasures.c.player == owed.player))
    if owed.without_trace:
        sat = select(seats.c.person).where(seats.c.person == owed.player)
        await run.execute(delete(players).where(players.c.id == owed.player, ~sat.exists()))


async def _has_words(run: AsyncConnection, player: str) -> bool:
    return any([(await run.execute(query.limit(1))).first() for query in _words_of(player)])


async def _forget_names(run: AsyncConnection, player: str, found: Sequence[str]) -> None:
    """Out of lists, entries about sitting down and titles.

    The log is otherwise never changed; names take no part in the game, its chance or its record's proof. Rows are
    locked as they are read, in order: somebody else of these games may be erased at the same moment.
    """
    theirs = (seats.c.person == player, seats.c.game.in_(found))
    await run.execute(update(seats).where(*theirs).values(name=SOMEBODY))
    entries = [
        {"in_game": row.game, "at_seq": row.seq, "unnamed": orjson.dumps(body).decode()}
        for row in (await run.execute(_NAMED, {"found": list(found)})).all()
        if _unnamed(body := orjson.loads(row.body), player)
    ]
    if entries:
        await run.execute(_UNNAME, entries)
    titles = [
        {"of_game": row.id, "untitled": _untitled(row.terms)}
        for row in (await run.execute(_TITLED, {"found": list(found), "player": player})).all()
        if orjson.loads(row.terms).get("title")
    ]
    if titles:
        await run.execute(_UNTITLE, titles)


# Made once, as they are used thousands of times.
_NAMED = (
    select(log.c.game, log.c.seq, log.c.body)
    .where(log.c.game.in_(bindparam("found", expanding=True)), log.c.kind.in_(_WITH_NAMES))
    .order_by(lock_order(log.c.game), log.c.seq)
    .with_for_update()
)
_UNNAME = (
    update(log)
    .where(log.c.game == bindparam("in_game"), log.c.seq == bindparam("at_seq"))
    .values(body=bindparam("unnamed"))
)
_TITLED = (
    select(games.c.id, games.c.terms)
    .where(games.c.id.in_(bindparam("found", expanding=True)), games.c.creator == bindparam("player"))
    .order_by(lock_order(games.c.id))
    .with_for_update()
)
_UNTITLE = update(games).where(games.c.id == bindparam("of_game")).values(terms=bindparam("untitled"))


def _games_of(player: str, after: str) -> Any:
    """The next games in which something of theirs may stand: a seat, an entry about sitting down, a title."""
    sits = select(seats.c.game).where(seats.c.person == player, seats.c.game > after)
    sat = select(log.c.game).where(log.c.who == player, log.c.kind == "seated", log.c.game > after)
    made = select(games.c.id).where(games.c.creator == player, games.c.id > after)
    # Each part is cut off by itself: else all games of a busy player would be gathered for every step.
    parts = (
        each.distinct().order_by(each.selected_columns[0]).limit(GAMES_A_STEP) for each in (sits, sat, made)
    )
    every = union(*(select(part.subquery()) for part in parts)).subquery()
    return select(every.c[0]).order_by(every.c[0]).limit(GAMES_A_STEP)


_KEYS = {chat: (chat.c.game, chat.c.n), mutes: (mutes.c.game, mutes.c.person, mutes.c.muted)}


def _words_of(player: str) -> tuple[Any, Any]:
    """Lines of chat that are not empty yet, and mutes: by their keys."""
    lines = select(*_KEYS[chat]).where(
        chat.c.person == player, or_(chat.c.name != SOMEBODY, chat.c.is_deleted.is_(False))
    )
    muted = select(*_KEYS[mutes]).where(or_(mutes.c.person == player, mutes.c.muted == player))
    return lines, muted


async def _forget_words(run: AsyncConnection, player: str) -> None:
    lines, muted = _words_of(player)
    blank = {"name": SOMEBODY, "text": None, "preset": None, "is_deleted": True}
    some = tuple_(*_KEYS[chat]).in_(lines.limit(ROWS_A_STEP))
    await run.execute(update(chat).where(some).values(**blank))
    await run.execute(delete(mutes).where(tuple_(*_KEYS[mutes]).in_(muted.limit(ROWS_A_STEP))))


def _listed_of(ids: Sequence[str]) -> Any:
    """Their tables that lobbies may show, with the title they gave them."""
    return select(games.c.id, games.c.terms).where(
        games.c.creator.in_(ids), games.c.status.in_(("open", "running"))
    )


def _untitled(terms: str) -> str:
    return orjson.dumps({**orjson.loads(terms), "title": ""}).decode()


def _unnamed(value: Any, player: str) -> bool:
    """Replaces the name wherever it stands beside this id; whether it did."""
    changed = False
    if isinstance(value, dict):
        if value.get("person") == player and value.get("name") not in (None, SOMEBODY):
            value["name"] = SOMEBODY
            changed = True
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            changed |= _unnamed(each, player)
    return changed
