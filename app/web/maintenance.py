"""Background work of a worker: bans read anew, old data deleted, people told that it is their turn, deals of the day
fixed and their games counted."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from app.notify.digest import Notifier
from app.notify.push import PushSender
from app.play.deal.days import next_day
from app.play.engines import UnknownRules
from app.play.ports import StoreUnavailable
from app.play.refusals import Refusal
from app.play.server import GameServer
from app.store.people.retention import RetentionStore
from app.web.deals import Deals
from app.web.security.bans import NEWCOMER_SECONDS
from app.web.site import Site
from app.web.ws.open_sockets import SIGNED_OUT, By

log = logging.getLogger("cartagena.maintenance")

_DAY = 86_400
_OPERATOR_SECONDS = 2.0  # how soon the operator's command line is heard by a running server
_LATE_SECONDS = 30  # a change may be committed so long after the time it bears, and clocks of machines differ
_ERASE_SECONDS = 5.0  # how soon an erasure that was cut off is taken up again
_SESSION_SECONDS = 20.0  # how long a socket may outlive its session when the news of its end was lost
_SESSIONS_ASKED = 500  # in one query
_PUSH_SECONDS = 3.0  # how soon a push that is tried again goes out
_DEAL_SECONDS = 5.0  # how soon a game of the deal of the day that is over stands in its table
_STOP_SECONDS = 3.0  # how long a round may go on after that
_MOST_STEPS = 50  # steps of forgetting a round; the rest waits for the next


class Maintenance:
    """Runs beside the rooms of a worker. Every round may be repeated by any worker at any time."""

    def __init__(
        self,
        site: Site,
        game_server: GameServer,
        retention: RetentionStore,
        notifier: Notifier,
        sender: PushSender,
        deals: Deals,
    ) -> None:
        self._site = site
        self._game_server = game_server
        self._retention = retention
        self._notifier = notifier
        self._sender = sender
        self._deals = deals
        self._banned: set[tuple[By, str]] = set()
        self._people_since = site.now()
        self._people: dict[str, str | None] = {}  # what the last look found changed
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    def start(self) -> None:
        """Begins the rounds."""
        settings = self._site.settings
        for seconds, work in (
            (_OPERATOR_SECONDS, self.apply_operator_changes),
            (_SESSION_SECONDS, self.close_ended_sessions),
            (settings.sweep_seconds, self.apply_retention),
            (_ERASE_SECONDS, self.erase),
            (settings.notify_seconds, self._notify),
            (_DEAL_SECONDS, self.keep_deals),
            (_PUSH_SECONDS if settings.push else _DAY, self._push),
        ):
            self._tasks.append(
                asyncio.get_running_loop().create_task(run_every(seconds, work, self._stopping))
            )

    async def stop(self) -> None:
        """Ends them between two rounds: a query that is cut off may leave its connection behind."""
        self._stopping.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=_STOP_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        self._tasks.clear()
        await self._notifier.stop(_STOP_SECONDS)

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

    async def apply_retention(self) -> None:
        """Deletes what the settings say is too old."""
        settings, retention, now = self._site.settings, self._retention, self._site.now()
        await _in_steps(lambda: retention.forget_sessions(now - settings.session_days * _DAY, now))
        await retention.forget_addresses(now - 7 * _DAY)
        await _in_steps(lambda: retention.forget_told(now))
        if settings.guest_days:
            await _in_steps(lambda: retention.forget_guests(now - settings.guest_days * _DAY, now))
            await self.erase()
        if settings.chat_days:
            await _in_steps(lambda: retention.forget_chat((now - settings.chat_days * _DAY) * 1000))
        if settings.audit_days:
            await _in_steps(lambda: retention.forget_audit(now - settings.audit_days * _DAY))
        if settings.dead_room_days:
            before = (now - settings.dead_room_days * _DAY) * 1000
            for game, _ in await retention.dead_rooms(before):
                await self._close(game)
            await _in_steps(lambda: retention.forget_rooms(before))

    async def keep_deals(self) -> None:
        """Today's deal is there, tomorrow's is fixed; games of it that are over stand in its table."""
        today = self._deals.today()
        for day in (today, next_day(today)):
            await self._deals.fixed(day)
        await self._deals.settle()

    async def erase(self) -> None:
        """Goes on with whoever is being erased: begun here, by another worker or by the command line."""
        while await self._site.data.erase_step():
            if self._stopping.is_set():
                return
            await asyncio.sleep(0.01)  # somebody's move may go first

    async def _close(self, game: str) -> None:
        try:
            await self._game_server.close_room(game, "nobody came for a long time")
        except (Refusal, UnknownRules) as problem:
            # The rest of the round must not wait for a room of another release.
            log.warning("a dead room stays", extra={"fields": {"room": game, "why": str(problem)}})

    async def _notify(self) -> None:
        if await self._notifier.begin():
            await self._push()

    async def _push(self) -> None:
        if self._site.settings.push:
            await self._sender.round()


async def run_every(seconds: float, work: Callable[[], Awaitable[None]], stopping: asyncio.Event) -> None:
    """Runs some work at intervals until it is stopped; an outage costs a round, a fault is logged and ends nothing."""
    while not stopping.is_set():
        # A task of its own: what goes wrong in a round stays in it, and whoever stops the rounds stops it too.
        round_ = asyncio.ensure_future(work())
        try:
            await asyncio.wait([round_])
        finally:
            round_.cancel()
        fault = None if round_.cancelled() else round_.exception()
        if isinstance(fault, StoreUnavailable):
            log.warning("the store did not answer; the next round will try again")
        elif fault is not None:
            log.error("a round failed", exc_info=fault)
        with suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), seconds)


def _batches(keys: list[str], size: int) -> Iterator[list[str]]:
    return (keys[start : start + size] for start in range(0, len(keys), size))


async def _in_steps(step: Callable[[], Awaitable[int]]) -> None:
    for _ in range(_MOST_STEPS):
        if not await step():
            return
        await asyncio.sleep(0.05)  # somebody's move may go first
