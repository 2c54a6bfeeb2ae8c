"""The queue of days whose par is missing: bots play each deal once, in the pool, after a person has started it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from cachetools import LRUCache

from app.bots.pool import DecisionUnavailable
from app.play.deal.days import add_days, day_of
from app.play.deal.par import ParGame
from app.play.queues import Postponed
from app.play.server import GameServer
from app.web.deals import Deals
from app.web.errors import TooMany
from app.web.offload import Offload

PAR_POLL_MS = 30_000  # how soon par follows the first try of a day
_LEASE_MS = 15 * 60_000  # longer than a row may take (app/play/queues.py)
_SINCE_DAYS = 1  # before today, for a server that was down at midnight
_MAX_KEPT_GAMES = 2
_BUDGET_SECONDS = 1.0  # unused: the budgets are fixed
_SHARE = "deal of the day"  # of the bots' time, like that of one person


class DealPars:
    """Computes par in one app. A game that cannot go on is kept, so that the next attempt continues it."""

    name = "deal_pars"

    def __init__(self, deals: Deals, game_server: GameServer, offload: Offload) -> None:
        self._store = deals.store
        self._deals = deals
        self._game_server = game_server
        self._offload = offload
        self._games: LRUCache[str, ParGame] = LRUCache(_MAX_KEPT_GAMES)

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str] = (), skip_owners: Collection[str] = ()
    ) -> Sequence[str]:
        since = add_days(day_of(now), -_SINCE_DAYS)
        return await self._store.claim_pars(since, now, now + _LEASE_MS, limit, skip_keys)

    def key(self, row: str) -> str:
        return row

    def owner(self, row: str) -> str | None:
        return None

    async def process(self, row: str) -> None:
        """Play the deal and store its par. Postponed while the bots or the thread are too busy."""
        try:
            await self._play(row)
        except (DecisionUnavailable, TooMany):
            raise Postponed from None
        finally:
            await self._store.end_par_lease(row)

    async def _play(self, day: str) -> None:
        deal = await self._deals.get_deal(day)
        assert deal is not None
        game = self._games.get(day)
        if game is None:
            game = self._games[day] = await self._offload.run(ParGame, deal)
        bots = self._game_server.context.bots
        while (request := await self._offload.run(game.next_request)) is not None:
            action = await bots.choose(budget=_BUDGET_SECONDS, person=_SHARE, **request)
            await self._offload.run(game.play, action)
        await self._store.save_par(day, await self._offload.run(game.result))
        self._games.pop(day, None)
