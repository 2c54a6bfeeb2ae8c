"""The context that the rooms of one worker share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.play.alarm import Alarm
from app.play.names import NameCache
from app.play.ports import KINDS_SENT_TO_ALL, BotPlayer, Bus, Clock, GameStore, MetricsPort, News
from app.play.schedule.outages import OutageTracker
from app.play.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Context:
    """The ports of one worker, and the objects that its rooms share."""

    worker: str
    store: GameStore
    bus: Bus
    clock: Clock
    bots: BotPlayer
    metrics: MetricsPort
    names: NameCache
    outage_tracker: OutageTracker
    sweep_alarm: Alarm
    tasks: Tasks
    bot_budget_seconds: float = 1.0  # for one decision of a bot
    spectator_batch_seconds: float = 0.0  # see Subscribers
    bot_interval_ms: float = 0.0  # see `_wait_for_interval` in sweep/bot_turns.py

    def publish(self, kind: str, about: str, body: Any) -> None:
        """Publish news to the other workers; news of a game goes only to workers that have its room loaded."""
        if kind in KINDS_SENT_TO_ALL:
            if not self.bus.is_single_worker:
                self.bus.publish(News(kind, about, self.worker, body))
        elif self.bus.has_followers(about):
            self.bus.publish(News(kind, about, self.worker, body), (about,))
