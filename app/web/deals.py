"""The deal of the day in one app: fixed in time, played, settled when a game of it is over, compared."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence

from app.play.create import new_game_id
from app.play.deal.days import Deal, day_of, new_deal, next_day
from app.play.deal.game import begin
from app.play.deal.results import Comparison, Turn, compare, outcome_of
from app.play.log.reading import whole_log
from app.play.ports import Actor
from app.play.refusals import Raced
from app.play.server import GameServer
from app.store.people.deals import DealStore, Try, read_line
from app.web.offload import Offload

_BACK = 2  # days whose games are settled by themselves; older ones when their player looks
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
        """Somebody's unfinished try of today, or a new one."""
        day = self.today()
        deal = await self.fixed(day)
        assert deal is not None
        for _ in range(_TRIES):
            mine = await self.store.tries_of(actor.ids, day)
            going = next((each for each in reversed(mine) if not each.is_over), None)
            if going is not None:
                if not going.is_made:
                    await begin(self._game_server, actor, deal, going.game, most)
                return going
            await self.store.begin(new_game_id(), day, actor.id, len(mine) + 1, self.now())
        raise Raced

    async def tries_of(self, ids: tuple[str, ...], day: str) -> list[Try]:
        """Somebody's tries of a day, with the results of those that are over."""
        found = await self.store.tries_of(ids, day)
        owed = [each for each in found if each.is_over and each.ended_at is None]
        for each in owed:
            await self.process(each)
        return await self.store.tries_of(ids, day) if owed else found

    # -- the queue of tries to settle (app/play/queues.py) -------------------------------------------

    name = "deals"

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[Try]:
        """Return tries of the last days whose game has ended and whose result is not stored."""
        return await self.store.unsettled(next_day(self.today(), -_BACK), limit, skip_keys)

    def key(self, row: Try) -> str:
        return row.game

    def owner(self, row: Try) -> str | None:
        return None

    async def process(self, row: Try) -> None:
        """Store the result of a try; may run twice."""
        store = self._game_server.store
        game = await store.game(row.game)
        if game is not None:
            entries = await whole_log(store, row.game)
            outcome = await self._offload.run(outcome_of, game, entries, (row.person,))
            await self.store.settle(row.game, outcome)

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
