"""The table: the fold of a game's log entries, with its clocks. It reads no time and does no I/O."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from app.play.engines import CHANCE_SCHEMES, UNDO_AFTER_REVEAL_VERSIONS, Engine, engine_for
from app.play.log.clocks import Clocks
from app.play.log.entries import Entry, GameRow, GameSummary, SeatRow
from app.play.log.seal_rounds import SealRound, VoidedRound
from app.play.log.seats import Seat
from app.play.log.series import Series
from app.play.log.terms import Terms, parse_stored_terms
from app.play.ports import NameLookup
from app.ratings.pools import Pool, pool_of
from app.ratings.ranks import MIN_PEOPLE, rank_people
from app.rules import Action, Event, Options, Position


class _NoNames:
    """Names for callers that fold a log and show no names."""

    def get(self, person: str | None) -> str | None:
        return None


NO_NAMES = _NoNames()


class Table(msgspec.Struct, eq=False, gc=False):
    """A game at `seq`, folded from its entries by fold.py.

    `position_seq` is the last seq that changed the position; commands on older versions are stale. Every entry copies
    the table, which is cheap for a msgspec struct. Nothing in a table refers back to it, so it needs no garbage
    collection.
    """

    id: str
    rules: Engine
    rules_version: int
    terms: Terms
    options: Options
    server_seed: str
    commitment: str
    creator: str
    seats: list[Seat]
    host: str  # empty at a table opened from a screen, until a player sits down
    at: int
    acts_since: int  # since when the game has been waiting for the seats to act
    status: str = "open"
    is_over: bool = False
    seq: int = 0
    position_seq: int = 0
    position: Position | None = None
    to_act: tuple[int, ...] = ()
    sent_choices: bytes | None = None  # cached choices of the one seat to act, once encoded
    undo_stack: list[Position] = []  # positions that undo can return to
    is_undo_closed: bool = False  # something was revealed in this turn, so what came before cannot be undone
    clocks: Clocks | None = None
    is_paused: bool = False
    chat_closed: bool = False
    consents: dict[str, set[int]] = {}
    votes: dict[int, dict[int, str]] = {}
    result: dict[str, Any] | None = None
    next_game: str | None = None
    next_commitment: str | None = None
    rematch_seq: int = 0  # the entry that named it
    started_at: int | None = None
    ended_at: int | None = None
    names: NameLookup = NO_NAMES  # used when the table is shown; not part of the fold
    credited_to: int = 0  # outages up to here have been credited
    resign_order: tuple[int, ...] = ()  # seats that resigned, in this order
    action_count: int = 0  # actions that stand
    change_counts: dict[str, int] = {}  # person → their entries other than actions
    seal_round: SealRound | None = None  # a start that waits for seals to be opened
    void_rounds: tuple[VoidedRound, ...] = ()
    # People whom the host removed and who have not sat down since → may sit from when.
    removed: dict[str, int] = {}
    closed_why: str | None = None  # host, empty or operator, if closed before the start
    missed_rounds: dict[str, int] = {}  # person → rounds they voided; replaced, never modified
    series: Series | None = None  # of a table made for a rematch
    is_from_screen: bool = False  # opened from a screen: starts when all seated players are ready
    ready_since: int | None = None  # since when they are, at such a table
    deal: str | None = None  # the day whose deal is played here
    is_rated: bool = False  # counts for ratings; from the start on, only if at least two people play
    taken_over: frozenset[int] = frozenset()  # at a rated table: seats that a bot has ever taken over
    clock_played: frozenset[int] = frozenset()  # at a rated table: seats whose last action the clock made

    @classmethod
    def from_row(cls, row: GameRow, names: NameLookup = NO_NAMES) -> Table:
        """Return the table before its first entry."""
        rules = engine_for(row.rules_version)
        options = rules.parse_options(row.options)
        return cls(
            id=row.id,
            rules=rules,
            rules_version=row.rules_version,
            terms=parse_stored_terms(row.terms),
            options=options,
            server_seed=row.server_seed,
            commitment=row.commitment,
            creator=row.creator,
            seats=[Seat() for _ in range(options.players)],
            host=row.creator,
            at=row.created_at,
            acts_since=row.created_at,
            names=names,
        )

    # -- queries -----------------------------------------------------------------------------------

    @property
    def chance_scheme(self) -> int:
        """How its chance can be verified: 1 open nonces, 2 sealed seats, 3 the deal of the day."""
        return CHANCE_SCHEMES[self.rules_version]

    @property
    def is_undo_over(self) -> bool:
        """Whether no action of this turn can be undone any more. Only in older games does a reveal mean that."""
        return self.is_undo_closed and self.rules_version not in UNDO_AFTER_REVEAL_VERSIONS

    def seal_round_ends_at(self) -> int | None:
        """Return when missing seats have had their time to open; None without a round."""
        if self.seal_round is None:
            return None
        return self.seal_round.since + (
            self.seal_round.wait or self.terms.clock.clock_class.opening_timeout_ms
        )

    def time_runs_since(self) -> int | None:
        """Return since when a clock or a seal round has been running; None if none is."""
        if self.seal_round is not None:
            return self.seal_round.since
        return self.clocks.since if self.clocks is not None and self.clocks.running else None

    def seat_of(self, ids: tuple[str, ...]) -> int | None:
        """Return the seat of the person with one of these ids, or None."""
        if self.to_act:  # the usual question is about the player to act
            first = self.to_act[0]
            if self.seats[first].person in ids:
                return first
        for number, seat in enumerate(self.seats):
            if seat.person is not None and seat.person in ids:
                return number
        return None

    def is_enough_for_rating(self) -> bool:
        """Return whether the game would be rated with the people who have seats now."""
        people = [seat for seat in self.seats if seat.person is not None]
        return len(people) >= MIN_PEOPLE and all(seat.is_account for seat in people)

    def rating_pool(self) -> Pool:
        """Return the pool of the game; before the start, of one with the seats that are taken now."""
        taken = sum(seat.is_taken for seat in self.seats)
        seats = self.options.players if self.started_at is not None or taken < MIN_PEOPLE else taken
        return pool_of(seats, self.options.hands)

    def title(self) -> str:
        """Return the creator's title; empty once the creator is deleted."""
        return self.terms.title if self.names.get(self.creator) is not None else ""

    def list_named_people(self) -> set[str]:
        """Return the people whose names the table shows, and its creator."""
        people = {seat.person or seat.reserved for seat in self.seats}
        return {person for person in (*people, self.creator) if person}

    def list_human_seats(self) -> list[int]:
        """Return the seats that a person plays and has not resigned."""
        return [n for n, seat in enumerate(self.seats) if seat.is_human and not self.is_resigned(n)]

    def list_bots_to_act(self) -> tuple[int, ...]:
        to_act = self.to_act
        if len(to_act) == 1:
            return to_act if self.seats[to_act[0]].bot is not None else ()
        return tuple(n for n in to_act if self.seats[n].bot is not None)

    def can_undo(self, seat: int | None) -> bool:
        return (
            bool(self.undo_stack)
            and self.position is not None
            and self.position.turn_seat == seat
            and self.status == "running"
        )

    def removed_until(self, ids: Iterable[str]) -> int:
        """Return until when these people cannot sit down because the host removed one of them; 0 if they can."""
        return max((self.removed.get(person, 0) for person in ids), default=0)

    def list_awaited_seats(self) -> tuple[int, ...]:
        """Return the seats that must act, or open their seals."""
        if self.seal_round is not None:
            return self.seal_round.list_unopened()
        return self.to_act

    def deadline(self) -> int | None:
        """Return when the time of the awaited seats is over; None if there is no limit."""
        if self.seal_round is not None:
            return self.seal_round_ends_at()
        return self.clocks.deadline() if self.clocks is not None and self.clocks.running else None

    def try_action(self, seat: int, action: Action) -> tuple[Position, tuple[Event, ...]]:
        """Return the position and the events after an action, without changing the table. Raises RuleError."""
        assert self.position is not None
        return self.rules.apply(self.position, seat, action)

    def choices_json(self, seat: int) -> bytes:
        """Return the encoded choices of a seat to act; cached, because its action is nearly always one of them."""
        assert self.position is not None
        if self.sent_choices is not None:
            return self.sent_choices
        choices = self.rules.choices_json(self.position, seat, is_undo_closed=self.is_undo_over)
        if len(self.to_act) == 1:
            self.sent_choices = choices
        return choices

    # -- changes, for the folds only ---------------------------------------------------------------

    def move_to(self, position: Position, entry: Entry) -> None:
        self.position = position
        self.position_seq = entry.seq
        self.to_act = self.rules.seats_to_act(position)
        self.acts_since = entry.at
        if self.clocks is not None and self.clocks.is_timed:
            self.run_clocks(entry.at)

    def run_clocks(self, at: int) -> None:
        clocks = self.clocks
        if clocks is not None and clocks.is_timed and self.position is not None:
            runs = (
                ()
                if self.is_paused or self.is_over
                else tuple(n for n in self.to_act if self.seats[n].bot is None)
            )
            clocks.run(at, self.position.turn_seat, runs)

    def end_game(
        self,
        status: str,
        entry: Entry,
        winner: int | None,
        reason: str,
        places: list[int] | None = None,
    ) -> None:
        self.status = status
        self.is_over = True
        self.to_act = ()
        self.ended_at = entry.at
        self.is_paused = False
        self.consents, self.votes, self.undo_stack = {}, {}, []
        if winner is not None and self.position is not None:
            places = self.rules.finishing_places(self.position)
        self.result = {"winner": winner, "places": places, "reason": reason}
        if self.is_rated and places is not None:
            self.result |= self._rank_result(places, winner)
        self.run_clocks(entry.at)

    def _rank_result(self, places: list[int], winner: int | None) -> dict[str, Any]:
        """Return the ranks of a rated game, and which seats ran out of time for good.

        A winner whose last action the clock made has not: the others ended the game before the next turn. Otherwise
        somebody about to lose could resign after the leader's first late action, and would share the first rank.
        """
        people = [number for number, seat in enumerate(self.seats) if seat.person is not None]
        is_won_late = winner is not None and winner not in self.taken_over
        late = frozenset(seat for seat in self.clock_played if not (is_won_late and seat == winner))
        gave_up = self.taken_over | late | set(self.resign_order)
        ranks: dict[str, Any] = {"ranks": rank_people(places, people, gave_up)}
        timed_out = sorted(late.intersection(people))
        return ranks | ({"timed_out": timed_out} if timed_out else {})

    def is_resigned(self, seat: int) -> bool:
        return self.position is not None and self.position.resigned[seat]

    def pass_host_on(self) -> None:
        """Pass the host role to the first seated person."""
        last = "" if self.is_from_screen else self.host
        self.host = next((seat.person for seat in self.seats if seat.person is not None), last)

    # -- for lists ---------------------------------------------------------------------------------

    def summary(self) -> GameSummary:
        """Return the fields for lists of games."""
        places = (self.result or {}).get("places") or []
        rows = tuple(
            SeatRow(
                n, seat.person, seat.name or "", seat.colour or "", seat.bot, places[n] if places else None
            )
            for n, seat in enumerate(self.seats)
            if seat.is_taken
        )
        return GameSummary(
            taken=len(rows) + sum(seat.reserved is not None and not seat.is_taken for seat in self.seats),
            bots=sum(seat.bot is not None and seat.person is None for seat in self.seats),
            host=self.host,
            next_game=self.next_game,
            started_at=self.started_at,
            ended_at=self.ended_at,
            result=self.result,
            options=self.rules.options_to_json(self.options),
            seats=rows,
            is_rated=self.is_rated,
        )
