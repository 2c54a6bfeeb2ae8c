"""Periodic work of a worker: bans and renames applied, ended sessions closed, deals of the day fixed;
and the claim loops of the queues (app/web/queues.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from app.play.deal.days import next_day
from app.play.queues import ClaimLoop
from app.play.server import GameServer
from app.play.tasks import Tasks, run_every
from app.store.people.outbox import OutboxStore
from app.web.deals import Deals
from app.web.queues import Queues
from app.web.security.bans import NEWCOMER_SECONDS
from app.web.site import Site
from app.web.ws.open_sockets import SIGNED_OUT, By

_OPERATOR_SECONDS = 2.0  # how soon the operator's command line is heard by a running server
_LATE_SECONDS = 30  # a change may be committed so long after the time it bears, and clocks of machines differ
_SESSION_SECONDS = 20.0  # how long a socket may outlive its session when the news of its end was lost
_SESSIONS_ASKED = 500  # in one query
_SEED_SECONDS = 60.0  # how soon what an old worker stored is seen
_SEEDING_SECONDS = 15 * 60  # how long a rolling update may take
_DEAL_SECONDS = 5.0  # how soon after midnight the next deal is fixed
_STOP_SECONDS = 3.0  # how long a round may go on after that


class Maintenance:
    """Runs beside the rooms of a worker. Every round may be repeated by any worker at any time."""

    def __init__(
        self,
        site: Site,
        game_server: GameServer,
        queues: Queues,
        tasks: Tasks,
        outbox: OutboxStore,
        deals: Deals,
    ) -> None:
        self._site = site
        self._game_server = game_server
        self._queues = queues
        self._tasks = tasks
        self._outbox = outbox
        self._seeds_until = site.now() + _SEEDING_SECONDS
        self._seeded_at = site.now() - _SEEDING_SECONDS
        self._deals = deals
        self._banned: set[tuple[By, str]] = set()
        self._people_since = site.now()
        self._people: dict[str, str | None] = {}  # what the last look found changed

    def start(self) -> None:
        """Start the periodic work and the claim loops; that of due work runs with the rooms."""
        work = [
            (_OPERATOR_SECONDS, self.apply_operator_changes),
            (_SESSION_SECONDS, self.close_ended_sessions),
            (_SEED_SECONDS, self.seed_checks),
            (_DEAL_SECONDS, self.keep_deals),
        ]
        work += [(loop.poll_seconds, loop.run) for loop in self._own_queues()]
        for seconds, each in work:
            self._tasks.spawn(run_every(seconds, each, self._tasks.closing))

    async def stop(self) -> None:
        """End all of it between two rounds: a query that is cut off may leave its connection behind."""
        self._tasks.begin_closing()
        for loop in self._own_queues():
            loop.stop()
        if under_way := self._tasks.running:
            await asyncio.wait(under_way, timeout=_STOP_SECONDS)
        await self._tasks.cancel()

    def _own_queues(self) -> list[ClaimLoop[Any]]:
        return [loop for loop in self._queues.values() if loop is not self._game_server.sweeper.loop]

    async def apply_operator_changes(self) -> None:
        """What the command line wrote into the database takes effect here: bans, closed rooms."""
        site, now = self._site, self._site.now()
        rows = await site.social.bans(now)
        addresses = {row["address"] for row in rows if row["address"] is not None}
        lately = [row for row in rows if row["at"] > now - NEWCOMER_SECONDS]
        site.bans.replace(addresses, [each for row in lately for each in row["came_from"] or ()])
        people = {row["player"] for row in rows if row["player"] is not None}
        banned: set[tuple[By, str]] = {
            *(("address", address) for address in addresses),
            *(("person", person) for person in people),
        }
        for by, key in banned - self._banned:  # every worker looks for itself
            site.signed_out(key, (by, *SIGNED_OUT))
        self._banned = banned
        await self._apply_renames()
        await self._game_server.rooms.compare_heads()

    async def _apply_renames(self) -> None:
        """Who was renamed or deleted, here, elsewhere or by the command line; most of it is known already."""
        site, now = self._site, self._site.now()
        changed = await site.people.changed(self._people_since - _LATE_SECONDS)
        self._people_since = now
        news = {person: name for person, name in changed.items() if self._people.get(person, "") != name}
        self._people = changed
        for person in news:
            site.forget(person)
        self._game_server.renamed(news)
        site.sockets.end("person", [person for person, name in news.items() if name is None])

    async def close_ended_sessions(self) -> None:
        """Sockets whose session ended are closed, also when the news of it was lost (no Redis, a command line)."""
        sockets, people = self._site.sockets, self._site.people
        for keys in _batches(sorted(sockets.sessions()), _SESSIONS_ASKED):
            gone = set(keys) - await people.live_sessions(keys)
            if gone:
                sockets.end("session", gone)

    async def keep_deals(self) -> None:
        """Fix the deals of today and tomorrow."""
        today = self._deals.today()
        for day in (today, next_day(today)):
            await self._deals.fixed(day)

    async def seed_checks(self) -> None:
        """Check games that changed, for a while after the start: workers of an older release write no checks."""
        now = self._site.now()
        if now < self._seeds_until:
            await self._outbox.seed_checks(self._seeded_at - _LATE_SECONDS, now)
            self._seeded_at = now


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
