"""The parts of one app, built in its lifespan and reachable from every connection. There are no globals."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection

from app.notify.mail import Mailer
from app.notify.webhook import Webhooks
from app.notify.words import Translate
from app.play.ports import GameLists
from app.settings import Settings
from app.store.people.accounts import AccountStore
from app.store.people.friend_games import FriendGamesStore
from app.store.people.friend_settings import FriendSettingsStore
from app.store.people.friends import FriendStore
from app.store.people.notices import NoticeStore
from app.store.people.personal_data import PersonalDataStore
from app.store.people.player_notes import PlayerNoteStore
from app.store.people.players import PeopleStore, Player
from app.store.people.pushes import PushStore
from app.store.people.social import SocialStore
from app.store.ratings.public_games import PublicGames
from app.store.ratings.reading import RatingReader
from app.store.ratings.settings import RatingSettingsStore
from app.web.auth.passwords import Passwords
from app.web.metrics import Metrics
from app.web.offload import Offload
from app.web.online import OnlinePeople
from app.web.security.bans import Bans
from app.web.security.fair_shares import FairShares
from app.web.security.limits import Limits
from app.web.ws.open_sockets import SIGNED_OUT_CLOSE, OpenSockets, SocketKey


@dataclass(slots=True)
class Site:
    """The parts of one app. A graceful shutdown calls `on_drain` in order before it closes sockets."""

    settings: Settings
    people: PeopleStore
    accounts: AccountStore
    data: PersonalDataStore
    social: SocialStore
    friends: FriendStore
    friend_settings: FriendSettingsStore
    friend_games: FriendGamesStore
    player_notes: PlayerNoteStore
    notices: NoticeStore
    pushes: PushStore
    ratings: RatingReader
    rating_settings: RatingSettingsStore
    public_games: PublicGames
    passwords: Passwords
    mailer: Mailer
    webhooks: Webhooks
    words: Translate
    limits: Limits
    bans: Bans
    metrics: Metrics
    games: GameLists
    offload: Offload
    online: OnlinePeople
    sockets: OpenSockets
    clock: Callable[[], float]
    chance: random.Random
    is_ready: bool = False
    on_drain: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    publish_signed_out: Callable[[str, Any], None] = lambda key, how: None  # to other workers
    publish_renamed: Callable[[Mapping[str, str | None]], None] = lambda people: (
        None
    )  # to rooms in every worker
    shares: FairShares = field(default_factory=FairShares)
    # Hash of a session or token → player and expiry
    player_cache: dict[str, tuple[Player, float]] = field(default_factory=dict)
    # Look-ups in progress, each with the keys that have changed since it began
    _lookups: dict[int, set[str]] = field(default_factory=dict)

    def now(self) -> int:
        """Return the Unix time in whole seconds."""
        return int(self.clock())

    @contextmanager
    def tracking_changes(self) -> Iterator[set[str]]:
        """Collect the sessions that end and the people who change while the block queries the store.

        The query may return the state from before the change, and must not admit a person who was just banned.
        """
        changed: set[str] = set()
        self._lookups[id(changed)] = changed
        try:
            yield changed
        finally:
            del self._lookups[id(changed)]

    def _note_change(self, key: str) -> None:
        for changed in self._lookups.values():
            changed.add(key)

    def forget_player(self, player: str) -> None:
        """Drop a player from the cache because their name, account or ban has changed."""
        self._note_change(player)
        stale = [key for key, (known, _) in self.player_cache.items() if known.owns(player)]
        for key in stale:
            del self.player_cache[key]

    def rename(self, *people: str, name: str | None) -> None:
        """Apply a new name to these ids in every worker; None means deleted.

        A worker that misses the message finds the change in the database (Maintenance).
        """
        for person in people:
            self.forget_player(person)
        self.publish_renamed(dict.fromkeys(people, name))

    def sign_out(self, by: SocketKey, *keys: str, close: tuple[int, str] = SIGNED_OUT_CLOSE) -> None:
        """Drop these sessions (by hash), people or addresses from the cache and close their sockets, in every worker.

        A worker that misses the message checks the sessions of its sockets itself (Maintenance).
        """
        for key in keys:
            self.sign_out_here(key, (by, *close))
            self.publish_signed_out(key, (by, *close))

    def sign_out_here(self, key: str, how: tuple[SocketKey, int, str]) -> None:
        """Like `sign_out`, in this worker alone."""
        by, code, reason = how
        if by == "person":
            self.forget_player(key)
        elif by == "session":
            self._note_change(key)
            self.player_cache.pop(key, None)
        self.sockets.close_matching(by, (key,), (code, reason))

    async def drain(self) -> None:
        """Start a graceful shutdown: turn readiness off, tell clients to resume, flush the log."""
        self.is_ready = False
        while self.on_drain:
            await self.on_drain.pop(0)()


def site_of(connection: HTTPConnection) -> Site:
    """Return the parts of the app that this connection belongs to."""
    site: Site = connection.app.state.site
    return site
