"""What one app is made of: built in its lifespan, found again from any connection; no globals."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from app.notify.mail import Mailer
from app.notify.ports import Words
from app.notify.webhook import Webhooks
from app.play.ports import GameStore
from app.settings import Settings
from app.store.people.accounts import AccountStore
from app.store.people.data import DataStore
from app.store.people.notices import NoticeStore
from app.store.people.players import PeopleStore, Player
from app.store.people.pushes import PushStore
from app.store.people.social import SocialStore
from app.web.auth.passwords import Passwords
from app.web.metrics import Metrics
from app.web.offload import Offload
from app.web.security.bans import Bans
from app.web.security.limits import Limits
from app.web.security.shares import Shares
from app.web.ws.open_sockets import SIGNED_OUT, By, OpenSockets


@dataclass(slots=True)
class Site:
    """The parts of one app. `on_drain` is called in order before any socket is closed by a graceful stop."""

    settings: Settings
    people: PeopleStore
    accounts: AccountStore
    data: DataStore
    social: SocialStore
    notices: NoticeStore
    pushes: PushStore
    passwords: Passwords
    mailer: Mailer
    webhooks: Webhooks
    words: Words
    limits: Limits
    bans: Bans
    metrics: Metrics
    games: GameStore
    offload: Offload
    clock: Callable[[], float]
    chance: random.Random
    is_ready: bool = False
    on_drain: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    sockets: OpenSockets = field(default_factory=OpenSockets)
    publish_signed_out: Callable[[str, Any], None] = lambda key, how: None  # the other workers
    publish_renamed: Callable[[Mapping[str, str | None]], None] = lambda people: None  # rooms in every worker
    shares: Shares = field(default_factory=Shares)
    known: dict[str, tuple[Player, float]] = field(default_factory=dict)  # by hash: sessions seen lately
    _lookups: dict[int, set[str]] = field(
        default_factory=dict
    )  # under way, and what has changed since they began

    def now(self) -> int:
        """Whole seconds since 1970."""
        return int(self.clock())

    @contextmanager
    def looking_up(self) -> Iterator[set[str]]:
        """While the store is asked for somebody: the sessions that end and the people who change meanwhile.

        Its answer may be of before that, and whoever has been shut out must not come in by it.
        """
        changed: set[str] = set()
        self._lookups[id(changed)] = changed
        try:
            yield changed
        finally:
            del self._lookups[id(changed)]

    def _changed(self, key: str) -> None:
        for changed in self._lookups.values():
            changed.add(key)

    def forget(self, player: str) -> None:
        """What was remembered of a player is asked again: a name, an account or a ban has changed."""
        self._changed(player)
        stale = [
            key for key, (known, _) in self.known.items() if known.id == player or player in known.aliases
        ]
        for key in stale:
            del self.known[key]

    def rename(self, *people: str, name: str | None) -> None:
        """Somebody is called so from now on, under all of these ids; None: is deleted. Told to every worker.

        A worker that does not hear of it reads it in the people's tables (Maintenance).
        """
        for person in people:
            self.forget(person)
        self.publish_renamed(dict.fromkeys(people, name))

    def sign_out(self, by: By, *keys: str, close: tuple[int, str] = SIGNED_OUT) -> None:
        """These sessions (by hash), people or addresses are out: forgotten, their sockets closed, in every worker.

        A worker that does not hear of it looks at the sessions of its sockets again by itself (Maintenance).
        """
        for key in keys:
            self.signed_out(key, (by, *close))
            # A worker of the release before knows people only, and finds nobody under another key.
            self.publish_signed_out(key, (by, *close))

    def signed_out(self, key: str, how: tuple[By, int, str] | None) -> None:
        """The same in this worker alone; without `how` it is a person, in the words of an older release."""
        by, code, reason = how or ("person", *SIGNED_OUT)
        if by == "person":
            self.forget(key)
        elif by == "session":
            self._changed(key)
            self.known.pop(key, None)
        self.sockets.end(by, (key,), (code, reason))

    async def drain(self) -> None:
        """Graceful stop, first half: readiness off, clients told to resume, log flushed."""
        self.is_ready = False
        while self.on_drain:
            await self.on_drain.pop(0)()


def site_of(connection: HTTPConnection) -> Site:
    """The parts of the app that this connection belongs to."""
    site: Site = connection.app.state.site
    return site
