"""The deal of the day in one app: fixed in time, played, settled when a game of it is over, compared."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection, Sequence

from app.play.create import new_game_id
from app.play.deal.days import Deal, day_of, new_deal, next_day
from app.play.deal.game import begin
from app.play.deal.results import Comparison, Turn, compare, outcome_of
from app.play.log.reading import whole_log
from app.play.ports import Actor, StoreUnavailable
from app.play.refusals import Raced
from app.play.server import GameServer
from app.store.people.deals import DealStore, Try, read_line
from app.web.offload import Offload

log = logging.getLogger("cartagena.deals")

_RECENT_DAYS = 2  # before today, whose tries are settled within seconds of their end
_ORPHAN_DAYS = 7  # after which a try that never got its game is forgotten
_OLD_PAGE = 50  # older tries looked at by one claim
_FRESH = 10_000  # milliseconds that the lines of a day are kept for the next who compares
_KEPT_DAYS = 4
_TRIES = 5


class Deals:
    """What all requests and rounds of one worker share. Any worker may do any of it, twice too."""

    def __init__(self, store: DealStore, game_server: GameServer, offload: Offload) -> None:
        self.store = store
        self._game_server = game_server
        self._offload = offload
        self._fixed: OrderedDict[str, Deal] = OrderedDict()  # they never change
        self._old_cursor = ("", "")  # day and game of the last older try looked at
        self._lines: OrderedDict[str, tuple[int, list[tuple[str, str]]]] = OrderedDict()  # of a day, whose

    def now(self) -> int:
        return self._game_server.clock.now()

    def today(self) -> str:
        return day_of(self.now())

    async def fixed(self, day: str) -> Deal | None:
        """The deal of a day; today's and tomorrow's are made when they are missing, no others ever are."""
        found = self._fixed.get(day) or await self.store.deal(day)
        if found is None and day in (today := self.today(), next_day(today)):
            found = await self.store.keep(new_deal(day, self.now()))
        if found is not None:
            self._fixed[day] = found
            while len(self._fixed) > _KEPT_DAYS:
                self._fixed.popitem(last=False)
        return found

    async def play(self, actor: Actor, most: int) -> Try:
        """Return the person's unfinished try of today, or a new one; create its game if it has none yet."""
        day = self.today()
        deal = await self.fixed(day)
        assert deal is not None
        for _ in range(_TRIES):
            found = await self.store.begin(actor.ids, day, new_game_id(), self.now())
            if found is not None:
                if not found.is_made:
                    await begin(self._game_server, actor, deal, found.game, most)
                return found
        raise Raced

    async def tries_of(self, ids: tuple[str, ...], day: str) -> list[Try]:
        """Return the person's tries of a day, with results where the games have ended."""
        found = await self.store.tries_of(ids, day)
        owed = [each for each in found if each.is_over and each.ended_at is None]
        if not owed:
            return found
        await self._process_each(owed)
        return await self.store.tries_of(ids, day)

    # -- the queue of tries to settle (app/play/queues.py) -------------------------------------------

    name = "deals"

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str] = (), skip_owners: Collection[str] = ()
    ) -> list[Try]:
        """Return tries whose game has ended and whose result is not stored, and old ones that never got a game.

        Tries of recent days are found as soon as their game ends. Older ones, which are few and mostly unfinished,
        are looked through page by page, so that a claim costs the same however many there are.
        """
        recent = next_day(day_of(now), -_RECENT_DAYS)
        found = await self.store.ended_tries(recent, limit, skip_keys)
        forgotten = next_day(day_of(now), -_ORPHAN_DAYS)
        page = await self.store.old_tries(self._old_cursor, recent, _OLD_PAGE)
        for each in page:
            if len(found) == limit:
                return found  # the next claim continues here
            self._old_cursor = (each.day, each.game)
            is_orphan = not each.is_made and each.day < forgotten
            if (each.is_over or is_orphan) and each.game not in skip_keys:
                found.append(each)
        if len(page) < _OLD_PAGE:
            self._old_cursor = ("", "")
        return found

    def key(self, row: Try) -> str:
        return row.game

    def owner(self, row: Try) -> str | None:
        return row.person

    async def process(self, row: Try) -> None:
        """Store the result of a try, or forget it if it has no game; may run twice."""
        store = self._game_server.store
        game = await store.game(row.game)
        if game is None:
            await self.store.forget(row.game)
            return
        entries = await whole_log(store, row.game)
        outcome = await self._offload.run(outcome_of, game, entries)
        await self.store.settle(row.game, outcome)

    async def _process_each(self, rows: Sequence[Try]) -> None:
        """Process each row; one that fails is logged and leaves the others alone."""
        for row in rows:
            try:
                await self.process(row)
            except StoreUnavailable:
                raise
            except Exception as problem:  # noqa: BLE001 - a failing row must not stop the others
                fields = {"game": row.game, "error": type(problem).__name__}
                log.warning("the result of a deal cannot be read", extra={"fields": fields})

    async def compared(self, ids: tuple[str, ...], mine: Try) -> Comparison:
        """One's own try beside the first tries of all others, as of a moment ago."""
        now, kept = self.now(), self._lines.get(mine.day)
        if kept is None or not 0 <= now - kept[0] < _FRESH:
            kept = self._lines[mine.day] = (now, await self.store.lines(mine.day))
            while len(self._lines) > _KEPT_DAYS:
                self._lines.popitem(last=False)
        return await self._offload.run(_compared, mine.line, kept[1], ids)


def _compared(mine: Sequence[Turn], lines: list[tuple[str, str]], ids: tuple[str, ...]) -> Comparison:
    return compare(mine, [read_line(line) for owner, line in lines if owner not in ids])
