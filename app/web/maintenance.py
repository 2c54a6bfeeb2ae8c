"""Periodic work of a worker: applies bans and renames, closes sockets of ended sessions, creates deals of the day,
and runs the claim loops of the queues (app/web/queues.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from app.play.deal.days import add_days
from app.play.ports import StoreUnavailable
from app.play.queues import ClaimLoop
from app.play.server import GameServer
from app.play.stand_up import stand_up_everywhere
from app.play.tasks import Tasks, run_every
from app.store.people.outbox import OutboxStore
from app.web.deals import Deals
from app.web.online import SWEEP_SECONDS
from app.web.queues import Queues
from app.web.security.bans import NEWCOMER_BAN_SECONDS
from app.web.site import Site
from app.web.ws.open_sockets import SIGNED_OUT_CLOSE, SocketKey

_OPERATOR_POLL_SECONDS = 2.0  # how soon a running server applies admin commands
_LATE_COMMIT_SECONDS = (
    30  # allows for commits later than their timestamp, and for clock skew between machines
)
_SESSION_POLL_SECONDS = 20.0  # how long a socket may outlive its session if the bus message was lost
_MAX_SESSIONS_PER_QUERY = 500
_SEED_POLL_SECONDS = 60.0  # how soon changes by workers of release 0.1.0 are found
_SEED_PERIOD_SECONDS = 15 * 60  # the longest rolling update
_DEAL_POLL_SECONDS = 5.0  # how soon after midnight the next deal is created
_STOP_TIMEOUT_SECONDS = 3.0  # for work that is still running


class Maintenance:
    """The periodic work of one worker. All of it is idempotent across workers."""

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
        self._seeds_until = site.now() + _SEED_PERIOD_SECONDS
        self._seeded_at = site.now() - _SEED_PERIOD_SECONDS
        self._deals = deals
        self._banned: set[tuple[SocketKey, str]] = set()
        self._changed_since = site.now()
        self._changed_people: dict[str, str | None] = {}  # the result of the last query

    def start(self) -> None:
        """Start the periodic work and the claim loops, except that of due work, which the game server runs."""
        work = [
            (_OPERATOR_POLL_SECONDS, self.apply_operator_changes),
            (_SESSION_POLL_SECONDS, self.close_ended_sessions),
            (_SEED_POLL_SECONDS, self.seed_checks),
            (_DEAL_POLL_SECONDS, self.create_deals),
            (SWEEP_SECONDS, self._site.online.sweep),
        ]
        work += [(loop.poll_seconds, loop.run) for loop in self._own_queues()]
        for seconds, function in work:
            self._tasks.spawn(run_every(seconds, function, self._tasks.closing))

    async def stop(self) -> None:
        """Stop everything between two runs, because cancelling a query could leak its connection."""
        self._tasks.begin_closing()
        for loop in self._own_queues():
            loop.stop()
        if under_way := self._tasks.running:
            await asyncio.wait(under_way, timeout=_STOP_TIMEOUT_SECONDS)
        await self._tasks.cancel()

    def _own_queues(self) -> list[ClaimLoop[Any]]:
        return [loop for loop in self._queues.values() if loop is not self._game_server.sweeper.loop]

    async def apply_operator_changes(self) -> None:
        """Apply bans and renames that the command line wrote into the database."""
        site, now = self._site, self._site.now()
        rows = await site.social.list_bans(now)
        addresses = {row["address"] for row in rows if row["address"] is not None}
        recent = [row for row in rows if row["at"] > now - NEWCOMER_BAN_SECONDS]
        site.bans.replace(addresses, [network for row in recent for network in row["came_from"] or ()])
        people = {row["player"] for row in rows if row["player"] is not None}
        banned: set[tuple[SocketKey, str]] = {
            *(("address", address) for address in addresses),
            *(("person", person) for person in people),
        }
        for by, key in banned - self._banned:  # every worker does this itself
            site.sign_out_here(key, (by, *SIGNED_OUT_CLOSE))
        self._banned = banned
        await self._apply_renames()

    async def _apply_renames(self) -> None:
        """Apply renames and deletions made by any worker or the command line. Most are known already."""
        site, now = self._site, self._site.now()
        changed = await site.people.read_changed_names(self._changed_since - _LATE_COMMIT_SECONDS)
        self._changed_since = now
        news = {
            person: name for person, name in changed.items() if self._changed_people.get(person, "") != name
        }
        self._changed_people = changed
        for person in news:
            site.forget_player(person)
        self._game_server.on_renamed(news)
        erased = [person for person, name in news.items() if name is None]
        site.sockets.close_matching("person", erased)
        if erased:
            with suppress(StoreUnavailable):  # a seat that stays taken has no name
                await stand_up_everywhere(self._game_server, erased)

    async def close_ended_sessions(self) -> None:
        """Close sockets whose session has ended, even if no bus message arrived (no Redis, or an admin command)."""
        sockets, people = self._site.sockets, self._site.people
        for keys in _batches(sorted(sockets.sessions()), _MAX_SESSIONS_PER_QUERY):
            gone = set(keys) - await people.filter_live_sessions(keys)
            if gone:
                sockets.close_matching("session", gone)

    async def create_deals(self) -> None:
        """Create the deals of today and tomorrow if they are missing."""
        today = self._deals.today()
        for day in (today, add_days(today)):
            await self._deals.get_deal(day)

    async def seed_checks(self) -> None:
        """Queue notice checks for changed games during a rolling update: workers of release 0.1.0 write none."""
        now = self._site.now()
        if now < self._seeds_until:
            await self._outbox.seed_checks(self._seeded_at - _LATE_COMMIT_SECONDS, now)
            self._seeded_at = now


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))
