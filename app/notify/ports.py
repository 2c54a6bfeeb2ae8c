"""What notifying needs from outside: the book of who wants to hear what, and words in their language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.notify.webpush import VapidKey

# What there is to hear of; each has a switch of its own.
EVENTS = ("turn", "time", "table", "invited", "rematch")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A game that somebody may want to hear of; of several things about one game the most pressing comes first.

    In a game over days the deadline tells this turn from the next. `since` is when that began, `seq` the table's
    version then.
    """

    game: str
    title: str
    deadline: int | None  # milliseconds since 1970
    is_opening: bool = False  # it wants to begin, and waits for this person's browser to open what it sealed
    event: str = "turn"
    mark: str = ""  # tells this one from the next of its kind, where no deadline does
    since: int = 0  # milliseconds since 1970
    seq: int = 0

    @property
    def key(self) -> str:
        """What is remembered once they were told."""
        name = f"{self.game}:{self.deadline if self.deadline is not None else self.mark}"
        return name if self.event == "turn" or self.is_opening else f"{self.event}:{name}"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What somebody wants to hear, and when; minutes of the day are those of their time zone."""

    switches: Mapping[str, bool] = field(default_factory=dict)
    games: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    zone: str = "UTC"
    quiet: tuple[int, int] | None = None
    digest_at: int | None = None
    digested_on: str | None = None
    every_channel: bool = False


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a browser was told of a game last, or is going to be."""

    event: str
    mark: str
    seq: int
    sent_at: int | None
    queued_at: int = 0


@dataclass(frozen=True, slots=True)
class Browser:
    """One that may be pushed to, and what it was told of which game."""

    id: str
    made_at: int
    takes_silent: bool
    pushed: Mapping[str, Pushed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recipient:
    """Somebody who wants to hear; `told_of` are the turns they know of, `told_at` when they last heard."""

    player: str
    name: str
    language: str
    email: str | None
    stop_token: str
    webhook: str | None
    webhook_key: str | None
    told_at: int
    told_of: tuple[str, ...]
    waiting: tuple[Waiting, ...]
    webhook_form: str = "plain"
    wishes: Wishes = field(default_factory=Wishes)
    browsers: tuple[Browser, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPush:
    """One to be written down, for whichever worker sends it; the game is empty for a summary of several."""

    browser: str
    game: str
    event: str
    mark: str
    seq: int
    body: Mapping[str, Any]
    expires_at: int
    is_told: bool = False  # a summary tells it: it is only remembered


@dataclass(frozen=True, slots=True)
class DuePush:
    """One that is leased to us, with all that sending it takes."""

    browser: str
    game: str
    event: str
    mark: str
    body: Mapping[str, Any]
    n: int
    attempts: int
    expires_at: int
    endpoint: str
    p256dh: str
    auth: str
    key: VapidKey
    language: str


class NoticeBook(Protocol):
    """Who wants to hear, kept by the store."""

    async def lease(self, now: int, seconds: int) -> bool:
        """True for the one worker that looks for all; it lapses if that one dies."""

    async def end_lease(self) -> None: ...

    async def recipients(self, now: int, after: str = "") -> Sequence[Recipient]:
        """The next of those who want to hear, in the order of their ids; empty when there are no more."""

    async def acted_since(self, game: str, seq: int, but: str) -> bool:
        """Whether anybody but this person has made a move in the game since then."""

    async def claim(self, player: str, told_at: int, now: int) -> bool:
        """True for the one worker that may tell this player now."""

    async def told(self, player: str, keys: Sequence[str]) -> None:
        """They know of these turns, and of no others."""

    async def digested(self, player: str, day: str) -> None:
        """They were told this day's digest."""

    async def webhook_answered(self, player: str, well: bool) -> None:
        """Counts failures in a row; after too many the webhook rests until its owner sets it again."""


class PushBook(Protocol):
    """What is to be pushed, kept by the store until it was."""

    async def enqueue(self, pushes: Sequence[NewPush], now: int) -> int:
        """Writes them down, each in place of an older one of its browser and game; how many are new."""

    async def note_mark(self, browser: str, game: str, mark: str) -> None:
        """The turn they know of has another deadline now."""

    async def forget(self, browser: str, games: Sequence[str]) -> None:
        """Nothing is to be told or withdrawn there."""

    async def claim_due(
        self, now: int, lease: int, limit: int, but: Collection[str] = ()
    ) -> Sequence[DuePush]:
        """What is due and leased to nobody, and for none of these hosts; now leased to us."""

    async def wanted(self, push: DuePush) -> tuple[Wishes, str] | None:
        """What its reader wants to hear now, and the table's title; None when it is not to be sent any more."""

    async def sent(self, push: DuePush, now: int) -> None:
        """It is with the push service."""

    async def later(self, push: DuePush, at: int, *, counts: bool = True) -> None:
        """It is tried again then."""

    async def drop(self, push: DuePush) -> None:
        """It is not tried again."""

    async def end(self, browser: str) -> None:
        """The browser takes no more; it and what was meant for it are forgotten."""

    async def refused(self, push: DuePush, now: int, until: int) -> None:
        """The push service does not believe that it is us. The browser is kept, and rests."""

    async def believed(self, push: DuePush) -> None:
        """It does again."""


class Words(Protocol):
    """A sentence in a language, its {holes} filled."""

    def __call__(self, language: str, source: str, /, **values: object) -> str: ...
