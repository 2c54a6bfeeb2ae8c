"""Practice with one's own mistakes: searching finished games for them, and the puzzles made from them.

A game is searched for a person when they ask for its review or visit the practice page, so the cost follows from what
people look at. The queue `mistakes` runs one search at a time, in the bots' process for studies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec
import orjson
from cachetools import LRUCache

from app import rules
from app.bots.mistakes import BadTurn, TurnStart, find_start, foresee_turn, has_puzzles
from app.bots.pool import BotPool, SearchFailed
from app.bots.turn_search import foresee
from app.play.deal.days import is_deal_secret
from app.play.log.entries import SeatRow
from app.play.log.reading import build_record, read_whole_log
from app.play.names import NameCache
from app.play.queues import Postponed
from app.play.server import GameServer
from app.store.people.mistakes import (
    MAX_OPEN_GUEST_SEARCHES,
    MAX_OPEN_SEARCHES,
    QUEUE,
    Mistake,
    MistakeStore,
    Search,
    search_key,
)
from app.store.people.players import PeopleStore, Player
from app.web.errors import BadRequest, NotFound, TooMany
from app.web.offload import Offload

__all__ = ["Mistakes", "play_puzzle"]

_LEASE_SECONDS = 360
_JUDGE_SECONDS = 30.0
_MAX_CACHED_GAMES = 16
_ENDED = ("finished", "aborted")

Json = dict[str, Any]


class _FinishedGame(NamedTuple):
    """A finished game as it is cached: its record without names, and who sat where."""

    record: Json
    parsed: rules.Record
    seats: tuple[SeatRow, ...]


class Mistakes:
    """The practice of one app, and its queue of games to search (app/play/queues.py)."""

    name = QUEUE

    def __init__(
        self,
        store: MistakeStore,
        people: PeopleStore,
        game_server: GameServer,
        pool: BotPool,
        offload: Offload,
    ) -> None:
        self.store = store
        self._people = people
        self._game_server = game_server
        self._pool = pool
        self._offload = offload
        self.on_request: Callable[[], None] = lambda: None
        """Called when a game was queued; set to the claim loop's `nudge`."""
        self._games: LRUCache[str, _FinishedGame] = LRUCache(_MAX_CACHED_GAMES)
        self._no_names = NameCache(None, game_server.clock)

    # -- the queue ---------------------------------------------------------------------------------

    async def claim(
        self, now: int, limit: int, skip_keys: Collection[str], skip_owners: Collection[str]
    ) -> Sequence[Search]:
        return await self.store.claim(now // 1000, _LEASE_SECONDS, limit, skip_keys)

    def key(self, row: Search) -> str:
        return search_key(row)

    def owner(self, row: Search) -> str | None:
        return row.person

    async def process(self, row: Search) -> None:
        """Search a game and store the person's mistakes. Idempotent."""
        try:
            await self._search(row)
        except Exception:
            await self.store.release(row)
            raise

    async def _search(self, row: Search) -> None:
        found: list[Mistake] = []
        now = self._game_server.clock.now() // 1000
        person = await self._people.find_player(row.person, now)
        seat = None if person is None else await self._seat_of(row.game, person)
        if seat is not None:
            try:
                game = await self._read_game(row.game)
            except TooMany:  # the offload thread is busy
                raise Postponed from None
            if game is not None and is_deal_secret(game.record.get("deal"), now * 1000):
                await self.store.drop_search(row)  # a later visit queues it again
                return
            if game is not None:
                try:
                    answer = await self._pool.find_mistakes(game.record, seat)
                except SearchFailed as problem:
                    if problem.outcome == "full":  # this worker is stopping
                        raise Postponed from None
                    raise
                found = [
                    Mistake(
                        row.person, row.game, **puzzle, seat=seat, found_at=now, due_at=now, stage=0, tries=0
                    )
                    for puzzle in answer["puzzles"]
                ]
        await self.store.finish(row, found, now)

    async def request(self, person: Player, games: Sequence[str]) -> bool:
        """Queue games to be searched for a person's mistakes; return whether any was new."""
        now = self._game_server.clock.now() // 1000
        limit = MAX_OPEN_SEARCHES if person.is_account else MAX_OPEN_GUEST_SEARCHES
        is_queued = await self.store.request_searches(person.id, games, now, limit)
        if is_queued:
            self.on_request()
        return is_queued

    # -- games -------------------------------------------------------------------------------------

    async def _seat_of(self, game: str, person: Player) -> int | None:
        row = await self._game_server.store.log.read_game(game)
        if row is None or row.summary is None:
            return None
        return next((seat.seat for seat in row.summary.seats if person.owns(seat.person)), None)

    async def _read_game(self, game: str) -> _FinishedGame | None:
        """Return a finished game; None if it never started or is not over."""
        found = self._games.get(game)
        if found is None:
            row = await self._game_server.store.log.read_game(game)
            if row is None or row.status not in _ENDED or row.summary is None or not row.summary.started_at:
                return None
            entries = await read_whole_log(self._game_server.store.log, game)
            record = await self._offload.run(build_record, row, entries, self._no_names)
            parsed = await self._offload.run(rules.record_from_json, record)
            seats = tuple(
                msgspec.structs.replace(seat, name=seat.bot and seat.name) for seat in row.summary.seats
            )
            found = self._games[game] = _FinishedGame(record, parsed, seats)
        return found

    async def _describe_seats(self, seats: Sequence[SeatRow]) -> list[Json]:
        """Return the present names of the seats, empty for a deleted person, and their bots."""
        names = self._game_server.names
        await names.fetch_missing(seat.person for seat in seats if seat.person is not None)
        return [
            {
                "name": (seat.name if seat.person is None else names.get(seat.person)) or "",
                "bot": seat.bot if seat.person is None else None,
            }
            for seat in seats
        ]

    # -- puzzles -----------------------------------------------------------------------------------

    async def count_unread_entries(self, mistake: Mistake) -> int:
        """Return how many log entries must be read to show the puzzle; 0 while its game is cached."""
        if mistake.game in self._games:
            return 0
        row = await self._game_server.store.log.read_game(mistake.game)
        return 0 if row is None else row.seq

    async def play(self, mistake: Mistake, actions: list[Json]) -> Json:
        """Return the puzzle after some actions of the turn."""
        game = await self._require_game(mistake)
        puzzle = await self._offload.run(play_puzzle, game.parsed, mistake.seat, mistake.step, actions)
        return {**puzzle, "seats": await self._describe_seats(game.seats)}

    async def check_turn(self, mistake: Mistake, actions: list[Json]) -> None:
        """Raise BadRequest unless the actions are a whole turn."""
        record = (await self._require_game(mistake)).parsed
        await self._offload.run(_check_turn, record, mistake.seat, mistake.step, actions)

    async def judge(self, mistake: Mistake, actions: list[Json], person: str) -> Json:
        """Return how good a whole turn is. Raise SearchFailed."""
        record = (await self._require_game(mistake)).record
        request = {"judge_turn": record, "seat": mistake.seat, "step": mistake.step, "actions": actions}
        return await self._pool.study("puzzle", request, _JUDGE_SECONDS, person)

    async def _require_game(self, mistake: Mistake) -> _FinishedGame:
        game = await self._read_game(mistake.game)
        if game is None:
            raise NotFound("The game of this puzzle no longer exists.")
        return game


def _find_start(record: rules.Record, seat: int, step: int) -> TurnStart:
    found = find_start(record, seat, step) if has_puzzles(record) else None
    if found is None:
        raise NotFound("There is no such puzzle.")
    return found


@contextmanager
def _refusing_bad_turns() -> Iterator[None]:
    try:
        yield
    except BadTurn:
        raise BadRequest("illegal", "These actions are not a whole turn.") from None


def _check_turn(record: rules.Record, seat: int, step: int, actions: list[Json]) -> None:
    start = _find_start(record, seat, step)
    with _refusing_bad_turns():
        foresee_turn(start.position, [rules.action_from_json(action) for action in actions])


def play_puzzle(record: rules.Record, seat: int, step: int, actions: list[Json]) -> Json:
    """Return what the seat knows after some actions of its turn, and what it may do next.

    Cards from the deck, and a new row, stay unknown until the turn is over, so that the answer does not depend on luck.
    """
    start = _find_start(record, seat, step)
    position = start.position
    before = _known_view(position, seat)
    for given in actions:
        action = rules.action_from_json(given)
        if action not in rules.legal(position, seat) or given.get("type") == "end":
            raise BadRequest("illegal", "This action is not possible here.")
        before = _known_view(position, seat)
        position = foresee(position, seat, action)
    is_over = position.winner is not None or position.turn_seat != seat
    return {
        "before": before,
        "view": _known_view(position, seat),
        "choices": [] if is_over else orjson.loads(rules.choices_json(position, seat)),
        "is_over": is_over,
        "seat": seat,
    }


def _known_view(position: rules.Position, seat: int) -> Json:
    """Return the seat's view of a foreseen position; a winning turn is shown like any other."""
    return {**rules.view_without_reveal(position, seat), "winner": None}
