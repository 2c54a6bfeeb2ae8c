"""What one app is made of: built in its lifespan, found again from any connection; no globals."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncEngine
from starlette.requests import HTTPConnection

from app.settings import Settings
from app.store.people import PeopleStore, Player
from app.web.bans import Bans
from app.web.limits import Limits

if TYPE_CHECKING:  # these import `site_of` themselves
    from app.web.metrics import Metrics

__all__ = ["Site", "site_of"]


@dataclass(slots=True)
class Site:
    """The parts of one app. `on_drain` is called in order before any socket is closed by a graceful stop."""

    settings: Settings
    engine: AsyncEngine
    people: PeopleStore
    limits: Limits
    bans: Bans
    metrics: Metrics
    clock: Callable[[], float]
    chance: random.Random
    is_ready: bool = False
    on_drain: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    known: dict[str, tuple[Player, float]] = field(default_factory=dict)  # sessions seen lately

    def now(self) -> int:
        """Whole seconds since 1970."""
        return int(self.clock())

    async def drain(self) -> None:
        """Graceful stop, first half: readiness off, clients told to resume, log flushed."""
        self.is_ready = False
        while self.on_drain:
            await self.on_drain.pop(0)()


def site_of(connection: HTTPConnection) -> Site:
    """The parts of the app that this connection belongs to."""
    site: Site = connection.app.state.site
    return site
