"""The registry of all background queues, and the queues of erasures and retention."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Any

from app.play.queues import ClaimLoop
from app.play.server import GameServer
from app.play.tasks import Tasks
from app.store.batcher import Batcher
from app.store.people.outbox import OutboxStore
from app.store.people.retention import DEAD_ROOM, MAX_BATCH_ROWS, Cutoffs, ExpiredRow, RetentionStore
from app.web.deal_pars import PAR_POLL_MS, DealPars
from app.web.deals import Deals
from app.web.mistakes import Mistakes
from app.web.notice_loops import make_notice_loops
from app.web.ratings import RATING_POLL_MS, RatingQueue
from app.web.site import Site

DEAL_POLL_MS = 5_000  # how soon the result of a finished deal appears in its day's table
MISTAKE_POLL_MS = 30_000  # how soon a game queued in another worker is searched; one at a time
ERASURE_POLL_MS = 5_000  # how soon an interrupted erasure continues
MAX_ERASURE_STEPS = 100  # per claim
RETENTION_PAUSE_MS = 50  # between batches of deletions, so that moves go first
_DAY_SECONDS = 86_400

Queues = dict[str, ClaimLoop[Any]]


def make_queues(
    site: Site,
    game_server: GameServer,
    deals: Deals,
    pars: DealPars,
    mistakes: Mistakes,
    rating_queue: RatingQueue,
    store: RetentionStore,
    outbox: OutboxStore,
    tasks: Tasks,
) -> Queues:
    """Return the claim loops of all queues by name. New queues are registered here."""
    failures = game_server.failures
    erasures = ClaimLoop(ErasureQueue(site, store), failures, tasks, poll_ms=ERASURE_POLL_MS, concurrency=4)
    searches = ClaimLoop(mistakes, failures, tasks, poll_ms=MISTAKE_POLL_MS, concurrency=1)
    mistakes.on_request = searches.nudge
    loops: list[ClaimLoop[Any]] = [
        game_server.sweeper.loop,
        ClaimLoop(deals, failures, tasks, poll_ms=DEAL_POLL_MS, concurrency=8),
        ClaimLoop(pars, failures, tasks, poll_ms=PAR_POLL_MS, concurrency=1),
        searches,
        ClaimLoop(rating_queue, failures, tasks, poll_ms=RATING_POLL_MS, concurrency=1),
        erasures,
        ClaimLoop(
            RetentionQueue(site, game_server, store, on_erasure=erasures.nudge),
            failures,
            tasks,
            poll_ms=int(site.settings.sweep_seconds * 1000),
            concurrency=MAX_BATCH_ROWS,
            pause_ms=RETENTION_PAUSE_MS,
        ),
        *make_notice_loops(site, outbox, site.webhooks.outbound, failures, tasks),
    ]
    return {loop.name: loop for loop in loops}


class ErasureQueue:
    """People whose erasure was started by any worker or by the command line."""

    name = "erasures"

    def __init__(self, site: Site, store: RetentionStore) -> None:
        self._site = site
        self._store = store

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[str]:
        return await self._store.find_erasures(limit, skip_keys)

    def key(self, row: str) -> str:
        return row

    def owner(self, row: str) -> str | None:
        return None

    async def process(self, row: str) -> None:
        """Run a bounded number of steps. The next claim continues a longer erasure."""
        for _ in range(MAX_ERASURE_STEPS):
            if not await self._site.data.run_erasure_step([row]):
                return
            await asyncio.sleep(0.01)  # waiting moves go first


class RetentionQueue:
    """Rows that are older than the settings allow."""

    name = "retention"

    def __init__(
        self, site: Site, game_server: GameServer, store: RetentionStore, on_erasure: Callable[[], None]
    ) -> None:
        self._site = site
        self._game_server = game_server
        self._store = store
        self._on_erasure = on_erasure
        self._forgetting: Batcher[ExpiredRow, None] = Batcher(
            self._forget, MAX_BATCH_ROWS, limit_admission=False
        )
        self._closing = asyncio.Lock()  # one room at a time, because loading many at once would delay games

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[ExpiredRow]:
        return await self._store.find_expired(self._cutoffs(), limit, skip_keys)

    def key(self, row: ExpiredRow) -> str:
        return row.name

    def owner(self, row: ExpiredRow) -> str | None:
        return None

    async def process(self, row: ExpiredRow) -> None:
        if row.rule == DEAD_ROOM:
            async with self._closing:
                await self._game_server.close_room(str(row.key[0]), "nobody came for a long time")
            return
        await self._forgetting.get(row)
        if row.rule == "guest":
            self._on_erasure()

    async def _forget(self, rows: list[ExpiredRow]) -> list[Exception | None]:
        return await self._store.delete_expired(rows, self._cutoffs())

    def _cutoffs(self) -> Cutoffs:
        settings, now = self._site.settings, self._site.now()

        def cutoff(days: float) -> int:
            return int(now - days * _DAY_SECONDS) if days else 0

        return Cutoffs(
            now=now,
            sessions=cutoff(settings.session_days),
            guests=cutoff(settings.guest_days),
            chat_ms=cutoff(settings.chat_days) * 1000,
            audit=cutoff(settings.audit_days),
            rooms_ms=cutoff(settings.dead_room_days) * 1000,
        )
