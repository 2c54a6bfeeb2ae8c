"""The table: the fold of a game's log entries, with its clocks. No time, no I/O: equal entries give equal tables."""

from __future__ import annotations

from typing import Any

import msgspec

from app.play.engines import SCHEMES, Engine, engine_for
from app.play.frames import Clock
from app.play.log.entries import Entry, GameRow, SeatRow, Summary
from app.play.log.rounds import Round, VoidedRound, opening_time
from app.play.log.seats import Seat
from app.play.log.series import Series
from app.play.log.terms import ClockTerms, Terms, parse_stored
from app.play.ports import NameBook
from app.rules import Action, Event, Options, Position


class Clocks(msgspec.Struct):
    """Time left for each seat at `since`, and whose clocks have been running since then.

    Every seat that owes something runs its own clock. A seat that a bot plays runs none.
    """

    terms: ClockTerms
    left: list[int]
    since: int
    running: tuple[int, ...] = ()
    turn: int = -1

    def copy(self) -> Clocks:
        return msgspec.structs.replace(self, left=self.left[:])

    def go(self, at: int, turn: int, running: tuple[int, ...]) -> None:
        """From `at` on these seats' clocks run; `turn` is the seat whose turn it is."""
        if self.terms.kind == "none":
            self.running, self.since, self.turn = (), at, turn
            return
        spent = max(0, at - self.since)
        for seat in self.running:
            self.left[seat] = max(0, self.left[seat] - spent)
        passed = turn != self.turn
        if self.terms.kind == "bank":
            if passed and self.turn >= 0:
                self.left[self.turn] += 1000 * self.terms.increment
        else:
            if passed:
                self.left[turn] = self.terms.full
            for seat in running:
                if seat not in self.running and seat != turn:
                    self.left[seat] = self.terms.full  # a choice owed in another's turn has a time of its own
        # A credit may reach beyond the moment it is given at; nobody loses what is left of it by moving early.
        self.running, self.since, self.turn = running, max(at, self.since), turn

    def refill(self, seat: int) -> None:
        """A person takes the seat over again: in a game by turns it gets a whole turn's time."""
        if self.terms.kind in ("turn", "days"):
            self.left[seat] = self.terms.full

    def credit(self, began: int, ended: int) -> None:
        """Time in which no server was there does not count."""
        lost = max(0, ended - max(began, self.since))
        self.since += lost

    def deadline(self) -> int | None:
        """When the next clock runs out."""
        return min((self.since + self.left[seat] for seat in self.running), default=None)

    def run_out(self, now: int, grace: int) -> tuple[int, ...]:
        """Seats whose time has been over for `grace`; one that had none left is not waited for again."""
        return tuple(
            seat
            for seat in self.running
            if self.left[seat] == 0 or self.since + self.left[seat] + grace <= now
        )

    def is_late(self, seat: int, received: int) -> bool:
        """Whether what this seat sent came after its time; the server's receive time decides."""
        return seat in self.running and received > self.since + self.left[seat]

    def shown(self) -> Clock | None:
        """What a viewer is sent."""
        if self.terms.kind == "none":
            return None
        return Clock(left=list(self.left), running=list(self.running), at=self.since)


class _NobodyNamed:
    """For whoever folds a log and shows no names."""

    def of(self, person: str | None) -> str | None:
        return None


NOBODY_NAMED = _NobodyNamed()


class Table(msgspec.Struct, eq=False):
    """A game at `seq`. `moved` is the last seq that changed the position: older versions of it are stale.

    It is what fold.py makes of the entries. A struct, because every entry makes a copy of it: that copy is one
    step, and a small one.
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
    host: str  # empty: nobody is yet, at a table opened from a screen
    at: int
    acts_since: int  # since when the seats to act are to act
    status: str = "open"
    is_over: bool = False
    seq: int = 0
    moved: int = 0
    position: Position | None = None
    to_act: tuple[int, ...] = ()
    told: bytes | None = None  # the choices of the one seat to act, once it was told them
    undo_stack: list[Position] = []  # positions that undo can go back to
    is_undo_closed: bool = False  # something became known this turn: undo is over
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
    names: NameBook = NOBODY_NAMED  # asked when something is shown; no part of the fold
    credited_to: int = 0  # outages up to here have been credited
    resign_order: tuple[int, ...] = ()  # seats that resigned, in this order
    played: int = 0  # actions that stand
    changes: dict[str, int] = {}  # entries other than actions by the person who wrote them
    round: Round | None = None  # a start that waits for everybody's nonce
    void_rounds: tuple[VoidedRound, ...] = ()
    removed: frozenset[str] = (
        frozenset()
    )  # people the host has taken from their seat, and who have none since
    closed_why: str | None = None  # host, empty, operator: who ended it before it began
    missed: dict[str, int] = {}  # person → how many rounds they made void; replaced, never changed
    series: Series | None = None  # of a table made for a rematch
    is_from_screen: bool = False  # opened from a screen: nobody's, and it begins when all who sit are ready
    ready_since: int | None = None  # of such a table: since when they are
    deal: str | None = None  # the day whose deal is played here

    @classmethod
    def of(cls, row: GameRow, names: NameBook = NOBODY_NAMED) -> Table:
        """As it was created, before its first entry."""
        rules = engine_for(row.rules_version)
        options = rules.parse_options(row.options)
        return cls(
            id=row.id,
            rules=rules,
            rules_version=row.rules_version,
            terms=parse_stored(row.terms),
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

    # -- asking ------------------------------------------------------------------------------------

    @property
    def scheme(self) -> int:
        """How its chance can be checked: 1, nonces shown on sitting down; 2, sealed seats; 3, a deal of the day."""
        return SCHEMES[self.rules_version]

    def round_until(self) -> int | None:
        """Until when those who have not opened are waited for."""
        if self.round is None:
            return None
        return self.round.since + (self.round.wait or opening_time(self.terms.clock))

    def timed_since(self) -> int | None:
        """Since when time counts against somebody, if it does now."""
        if self.round is not None:
            return self.round.since
        return self.clocks.since if self.clocks is not None and self.clocks.running else None

    def seat_of(self, ids: tuple[str, ...]) -> int | None:
        """The seat of the person with one of these ids."""
        if self.to_act:  # nearly always it is who is to act that is asked for
            first = self.to_act[0]
            if self.seats[first].person in ids:
                return first
        for number, seat in enumerate(self.seats):
            if seat.person is not None and seat.person in ids:
                return number
        return None

    def title(self) -> str:
        """Its creator's words: gone when the creator is."""
        return self.terms.title if self.names.of(self.creator) is not None else ""

    def named(self) -> set[str]:
        """Everybody whose name is shown here, and its creator."""
        people = {seat.person or seat.reserved for seat in self.seats}
        return {person for person in (*people, self.creator) if person}

    def people(self) -> list[int]:
        """Seats that a person plays and that are still in the game."""
        return [n for n, seat in enumerate(self.seats) if seat.is_human and not self.is_resigned(n)]

    def bots_to_act(self) -> tuple[int, ...]:
        to_act = self.to_act
        if len(to_act) == 1:
            return to_act if self.seats[to_act[0]].bot is not None else ()
        return tuple(n for n in to_act if self.seats[n].bot is not None)

    def may_undo(self, seat: int | None) -> bool:
        return (
            bool(self.undo_stack)
            and self.position is not None
            and self.position.turn_seat == seat
            and self.status == "running"
        )

    def awaited(self) -> tuple[int, ...]:
        """Seats that the table waits for: for a move, or for what they sealed."""
        if self.round is not None:
            return tuple(self.round.order[number] for number in self.round.missing())
        return self.to_act

    def deadline(self) -> int | None:
        """Until when it waits, if that is bounded."""
        if self.round is not None:
            return self.round_until()
        return self.clocks.deadline() if self.clocks is not None and self.clocks.running else None

    def try_action(self, seat: int, action: Action) -> tuple[Position, tuple[Event, ...]]:
        """What the action would make of the position, and its events; raises RuleError. Nothing changes."""
        assert self.position is not None
        return self.rules.apply(self.position, seat, action)

    def choices_json(self, seat: int) -> bytes:
        """The choices of a seat that is to act; kept, as what it does is nearly always one of them."""
        assert self.position is not None
        if self.told is not None:
            return self.told
        told = self.rules.choices_json(self.position, seat, is_sealed=self.is_undo_closed)
        if len(self.to_act) == 1:
            self.told = told
        return told

    # -- changing: for whoever folds an entry into a table nobody else holds ------------------------

    def move_to(self, position: Position, entry: Entry) -> None:
        self.position = position
        self.moved = entry.seq
        self.to_act = self.rules.seats_to_act(position)
        self.acts_since = entry.at
        if self.clocks is not None and self.clocks.terms.kind != "none":
            self.run_clocks(entry.at)

    def run_clocks(self, at: int) -> None:
        clocks = self.clocks
        if clocks is not None and clocks.terms.kind != "none" and self.position is not None:
            runs = (
                ()
                if self.is_paused or self.is_over
                else tuple(n for n in self.to_act if self.seats[n].bot is None)
            )
            clocks.go(at, self.position.turn_seat, runs)

    def end(
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
            places = self.rules.places(self.position)
        self.result = {"winner": winner, "places": places, "reason": reason}
        self.run_clocks(entry.at)

    def is_resigned(self, seat: int) -> bool:
        return self.position is not None and self.position.resigned[seat]

    def next_host(self) -> None:
        """The host has gone: the role moves to the first person who sits."""
        last = "" if self.is_from_screen else self.host
        self.host = next((seat.person for seat in self.seats if seat.person is not None), last)

    # -- for lists ---------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """What lists show."""
        places = (self.result or {}).get("places") or []
        rows = tuple(
            SeatRow(
                n, seat.person, seat.name or "", seat.colour or "", seat.bot, places[n] if places else None
            )
            for n, seat in enumerate(self.seats)
            if seat.is_taken
        )
        return Summary(
            taken=len(rows) + sum(seat.reserved is not None and not seat.is_taken for seat in self.seats),
            bots=sum(seat.bot is not None and seat.person is None for seat in self.seats),
            host=self.host,
            next_game=self.next_game,
            started_at=self.started_at,
            ended_at=self.ended_at,
            result=self.result,
            options=self.rules.options_to_json(self.options),
            seats=rows,
        )
