"""What rooms need from outside: a store, a bus, a clock, somebody who plays for bots, listeners."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from app.play.frames import Frame
from app.play.log.entries import Append, ChatLine, Due, Entry, GameRow, Outage
from app.play.stored import Stored


class StoreUnavailable(Exception):
    """The store did not answer; nothing is known to have been written, and nobody may be told it was."""


class GameExists(Exception):
    """A game with this id is stored already; nothing was written."""


class Clock(Protocol):
    """Time as an argument: a test turns it by hand."""

    def now(self) -> int:
        """Milliseconds since 1970."""


class Actor(msgspec.Struct, frozen=True):
    """A person as rooms know one: every id they have played under, the first is the present one."""

    ids: tuple[str, ...]
    name: str
    is_bot: bool = False

    @property
    def id(self) -> str:
        """The present id; empty for somebody without a session, who may only watch."""
        return self.ids[0] if self.ids else ""


class Failure(msgspec.Struct, frozen=True):
    """A row of a queue that failed (app/play/queues.py)."""

    queue: str
    key: str
    attempts: int
    retry_at: int
    set_aside_at: int | None
    error: str  # class name and place; never a message, which may contain row data
    first_at: int


class FailureStore(Protocol):
    """The table of failed rows of all queues. Times are milliseconds."""

    async def record_failure(
        self, queue: str, key: str, error: str, now: int, delay: Callable[[int], int | None]
    ) -> int:
        """Count a failed attempt and return how many there were, or 0 if another worker has just counted it.

        `delay(attempts)` gives the milliseconds until the next attempt, or None to set the row aside.
        """

    async def clear_failure(self, queue: str, key: str) -> bool:
        """Delete a record, so that the row is processed as if it had never failed; False if there is none."""

    async def list_failures(self, limit: int = ...) -> list[Failure]:
        """Return the records, set-aside rows first, then the oldest."""


class GameStore(FailureStore, Protocol):
    """The log and its heads. Times are milliseconds. Methods raise StoreUnavailable when they cannot know."""

    async def create(
        self,
        game: GameRow,
        entry: Entry,
        limit: tuple[Sequence[str], int] | None = None,
        due: int | None = None,
    ) -> bool:
        """A new game with its first entry, durable on return; `due`: when the sweeper looks at it first.

        With a limit, False and nothing stored when these creators have so many unfinished games already;
        counted and stored in one, so that several at once get no further than one after the other.
        Raises GameExists.
        """

    def append(self, append: Append) -> Stored:
        """True once entry and head are on disk; False: that seq, or that command, is already in the log."""

    async def game(self, game: str) -> GameRow | None: ...
    async def entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]: ...
    async def heads(self, games: Sequence[str], beyond: Sequence[int] | None = None) -> dict[str, int]:
        """The number of each game's last entry; of those only that are beyond a number, if one is given for each."""

    async def games_listed(self, which: str, limit: int) -> list[GameRow]:
        """`open` or `watch`: what the lobby shows, newest first."""

    async def open_tables(self, preset: str, seats: int, limit: int, offset: int) -> list[GameRow]:
        """Listed tables of this kind with a free seat, newest first."""

    async def games_of(
        self, people: Sequence[str], *, unfinished: bool, limit: int, offset: int = 0, public: bool = False
    ) -> list[GameRow]:
        """Games of these ids, the last touched first; `public`: only those at tables anybody could watch."""

    async def results_of(self, people: Sequence[str]) -> list[tuple[str, int, int]]:
        """Of finished games at tables anybody could watch: preset, place, how often."""

    async def colours_of(self, people: Sequence[str]) -> list[tuple[str, int]]:
        """Of the same games: the colours these ids played and how often, the most frequent first."""

    async def between(self, people: Sequence[str], others: Sequence[str]) -> tuple[int, int, int]:
        """Of the same games those that both sat in: how many, and in how many the first were ahead, or behind."""

    async def wake(self, game: str, at: int) -> None:
        """Let the sweeper look at this game at that time, if it was not going to earlier."""

    async def claim_due(
        self,
        now: int,
        lease: int,
        limit: int,
        is_anothers: Callable[[str, int], bool] = ...,
        skip: Collection[str] = ...,
    ) -> list[Due]:
        """Rows that are due, but for those of which `is_anothers(game, at)` says so and those to be skipped."""

    async def settle_due(self, due: Due, next_at: int | None) -> int | None:
        """The look is over; the row's time now, which is another's if they wrote it since the claim."""

    async def promised(self, games: Sequence[str], now: int) -> dict[str, int]:
        """When these games will be looked at; at the latest now, if somebody is looking."""

    async def end_leases(self) -> None:
        """Whoever claimed anything is dead: it may be claimed again."""

    async def next_due(self) -> int | None: ...
    async def heartbeat(self, now: int, gap: int) -> Outage | None:
        """Note that a worker lives; the outage this ended, if the last beat is longer ago than `gap`."""

    async def outages(self, since: int) -> list[Outage]: ...
    async def add_chat(self, line: ChatLine) -> ChatLine:
        """Stored with the next number, durable on return; a command sent again gives the first line."""

    async def chat(self, game: str, after: int, limit: int) -> list[ChatLine]: ...
    async def set_mute(self, game: str, person: str, muted: str, on: bool) -> None: ...
    async def mutes(self, game: str, person: str) -> frozenset[str]: ...


# Kinds of news that every worker hears.
TO_ALL = frozenset(("lobby", "signed_out", "renamed", "gap", "counted"))


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message between workers. `about` is a game id, or what the kind says."""

    # entry, named (whom the next entry seats), chat, muted, presence, who (is there?), looked (by the sweeper), closed,
    # head (its number, for a worker that has just loaded the room);
    # to all: lobby, signed_out, renamed (or deleted), gap (some news were lost), counted (against a limit);
    # by a worker's own bus: joined (another worker follows this as well), followed (nothing is missed any more), gap
    kind: str
    about: str
    worker: str
    body: Any
    # Of an action: the frame of those to whom nothing is said but what everybody may know, as its writer has made it.
    # A worker of the release before sends none and takes no notice of it.
    public: bytes = b""


NewsHandler = Callable[[News], None]


class BusCounts(msgspec.Struct):
    """Messages sent by this worker, at how many others they arrived, and news that could not be sent."""

    sent: int = 0
    delivered: int = 0
    dropped: int = 0


class Bus(Protocol):
    """Carries news to the other workers; may lose some, never decides anything."""

    @property
    def is_alone(self) -> bool:
        """Whether there can be no other worker, so that nothing can be missed."""

    @property
    def counts(self) -> BusCounts: ...

    def listen(self, handler: NewsHandler) -> None: ...
    def follow(self, topic: str) -> None:
        """Bring news of this, and let the others know it: a game whose room is loaded, a person in the lobby."""

    def unfollow(self, topic: str) -> None: ...
    def hears(self, topic: str) -> bool:
        """Whether another worker follows this, as far as is known; if in doubt, yes."""

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        """To whoever follows one of these; None: to all. Never waits and never raises; a full queue drops the news,
        the numbers show the gap."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...


class BotPlayer(Protocol):
    """Plays a seat from what that seat knows: its view, its legal actions, the events it has seen."""

    async def choose(
        self,
        view: dict[str, Any],
        actions: Sequence[dict[str, Any]],
        history: Sequence[dict[str, Any]],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed: tuple[int, str] | None = None,
        person: str = "",
    ) -> dict[str, Any]:
        """One of the actions (an owed discard with its cards filled in), within about `budget` seconds.

        `person` is whom the bot plays for; people who wait for bots take equal turns.

        `fixed`: nodes and a seed instead of time. The same question then has the same answer, or raises NoThought.
        """


class Listener(Protocol):
    """A socket, or a stream, that wants a room's frames. `tell` never waits."""

    def tell(self, frame: Frame) -> None: ...
    def tell_several(self, frames: Sequence[Frame]) -> None:
        """The same of each, in their order."""

    def end(self, code: int, reason: str) -> None: ...


class MetricsPort(Protocol):
    """Counts what happens, for metrics; every method is cheap and never raises."""

    def acted(self, kind: str, by: str) -> None: ...
    def refused(self, code: str) -> None: ...
    def committed(self, seconds: float, entries: int) -> None: ...
    def dropped(self) -> None: ...
    def missed_wakeup(self) -> None:
        """A room's time was over and no row said so: a bug in this code."""

    def queue_failed(self, queue: str) -> None:
        """A row of this queue failed, or a claim of it."""


# What the people's side answers: whether one of the others has blocked this person; names by id, whoever is unknown
# or deleted left out (raises StoreUnavailable).
Blocks = Callable[[Actor, Iterable[str]], Awaitable[bool]]
NamesOf = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]


class NameBook(Protocol):
    """The names that have been asked for."""

    def of(self, person: str | None) -> str | None:
        """None is somebody who is not there any more."""
