"""Ports of app/play: the store, the bus, the clock, bots, metrics and listeners that rooms need."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec

from app.play.frames import Frame
from app.play.log.entries import Append, ChatLine, DueRow, Entry, GameRow, Outage, OwnTurn
from app.play.outcome import Outcome


class StoreUnavailable(Exception):
    """The store did not answer; a write may or may not have happened."""


class GameExists(Exception):
    """A game with this id exists; nothing was written."""


class Clock(Protocol):
    """The present time; tests set it by hand."""

    def now(self) -> int:
        """Return milliseconds since 1970."""


class Actor(msgspec.Struct, frozen=True):
    """A person in rooms: all ids they have played under, the present one first."""

    ids: tuple[str, ...]
    name: str
    is_bot: bool = False
    is_account: bool = False

    @property
    def id(self) -> str:
        """The present id; empty without a session, which can only watch."""
        return self.ids[0] if self.ids else ""


class FailedRow(msgspec.Struct, frozen=True):
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

    async def record(
        self, queue: str, key: str, error: str, now: int, delay: Callable[[int], int | None]
    ) -> int:
        """Count a failed attempt and return how many there were, or 0 if another worker has just counted it.

        `delay(attempts)` gives the milliseconds until the next attempt, or None to set the row aside.
        """

    async def clear(self, queue: str, key: str) -> bool:
        """Delete a record, so that the row is processed as if it had never failed; False if there is none."""

    async def read_all(self, limit: int = ...) -> list[FailedRow]:
        """Return the records, set-aside rows first, then the oldest."""


class GameLog(Protocol):
    """The log of each game and its head."""

    async def create(
        self,
        game: GameRow,
        entry: Entry,
        limit: tuple[Sequence[str], int] | None = None,
        due: int | None = None,
    ) -> bool:
        """Store a new game with its first entry, durable on return; `due` is the time of its first due work.

        With a limit, return False and store nothing if these creators have that many unfinished games already. They are
        counted in the same transaction, so that concurrent calls cannot exceed the limit. Raises GameExists.
        """

    def append(self, append: Append) -> Outcome[bool]:
        """Append an entry. The outcome is True once entry and head are on disk, False if seq or command id exist."""

    async def flush(self) -> None:
        """Return once all appended entries are on disk."""

    async def read_game(self, game: str) -> GameRow | None: ...
    async def read_entries(self, game: str, after: int = 0, limit: int | None = None) -> list[Entry]: ...
    async def read_heads(self, games: Sequence[str], beyond: Sequence[int] | None = None) -> dict[str, int]:
        """Return the seq of each game's last entry; with `beyond`, only for games that are past that seq."""


class GameLists(Protocol):
    """Lists of games, and sums of results."""

    async def list_games(self, which: str, limit: int, offset: int = 0) -> list[GameRow]:
        """Return the lobby's list `open` or `watch`, newest first."""

    async def list_open_tables(
        self, preset: str | None, seats: int | None, limit: int, offset: int
    ) -> list[GameRow]:
        """Return listed tables of this kind with a free seat, newest first; None matches all."""

    async def list_games_of(
        self,
        people: Sequence[str],
        *,
        unfinished: bool,
        limit: int,
        offset: int = 0,
        public_at: int | None = None,
    ) -> list[GameRow]:
        """Return games of these ids, last updated first.

        `public_at`: only those that anyone could watch, and deals of the day whose day is over at this time.
        """

    async def list_turns_of(self, people: Sequence[str], limit: int) -> list[OwnTurn]:
        """Return the unfinished games in which one of these ids has a seat, and whether they wait for it."""

    async def count_results(self, people: Sequence[str], now: int) -> list[tuple[str, int, int]]:
        """Return preset, place and count of the finished ones among their public games."""

    async def count_colours(self, people: Sequence[str], now: int) -> list[tuple[str, int]]:
        """Return the colours these ids played in the same games and how often, the most frequent first."""

    async def count_results_between(
        self, people: Sequence[str], others: Sequence[str]
    ) -> tuple[int, int, int]:
        """Return how many games both played together, and in how many the first were ahead, and behind."""


class DueWork(Protocol):
    """Rows of games in which something is due, claimed under leases."""

    async def schedule(self, game: str, at: int) -> None:
        """Set the time of the game's due row, unless that is earlier already."""

    async def claim(
        self,
        now: int,
        lease: int,
        limit: int,
        is_for_other_worker: Callable[[str, int], bool] = ...,
        skip: Collection[str] = ...,
    ) -> list[DueRow]:
        """Lease rows that are due, except those to skip and those for which `is_for_other_worker(game, at)`."""

    async def settle(self, due: DueRow, next_at: int | None) -> int | None:
        """End a lease; return the row's present time, which differs if the row was written since the claim."""

    async def read_due_times(self, games: Sequence[str], now: int) -> dict[str, int]:
        """Return the times of these games' due rows; at most `now` for a row under a lease."""

    async def end_leases(self) -> None:
        """End all leases: the workers that claimed them are dead."""


class Heartbeats(Protocol):
    """The last heartbeat of any worker, and the outages between heartbeats."""

    async def record(self, now: int, gap: int) -> Outage | None:
        """Record a heartbeat; return the outage that it ends, if the last one is longer ago than `gap`."""

    async def read_outages(self, since: int) -> list[Outage]: ...


class ChatStore(Protocol):
    """Chat lines, numbered by game, and mutes."""

    async def add_line(self, line: ChatLine) -> ChatLine:
        """Store a line with the next number, durable on return; a repeated command returns the stored line."""

    async def read_lines(self, game: str, after: int, limit: int) -> list[ChatLine]: ...
    async def set_mute(self, game: str, person: str, muted: str, on: bool) -> None: ...
    async def read_mutes(self, game: str, person: str) -> frozenset[str]: ...


class GameStore(Protocol):
    """The stores of games. Times are milliseconds.

    All methods of its parts raise StoreUnavailable if the database does not answer.
    """

    @property
    def log(self) -> GameLog: ...
    @property
    def lists(self) -> GameLists: ...
    @property
    def due(self) -> DueWork: ...
    @property
    def heartbeats(self) -> Heartbeats: ...
    @property
    def chat(self) -> ChatStore: ...
    @property
    def failures(self) -> FailureStore: ...


# Kinds of news that every worker receives.
KINDS_SENT_TO_ALL = frozenset(("lobby", "signed_out", "renamed", "blocked", "gap", "counted"))


class News(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message between workers. `about` is a game id, or the subject of the kind."""

    # Of a room: entry; named (names of people in the next entry); chat; muted; presence; who (a request for presence
    # and head); head (the room's seq); looked (the sweeper has processed the room); closed.
    # To all: lobby; signed_out; renamed (or deleted); blocked (all people that a person has blocked); gap (news were
    # lost); counted (against a limit).
    # From a worker's own bus: joined (another worker follows the topic too); followed (from now on no news of the topic
    # are missed); gap.
    kind: str
    about: str
    worker: str
    body: Any
    # Of an action: the spectators' frame, as built by the entry's writer.
    # Workers of release 0.1.0 neither send nor read it.
    public: bytes = b""


NewsHandler = Callable[[News], None]


class BusCounts(msgspec.Struct):
    """Messages that this worker has sent, deliveries of them to other workers, and news that could not be sent."""

    sent: int = 0
    delivered: int = 0
    dropped: int = 0


class Bus(Protocol):
    """Carries news to the other workers. News may be lost; the log is the only authority."""

    @property
    def is_single_worker(self) -> bool:
        """Whether there can be no other worker, so that no news can be missed."""

    @property
    def counts(self) -> BusCounts: ...

    def listen(self, handler: NewsHandler) -> None: ...
    def follow(self, topic: str) -> None:
        """Receive news of this topic from now on: a game whose room is loaded, or a person in the lobby."""

    def unfollow(self, topic: str) -> None: ...
    def has_followers(self, topic: str) -> bool:
        """Return whether another worker follows this topic; True if that is uncertain."""

    def is_followed(self, topic: str) -> bool:
        """Return whether another worker is known to follow this topic; False if that is uncertain."""

    def publish(self, news: News, topics: tuple[str, ...] | None = None) -> None:
        """Send news to the workers that follow one of the topics; None: to all.

        Never waits and never raises. A full queue drops the news; receivers find the gap by sequence numbers.
        """

    async def open(self) -> None: ...
    async def close(self) -> None: ...


class ActionChooser(Protocol):
    """Chooses actions for a seat from what it knows: its view, its legal actions, the events it has seen."""

    async def choose(
        self,
        view: dict[str, Any],
        actions: Sequence[dict[str, Any]],
        history: Sequence[dict[str, Any]],
        level: str,
        budget: float,
        *,
        seat: int,
        fixed_budget: tuple[int, str] | None = None,
        person: str = "",
    ) -> dict[str, Any]:
        """Return one of the actions (a discard with its cards filled in) within about `budget` seconds.

        `person` is the person for whom the bot plays; all people get equal shares of the bots' time.

        `fixed_budget` is (nodes, seed) instead of a time limit: the same request then has the same answer in every
        process. Raise DecisionUnavailable if there is none now.
        """


class BotPlayer(ActionChooser, Protocol):
    """Chooses actions and gives hints."""

    async def hint(
        self,
        view: dict[str, Any],
        actions: Sequence[dict[str, Any]],
        history: Sequence[dict[str, Any]],
        budget: float,
        *,
        seat: int,
        person: str = "",
    ) -> dict[str, Any]:
        """Return {"action", "why", "params"} within about `budget` seconds: a good action and the reason for it."""


# Why a room or the lobby disconnects a listener: the server restarts (resume elsewhere), the operator has closed the
# table, or the game has started at a table without spectators.
EndReason = Literal["resume", "closed", "no_spectators"]


class Listener(Protocol):
    """A socket or stream that receives frames. Its methods never wait."""

    def send(self, frame: Frame) -> None: ...
    def send_batch(self, frames: Sequence[Frame]) -> None:
        """Send several frames in order."""

    def end(self, why: EndReason) -> None:
        """Send the reason and close; nothing is sent afterwards."""


class MetricsPort(Protocol):
    """Counters for metrics. Every method is cheap and never raises."""

    def count_action(self, kind: str, by: str) -> None: ...
    def count_refusal(self, code: str) -> None: ...
    def count_commit(self, seconds: float, entries: int) -> None: ...
    def count_dropped_socket(self) -> None: ...
    def count_missed_wakeup(self) -> None:
        """Count a room that was overdue without a due row, which is a defect of the scheduling."""

    def count_queue_failure(self, queue: str) -> None:
        """Count a failed row, or a failed claim, of this queue."""


# Queries about people: whether one of the others has blocked this person; all ids of the people that these ids have
# blocked; names by id, without unknown and deleted people. All raise StoreUnavailable.
HasBlocked = Callable[[Actor, Iterable[str]], Awaitable[bool]]
FetchBlocked = Callable[[Sequence[str]], Awaitable[frozenset[str]]]
FetchNames = Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]


class NameLookup(Protocol):
    """Cached names of people."""

    def get(self, person: str | None) -> str | None:
        """Return the name; None for an unknown or deleted person."""
