"""Everything kept about somebody: given to them, or erased; what others need stays without a name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from sqlalchemy import delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from app.store.game_tables import chat, games, log, mutes, seats
from app.store.people_database import reading, writing
from app.store.people_tables import (
    accounts,
    blocks,
    notices,
    players,
    recovery_codes,
    reports,
    resume_codes,
    sessions,
    tokens,
)

__all__ = ["SOMEBODY", "DataStore", "erase"]

SOMEBODY = "somebody"
_WITH_NAMES = ("seated", "created")  # the kinds of log entries that hold names


class DataStore:
    """A person's own data: download and erasure."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine

    async def download(self, ids: Sequence[str]) -> dict[str, Any]:
        """All that is kept under these ids, but for secrets, which are kept as hashes only."""
        async with reading(self.engine) as run:

            async def rows(query: Any, *hidden: str) -> list[dict[str, Any]]:
                found = (dict(row._mapping) for row in await run.execute(query))
                return [{str(key): value for key, value in row.items() if key not in hidden} for row in found]

            played = select(
                games.c.id, games.c.preset, games.c.status, games.c.created_at, games.c.ended_at, seats
            )
            return {
                "players": await rows(select(players).where(players.c.id.in_(ids)), "skeleton"),
                "account": await rows(select(accounts).where(accounts.c.player.in_(ids)), "password"),
                "devices": await rows(select(sessions).where(sessions.c.player.in_(ids)), "hash"),
                "tokens": await rows(select(tokens).where(tokens.c.player.in_(ids)), "hash"),
                "notices": await rows(
                    select(notices).where(notices.c.player.in_(ids)), "confirm_hash", "stop_token"
                ),
                "blocked": await rows(select(blocks).where(blocks.c.player.in_(ids))),
                "reports": await rows(select(reports).where(reports.c.reporter.in_(ids))),
                "games": await rows(
                    played.join(seats, seats.c.game == games.c.id)
                    .where(seats.c.person.in_(ids))
                    .order_by(games.c.created_at),
                    "game",
                ),
                "chat": await rows(
                    select(chat.c.game, chat.c.at, chat.c.channel, chat.c.text, chat.c.preset)
                    .where(chat.c.person.in_(ids), chat.c.is_deleted.is_(False))
                    .order_by(chat.c.at)
                ),
            }

    async def erase(self, ids: Sequence[str], now: int) -> None:
        """Forgets somebody: account, sessions, words and name are gone; finished games keep "somebody"."""
        async with writing(self.engine) as run:
            await erase(run, ids, now)


async def erase(run: AsyncConnection, ids: Sequence[str], now: int) -> None:
    """The same inside a transaction that is under way."""
    mine = list(ids)
    for table in (sessions, accounts, recovery_codes, resume_codes, tokens, notices):
        await run.execute(delete(table).where(table.c.player.in_(mine)))
    await run.execute(delete(blocks).where(or_(blocks.c.player.in_(mine), blocks.c.blocked.in_(mine))))
    await run.execute(delete(mutes).where(or_(mutes.c.person.in_(mine), mutes.c.muted.in_(mine))))
    await run.execute(update(reports).where(reports.c.reporter.in_(mine)).values(reporter=""))
    blank = {"name": SOMEBODY, "text": None, "preset": None, "is_deleted": True}
    await run.execute(update(chat).where(chat.c.person.in_(mine)).values(**blank))
    await _erase_from_games(run, mine)
    gone = {"name": SOMEBODY, "skeleton": "", "is_account": False, "deleted_at": now, "changed_at": now}
    await run.execute(update(players).where(players.c.id.in_(mine)).values(**gone))


async def _erase_from_games(run: AsyncConnection, ids: Sequence[str]) -> None:
    """Names leave the lists, the titles and the log's entries about sitting down.

    The log is otherwise never changed; names take no part in the game, its chance or its record's proof.
    """
    theirs = select(seats.c.game).where(seats.c.person.in_(ids))
    wrote = select(log.c.game).where(log.c.who.in_(ids), log.c.kind == "seated")
    made = select(games.c.id).where(games.c.creator.in_(ids))
    found = [row[0] for row in await run.execute(theirs.union(wrote, made))]
    await run.execute(update(seats).where(seats.c.person.in_(ids)).values(name=SOMEBODY))
    for game in found:
        query = select(log.c.seq, log.c.body).where(log.c.game == game, log.c.kind.in_(_WITH_NAMES))
        for row in (await run.execute(query)).all():
            body = orjson.loads(row.body)
            if _unnamed(body, ids):
                changed = orjson.dumps(body).decode()
                same = (log.c.game == game, log.c.seq == row.seq)
                await run.execute(update(log).where(*same).values(body=changed))
        query = select(games.c.terms).where(games.c.id == game, games.c.creator.in_(ids))
        terms = (await run.execute(query)).scalar_one_or_none()
        if terms is not None and orjson.loads(terms).get("title"):
            untitled = orjson.dumps({**orjson.loads(terms), "title": ""}).decode()
            await run.execute(update(games).where(games.c.id == game).values(terms=untitled))


def _unnamed(value: Any, ids: Sequence[str]) -> bool:
    """Replaces the name wherever it stands beside one of the ids; whether it did."""
    changed = False
    if isinstance(value, dict):
        if value.get("person") in ids and value.get("name") not in (None, SOMEBODY):
            value["name"] = SOMEBODY
            changed = True
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            changed |= _unnamed(each, ids)
    return changed
