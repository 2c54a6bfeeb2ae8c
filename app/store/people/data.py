"""Everything kept about somebody: given to them, or erased; what others need stays without a name."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.ext.asyncio import AsyncEngine

from app.store.games.tables import chat, games, seats
from app.store.people.deal_tables import deal_tries
from app.store.people.erasure import begin, step
from app.store.people.tables import (
    accounts,
    blocks,
    game_switches,
    invitations,
    notices,
    players,
    push_subscriptions,
    reports,
    sessions,
    tokens,
)
from app.store.transactions import Queries

_AT_ONCE = 200  # rows made without a pause


class DataStore(Queries):
    """A person's own data: download and erasure."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__(engine)
        self._downloading = asyncio.Lock()

    async def download(self, ids: Sequence[str]) -> dict[str, Any]:
        """All that is kept under these ids, but for secrets, which are kept as hashes only.

        One download at a time, and a connection for one query at a time: other work finds one free.
        """
        async with self._downloading:

            async def rows(query: Any, *hidden: str) -> list[dict[str, Any]]:
                found: list[dict[str, Any]] = []
                names: list[str] = []
                for row in await self.rows(query):
                    names = names or [str(key) for key in row._mapping]
                    values = dict(zip(names, row, strict=True))
                    for name in hidden:
                        del values[name]
                    found.append(values)
                    if len(found) % _AT_ONCE == 0:
                        await asyncio.sleep(0)  # somebody may have thousands of games
                return found

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
                "browsers": await rows(
                    select(push_subscriptions).where(push_subscriptions.c.player.in_(ids)),
                    *("auth", "p256dh", "session"),
                ),
                "notices_of_games": await rows(select(game_switches).where(game_switches.c.player.in_(ids))),
                "invitations": await rows(
                    select(invitations).where(
                        or_(invitations.c.player.in_(ids), invitations.c.inviter.in_(ids))
                    )
                ),
                "blocked": await rows(select(blocks).where(blocks.c.player.in_(ids))),
                "reports": await rows(select(reports).where(reports.c.reporter.in_(ids))),
                "games": await rows(
                    played.join(seats, seats.c.game == games.c.id)
                    .where(seats.c.person.in_(ids))
                    .order_by(games.c.created_at),
                    "game",
                ),
                "deals": await rows(
                    select(deal_tries).where(deal_tries.c.person.in_(ids)).order_by(deal_tries.c.began_at)
                ),
                "chat": await rows(
                    select(chat.c.game, chat.c.at, chat.c.channel, chat.c.text, chat.c.preset)
                    .where(chat.c.person.in_(ids), chat.c.is_deleted.is_(False))
                    .order_by(chat.c.at)
                ),
            }

    async def begin_erasure(self, ids: Sequence[str], now: int) -> None:
        """Account, sessions and name are gone on return; words and names in games go step by step after it."""
        async with self.writing() as run:
            await begin(run, ids, now)

    async def erase_step(self, ids: Sequence[str] | None = None) -> bool:
        """One short step of erasing these, or whoever has waited longest; False when nothing is left to do."""
        return await step(self.engine, ids)

    async def erase(self, ids: Sequence[str], now: int) -> None:
        """Forgets somebody, to the end; finished games keep "somebody"."""
        await self.begin_erasure(ids, now)
        while await self.erase_step(ids):
            pass
