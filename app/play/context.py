"""What the rooms of one worker share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.play.log.entries import Entry
from app.play.log.table import Table
from app.play.names import Names
from app.play.ports import TO_ALL, BotPlayer, Bus, Clock, GameStore, MetricsPort, News
from app.play.schedule.schedule import Schedule
from app.play.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Context:
    """The ports of one worker, and whom a room tells that it has moved on."""

    worker: str
    store: GameStore
    bus: Bus
    clock: Clock
    bots: BotPlayer
    metrics: MetricsPort
    names: Names
    schedule: Schedule
    tasks: Tasks
    # The room, the table before, the entry, and whether it is another worker's news.
    on_moved: Callable[[Any, Table, Entry, bool], None]
    bot_budget: float = 1.0  # seconds a bot may think
    watch_delay: float = 0.0  # seconds; see Subscribers
    bot_interval: float = 0.0  # milliseconds; a bot's answer waits for the next one where hands are hidden

    def publish(self, kind: str, about: str, body: Any) -> None:
        """News for the other workers: of a game for those that have its room loaded, if there are any."""
        if kind in TO_ALL:
            if not self.bus.is_alone:
                self.bus.publish(News(kind, about, self.worker, body))
        elif self.bus.hears(about):
            self.bus.publish(News(kind, about, self.worker, body), (about,))
