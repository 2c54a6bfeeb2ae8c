"""The deal of the day in one app: creates deals, starts tries, stores their results and compares them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence

from cachetools import LRUCache

from app.play.create import new_game_id
from app.play.deal.days import Deal, add_days, day_of, new_deal
from app.play.deal.game import create_deal_game
from app.play.deal.par import Par
from app.play.deal.results import (
    Comparison,
    Distribution,
    Standing,
    Turn,
    compare_turns,
    compute_deal_result,
    distribute_scores,
    rank_score,
)
from app.play.log.reading import read_whole_log
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import LostRaces
from app.play.server import GameServer
from app.store.people.deals import DealStore, Try, decode_line
from app.web.offload import Offload

log = logging.getLogger("cartagena.deals")

_RECENT_DAYS = 2  # before today; results of their tries are stored within seconds
_ORPHAN_DAYS = 7  # after which a try without a game is deleted
_OLD_PAGE_SIZE = 50  # older tries read per claim
_RESULTS_CACHE_MS = 10_000  # for comparisons with a day's tries
_MAX_CACHED_DAYS = 4
_MAX_BEGIN_ATTEMPTS = 5


class Deals:
    """The deals of one app. Every operation may run in any worker, and more than once."""

    def __init__(self, store: DealStore, game_server: GameServer, offload: Offload) -> None:
        self.store = store
        self._game_server = game_server
        self._offload = offload
        self._cached_deals: LRUCache[str, Deal] = LRUCache(_MAX_CACHED_DAYS)  # deals never change
        self._old_cursor = ("", "")  # day and game of the last older try that was read
        # By day: time of reading, (owner, line).
        self._lines: LRUCache[str, tuple[int, list[tuple[str, str]]]] = LRUCache(_MAX_CACHED_DAYS)
        # By day: time of reading, count by score.
        self._scores: LRUCache[str, tuple[int, dict[int, int]]] = LRUCache(_MAX_CACHED_DAYS)
        self._pars: LRUCache[str, Par] = LRUCache(_MAX_CACHED_DAYS)

    def now(self) -> int:
        return self._game_server.clock.now()

    def today(self) -> str:
        return day_of(self.now())

    async def get_deal(self, day: str) -> Deal | None:
        """Return the deal of a day. Only today's and tomorrow's are created if missing."""
        found = self._cached_deals.get(day) or await self.store.find_deal(day)
        if found is None and day in (today := self.today(), add_days(today)):
            found = await self.store.save_deal(new_deal(day, self.now()))
        if found is not None:
            self._cached_deals[day] = found
        return found

    async def play(self, actor: Actor, most: int) -> Try:
        """Return the person's unfinished try of today, or a new one. Create its game if it has none.

        Raise TooManyTries.
        """
        day = self.today()
        deal = await self.get_deal(day)
        assert deal is not None
        for _ in range(_MAX_BEGIN_ATTEMPTS):
            found = await self.store.begin_try(actor.ids, day, new_game_id(), self.now())
            if found is not None:
                if not found.has_game:
                    await create_deal_game(self._game_server, actor, deal, found.game, most)
                return found
        raise LostRaces

    async def tries_of(self, ids: tuple[str, ...], day: str) -> list[Try]:
        """Return the person's tries of a day, with results where games have ended."""
        found = await self.store.list_tries(ids, day)
        unsettled = [try_row for try_row in found if try_row.is_over and try_row.ended_at is None]
        if not unsettled:
            return found
        await self._process_each(unsettled)
        return await self.store.list_tries(ids, day)

    # -- the queue of tries to settle (app/play/queues.py) -------------------------------------------

    name = "deals"

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str] = (), skip_owners: Collection[str] = ()
    ) -> list[Try]:
        """Return tries whose game has ended without a stored result, and old tries without a game.

        Tries of recent days are found as soon as their game ends. Older ones are scanned page by page, so that the
        cost of a claim does not grow with their number.
        """
        recent = add_days(day_of(now), -_RECENT_DAYS)
        found = await self.store.find_ended_tries(recent, limit, skip_keys)
        orphan_before = add_days(day_of(now), -_ORPHAN_DAYS)
        page = await self.store.find_old_tries(self._old_cursor, recent, _OLD_PAGE_SIZE)
        for try_row in page:
            if len(found) == limit:
                return found  # the next claim continues here
            self._old_cursor = (try_row.day, try_row.game)
            is_orphan = not try_row.has_game and try_row.day < orphan_before
            if (try_row.is_over or is_orphan) and try_row.game not in skip_keys:
                found.append(try_row)
        if len(page) < _OLD_PAGE_SIZE:
            self._old_cursor = ("", "")
        return found

    def key(self, row: Try) -> str:
        return row.game

    def owner(self, row: Try) -> str | None:
        return row.person

    async def process(self, row: Try) -> None:
        """Store the result of a try, or delete the try if it has no game. Idempotent."""
        store = self._game_server.store
        game = await store.log.read_game(row.game)
        if game is None:
            await self.store.delete_try(row.game)
            return
        entries = await read_whole_log(store.log, row.game)
        outcome = await self._offload.run(compute_deal_result, game, entries)
        await self.store.save_result(row.game, outcome)

    async def _process_each(self, rows: Sequence[Try]) -> None:
        """Process each row. A failing row is logged and does not affect the others."""
        for row in rows:
            try:
                await self.process(row)
            except StoreUnavailable:
                raise
            except Exception as problem:  # noqa: BLE001 - a failing row must not stop the others
                fields = {"game": row.game, "error": type(problem).__name__}
                log.warning("cannot compute the result of a deal", extra={"fields": fields})

    async def compare(self, ids: tuple[str, ...], mine: Try) -> Comparison:
        """Compare a try with the first tries of all other people, read at most _RESULTS_CACHE_MS ago."""
        now, cached = self.now(), self._lines.get(mine.day)
        if cached is None or not 0 <= now - cached[0] < _RESULTS_CACHE_MS:
            cached = self._lines[mine.day] = (now, await self.store.list_lines(mine.day))
        return await self._offload.run(_compare_lines, mine.line, cached[1], ids)

    async def read_distribution(self, day: str, mine: Try | None) -> tuple[Distribution, Standing | None]:
        """Return the distribution of a day's results, and the standing of one's own if it counts."""
        score = mine.score if mine is not None and mine.is_counted else None
        now, cached = self.now(), self._scores.get(day)
        is_old = cached is None or not 0 <= now - cached[0] < _RESULTS_CACHE_MS
        if cached is None or is_old or (score is not None and score not in cached[1]):
            cached = self._scores[day] = (now, await self.store.count_scores(day))
        counts = cached[1]
        return distribute_scores(counts), rank_score(score, counts) if score is not None else None

    async def read_par(self, day: str) -> Par | None:
        """Return the bots' own result; None if it is not known yet, or never will be."""
        found = self._pars.get(day) or await self.store.read_par(day)
        if found is not None:
            self._pars[day] = found
        return found


def _compare_lines(mine: Sequence[Turn], lines: list[tuple[str, str]], ids: tuple[str, ...]) -> Comparison:
    return compare_turns(mine, [decode_line(line) for owner, line in lines if owner not in ids])
