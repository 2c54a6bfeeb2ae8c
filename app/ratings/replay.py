"""The replay of rated games, in the order in which they ended: what each game changes.

`count_game` is the only place where figures are computed. The queue of the server, the full rebuild and the check of
the public file call it with the same facts, and so they agree. docs/ratings.md states the rules in words.
"""

from __future__ import annotations

import hashlib
from collections import deque
from typing import NamedTuple, Protocol

import msgspec

from app.ratings.display import is_uncertain, shown_number
from app.ratings.model import INITIAL, Value, rate
from app.ratings.pools import Pool

DAY_MS = 86_400_000
COMPANY_WINDOW_MS = 7 * DAY_MS
FULL_WEIGHT_GAMES = 5  # of the same people in the same pool within the window
MIN_WEIGHT = 1 / 8
TIME_LOSS_WINDOW_MS = DAY_MS
TIMED_OUT_AGAIN = "timed_out_again"
"""Why a game does not count: somebody had lost another correspondence game by time shortly before."""


class RatedSeat(NamedTuple):
    """A person's result. `timed_out`: the person ran out of time for good in a correspondence game."""

    seat: int
    person: str
    rank: int
    timed_out: bool = False


class RatedGame(NamedTuple):
    """A finished rated game; its seats in their order, without bots."""

    game: str
    ended_at: int
    pool: Pool
    seats: tuple[RatedSeat, ...]

    @property
    def place(self) -> tuple[int, str]:
        """The place in the order of processing."""
        return self.ended_at, self.game


class Standing(NamedTuple):
    """A person's figures in a pool, with the number of games that count and the highest number shown without "?"."""

    value: Value
    games: int
    best: int | None
    last_at: int


class Change(NamedTuple):
    """What a game changes for one person. `games` is None, and nothing changes, if the game does not count."""

    seat: RatedSeat
    before: Value
    after: Value
    games: int | None
    best: int | None


class CountedGame(NamedTuple):
    """A game with what it changes. `void` is the reason why it does not count, if it does not."""

    game: RatedGame
    company: str
    weight: float
    void: str | None
    changes: tuple[Change, ...]


class Facts(Protocol):
    """What the games that were processed before say about the people of a game."""

    def standing_of(self, person: str) -> Standing | None: ...
    def count_recent_games(self) -> int:
        """Return how many games of this company that count ended within COMPANY_WINDOW_MS."""

    def has_timed_out(self, person: str) -> bool:
        """Return whether this person lost a game that counts by time within TIME_LOSS_WINDOW_MS."""


def company_of(game: RatedGame) -> str:
    """Return a digest of the pool and the people of a game, whatever their seats."""
    people = sorted(seat.person for seat in game.seats)
    return hashlib.sha256("\n".join((game.pool, *people)).encode()).hexdigest()


def weigh_company(recent: int) -> float:
    """Return the weight of a game after so many recent games of the same people."""
    return max(MIN_WEIGHT, 0.5 ** max(0, recent + 1 - FULL_WEIGHT_GAMES))


def count_game(game: RatedGame, facts: Facts) -> CountedGame:
    """Return what a game changes, given what was before it."""
    standings = [facts.standing_of(seat.person) for seat in game.seats]
    before = [INITIAL if standing is None else standing.value for standing in standings]
    if any(seat.timed_out and facts.has_timed_out(seat.person) for seat in game.seats):
        unchanged = tuple(
            Change(seat, value, value, None, None) for seat, value in zip(game.seats, before, strict=True)
        )
        return CountedGame(game, company_of(game), 0.0, TIMED_OUT_AGAIN, unchanged)
    weight = weigh_company(facts.count_recent_games())
    after = rate(before, [seat.rank for seat in game.seats], weight)
    changes = tuple(
        _change(seat, standing, old, new)
        for seat, standing, old, new in zip(game.seats, standings, before, after, strict=True)
    )
    return CountedGame(game, company_of(game), weight, None, changes)


def _change(seat: RatedSeat, standing: Standing | None, before: Value, after: Value) -> Change:
    games, best = (0, None) if standing is None else (standing.games, standing.best)
    if not is_uncertain(after):
        number = shown_number(after.mu)
        best = number if best is None else max(best, number)
    return Change(seat, before, after, games + 1, best)


class Replay:
    """All figures in memory, for a rebuild from the first game on.

    Its size follows from the people and from the games of the last week, not from the number of games.
    """

    def __init__(self) -> None:
        self.standings: dict[tuple[str, Pool], Standing] = {}
        self._companies: dict[str, deque[int]] = {}
        self._company_ends: deque[tuple[int, str]] = deque()
        self._time_losses: dict[str, int] = {}

    def count(self, game: RatedGame, facts: Facts | None = None) -> CountedGame:
        """Count the next game, which must not end before the last one; `facts` replaces what is remembered."""
        self._forget(game.ended_at)
        counted = count_game(game, facts or _Remembered(self, game))
        if counted.void is None:
            self._remember(counted)
        return counted

    def _remember(self, counted: CountedGame) -> None:
        game = counted.game
        for change in counted.changes:
            assert change.games is not None
            key = (change.seat.person, game.pool)
            self.standings[key] = Standing(change.after, change.games, change.best, game.ended_at)
            if change.seat.timed_out:
                self._time_losses[change.seat.person] = game.ended_at
        self._companies.setdefault(counted.company, deque()).append(game.ended_at)
        self._company_ends.append((game.ended_at, counted.company))

    def _forget(self, now: int) -> None:
        while self._company_ends and self._company_ends[0][0] < now - COMPANY_WINDOW_MS:
            _, company = self._company_ends.popleft()
            self._companies[company].popleft()
            if not self._companies[company]:
                del self._companies[company]

    def count_recent_games(self, game: RatedGame) -> int:
        return len(self._companies.get(company_of(game), ()))

    def has_timed_out(self, person: str, at: int) -> bool:
        last = self._time_losses.get(person)
        return last is not None and last >= at - TIME_LOSS_WINDOW_MS


class _Remembered:
    """The facts about one game; implements Facts."""

    def __init__(self, replay: Replay, game: RatedGame) -> None:
        self._replay = replay
        self._game = game

    def standing_of(self, person: str) -> Standing | None:
        return self._replay.standings.get((person, self._game.pool))

    def count_recent_games(self) -> int:
        return self._replay.count_recent_games(self._game)

    def has_timed_out(self, person: str) -> bool:
        return self._replay.has_timed_out(person, self._game.ended_at)


class KnownFacts(msgspec.Struct, frozen=True):
    """Facts that were read from a database; implements Facts."""

    standings: dict[str, Standing]
    recent_games: int
    timed_out: frozenset[str]

    def standing_of(self, person: str) -> Standing | None:
        return self.standings.get(person)

    def count_recent_games(self) -> int:
        return self.recent_games

    def has_timed_out(self, person: str) -> bool:
        return person in self.timed_out
