"""The queue `ratings`: takes finished rated games into the ratings, in the order in which they ended.

Only the worker that holds the lease processes games, one after the other. A game that turns up late undoes the newest
games up to its place; they are pending again, and the next claims process them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from app.play.log.reading import fold_result, read_whole_log
from app.play.ports import Clock, GameLog
from app.play.queues import Postponed
from app.store.ratings.projection import LeaseLost, RatingProjection
from app.store.ratings.stored_games import Place
from app.web.errors import TooMany
from app.web.offload import Offload

RATING_POLL_MS = 2_000  # how soon the players of a game see what it changed
LEASE_MS = 30_000
_STEPS_PER_EXTENSION = 20

ReadResult = Callable[[str], Awaitable[dict[str, Any]]]


class RatingQueue:
    """The queue of one worker. A row is a game's place in the order of processing."""

    name = "ratings"

    def __init__(self, projection: RatingProjection, read_result: ReadResult, clock: Clock) -> None:
        self._projection = projection
        self._read_result = read_result
        self._clock = clock

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[Place]:
        place = await self._projection.find_pending(skip_keys)
        if place is None or not await self._projection.take_lease(now, now + LEASE_MS):
            return ()
        return (place,)

    def key(self, row: Place) -> str:
        return row[1]

    def owner(self, row: Place) -> str | None:
        return None

    async def process(self, row: Place) -> None:
        """Take one game in. Idempotent; a crash in between leaves some of the newest games pending again."""
        try:
            await self._take_in(row[1])
        except LeaseLost:
            raise Postponed from None

    async def _take_in(self, game_id: str) -> None:
        stored = await self._projection.read_game(game_id)
        if stored is None or stored.rated_at is not None:
            return
        game = stored.decode() or stored.decode(await self._read_result(game_id))
        if game is None:
            await self._projection.leave_out(stored.place, self._clock.now())
            return
        step = 0
        while not await self._projection.add(game, self._clock.now()):
            await self._projection.undo_newest(game.place)
            step += 1
            if step % _STEPS_PER_EXTENSION == 0:
                now = self._clock.now()
                await self._projection.take_lease(now, now + LEASE_MS)
            await asyncio.sleep(0)  # waiting moves go first


def make_result_reader(log: GameLog, offload: Offload) -> ReadResult:
    """Return the function that folds the log of a game whose stored result has no ranks."""

    async def read_result(game: str) -> dict[str, Any]:
        row = await log.read_game(game)
        if row is None:
            return {}
        try:
            return await offload.run(fold_result, row, await read_whole_log(log, game))
        except TooMany:  # the offload thread is busy
            raise Postponed from None

    return read_result
