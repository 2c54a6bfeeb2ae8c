"""Outages: the heartbeat of one worker, and the times at which no worker was running.

The first worker to start after an outage measures its length from the last heartbeat.
"""

from __future__ import annotations

import logging

from app.play.log.entries import Outage
from app.play.ports import Clock, GameStore, StoreUnavailable
from app.play.tasks import retry_until_available

_log = logging.getLogger("cartagena.schedule")
HEARTBEAT_SECONDS = 2.0
MAX_HEARTBEAT_GAP_MS = 8000  # a longer gap between heartbeats is an outage
_OUTAGE_HISTORY_MS = 40 * 86_400_000  # older outages cannot affect a running clock


class OutageTracker:
    """Records this worker's heartbeats and holds the recent outages of the server."""

    def __init__(self, store: GameStore, clock: Clock, *, is_single_worker: bool) -> None:
        self.store = store
        self.clock = clock
        self.outages: list[Outage] = []
        self._is_single_worker = is_single_worker
        self._last_heartbeat_at = 0

    async def record_first_heartbeat(self) -> None:
        """Record the heartbeat of a worker that starts, and wait for the store if it does not answer.

        A single worker knows that its predecessor is dead. However short the gap is, it counts as an outage, and the
        predecessor's leases end.
        """
        # No later heartbeat could tell a short gap from a delay, and players' clocks would be charged for it.
        await retry_until_available(
            lambda: self._record(0 if self._is_single_worker else MAX_HEARTBEAT_GAP_MS)
        )
        if self._is_single_worker:
            await retry_until_available(self.store.due.end_leases)

    async def record_heartbeat(self) -> None:
        """Record that this worker is running, and read the outages that have ended."""
        try:
            await self._record(MAX_HEARTBEAT_GAP_MS)
        except StoreUnavailable:
            _log.warning("no heartbeat recorded: the store does not answer")

    async def _record(self, max_gap_ms: int) -> None:
        now = self.clock.now()
        await self.store.heartbeats.record(now, max_gap_ms)
        self.outages = await self.store.heartbeats.read_outages(now - _OUTAGE_HISTORY_MS)
        self._last_heartbeat_at = now

    def is_current(self, now: int) -> bool:
        """Return whether an outage that ended before `now` would be in `outages`."""
        return now - self._last_heartbeat_at <= MAX_HEARTBEAT_GAP_MS // 2
