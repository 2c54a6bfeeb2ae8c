"""What notifying needs from outside: the outbox, kept by the store, and sentences in a person's language."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from app.notify.webpush import VapidKey

# What there is to hear of; each has a switch of its own.
EVENTS = ("turn", "time", "table", "invited", "rematch")
Channel = Literal["push", "letter"]  # a letter is an e-mail, a call of a webhook, or both


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something about a game that a person may want to hear; of several things the most pressing comes first.

    In a game over days the deadline tells this turn from the next. `since` is when it began, `seq` the table's
    version then.
    """

    game: str
    title: str  # empty for a table at which the person does not sit: strangers write nothing on a lock screen
    deadline: int | None  # milliseconds since 1970
    is_opening: bool = False  # it wants to begin, and waits for this person's browser to open what it sealed
    event: str = "turn"
    mark: str = ""  # tells this one from the next of its kind, where no deadline does
    since: int = 0  # milliseconds since 1970
    seq: int = 0
    remind_at: int | None = None  # milliseconds since 1970: from then on its time is running out

    @property
    def key(self) -> str:
        """What is remembered of a letter."""
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
    """A row of the outbox: what an address was notified of last, or is going to be; no event: of nothing yet."""

    event: str = ""
    mark: str = ""
    seq: int = 0
    sent_at: int | None = None
    queued_at: int = 0
    attempts: int = 0
    n: int = 0


@dataclass(frozen=True, slots=True)
class Browser:
    """A subscription, and the rows of the outbox for it by game."""

    id: str
    made_at: int
    takes_silent: bool
    pushed: Mapping[str, Pushed] = field(default_factory=dict)
    endpoint: str = ""
    p256dh: str = ""
    auth: str = ""
    key: VapidKey | None = None
    rests_until: int = 0


@dataclass(frozen=True, slots=True)
class Recipient:
    """A person with everything that deciding and sending takes, read after the claim."""

    player: str
    name: str
    language: str
    email: str | None
    stop_token: str
    webhook: str | None
    webhook_key: str | None
    told_at: int  # when the last letter was begun
    told_of: tuple[str, ...]  # keys of what letters have told
    waiting: tuple[Waiting, ...]
    webhook_form: str = "plain"
    wishes: Wishes = field(default_factory=Wishes)
    browsers: tuple[Browser, ...] = ()
    letters: Mapping[str, Pushed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of a row: `row` as it is noted, and when to decide about it again; None deletes it."""

    address: str
    game: str
    row: Pushed
    at: int | None


class OutboxStore(Protocol):
    """The outbox; times are seconds since 1970. A claim leases all due rows of one person and channel."""

    async def claim_checks(
        self, now: int, lease: int, limit: int, but: Collection[str]
    ) -> Sequence[tuple[str, int]]:
        """Lease due checks, of none of the games in `but`: games, each with its count of causes."""

    async def fan_out(self, game: str, n: int, now: int) -> bool:
        """Make the rows of everyone whom the game concerns due, settle the check; return whether any is due now."""

    async def claim_outbox(
        self, channel: Channel, now: int, lease: int, limit: int, but: Collection[str]
    ) -> Sequence[str]:
        """Lease due rows of up to `limit` people, of none of `but`; return the people."""

    async def release_check(self, game: str) -> None:
        """End the lease of a check that failed."""

    async def release_outbox(self, player: str, channel: Channel) -> None:
        """End the lease of rows that failed."""

    async def recipient(self, player: str, now: int) -> Recipient | None:
        """Return the person as of now; None if they want no notices any more."""

    async def settle(self, player: str, channel: Channel, rows: Iterable[Settled], now: int) -> None:
        """Note what became of the rows and end the lease; a row that changed meanwhile stays due."""

    async def claim_letter(self, player: str, told_at: int, now: int) -> bool:
        """Note that a letter is begun; False if another worker, also of an older release, has begun one."""

    async def unclaim_letter(self, player: str, told_at: int, now: int) -> None:
        """Take `claim_letter` back: nothing was sent."""

    async def note_letter(self, player: str, keys: Sequence[str], digest: str | None) -> None:
        """Note what letters have told, where workers of older releases look, and the day of a digest."""

    async def count_webhook(self, player: str, *, is_answered: bool) -> None:
        """Count failures in a row; after too many the webhook rests until its owner sets it again."""

    async def end_subscription(self, browser: str) -> None:
        """Delete a subscription and its rows: the browser takes no more pushes."""

    async def rest_subscription(self, browser: str, until: int, *, refused_at: int | None = None) -> None:
        """Send nothing there until then; 0 ends the rest."""


class NoticeCounter(Protocol):
    """Counts what was sent, for /metrics."""

    def noticed(self, way: str, outcome: str) -> None: ...


class Words(Protocol):
    """A sentence in a language, its {holes} filled."""

    def __call__(self, language: str, source: str, /, **values: object) -> str: ...
