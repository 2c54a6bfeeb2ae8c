"""The table: the fold of a game's log entries. No time, no I/O: equal entries give equal tables."""

from __future__ import annotations

from typing import Any

from app.play.clocks import Clocks
from app.play.engines import Engine, engine_for
from app.play.entries import Entry, GameRow, SeatRow, Summary
from app.play.folds import FOLDS
from app.play.seats import Seat
from app.play.terms import Terms, parse_stored
from app.rules import Event, Options, Position

__all__ = ["Step", "Table"]


class Step:
    """What an action makes of the position: worked out before it is stored, put in place after."""

    __slots__ = ("events", "position")

    def __init__(self, position: Position, events: tuple[Event, ...]) -> None:
        self.position = position
        self.events = events


class Table:
    """A game at `seq`. `moved` is the last seq that changed the position: older versions of it are stale."""

    def __init__(self, row: GameRow) -> None:
        self.id = row.id
        self.rules: Engine = engine_for(row.rules_version)
        self.rules_version = row.rules_version
        self.terms: Terms = parse_stored(row.terms)
        self.options: Options = self.rules.parse_options(row.options)
        self.server_seed = row.server_seed
        self.commitment = row.commitment
        self.creator = row.creator
        self.seats = [Seat() for _ in range(self.options.players)]
        self.host = row.creator
        self.status = "open"
        self.seq = 0
        self.at = row.created_at
        self.moved = 0
        self.position: Position | None = None
        self.to_act: tuple[int, ...] = ()
        self.acts_since = row.created_at  # since when the seats to act are to act
        self.steps: list[Position] = []  # positions that undo can go back to
        self.is_sealed = False  # something became known this turn: undo is over
        self.clocks: Clocks | None = None
        self.is_paused = False
        self.chat_closed = False
        self.consents: dict[str, set[int]] = {}
        self.votes: dict[int, dict[int, str]] = {}
        self.result: dict[str, Any] | None = None
        self.next_game: str | None = None
        self.rematch_seq = 0  # the entry that named it
        self.started_at: int | None = None
        self.ended_at: int | None = None
        self.credited_to = 0  # outages up to here have been credited

    # -- asking ------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        return self.status in ("finished", "aborted", "closed")

    def seat_of(self, ids: tuple[str, ...]) -> int | None:
        """The seat of the person with one of these ids."""
        for number, seat in enumerate(self.seats):
            if seat.person is not None and seat.person in ids:
                return number
        return None

    def people(self) -> list[int]:
        """Seats that a person plays and that are still in the game."""
        return [n for n, seat in enumerate(self.seats) if seat.is_human and not self.is_resigned(n)]

    def bots_to_act(self) -> tuple[int, ...]:
        return tuple(n for n in self.to_act if self.seats[n].bot is not None)

    def may_undo(self, seat: int | None) -> bool:
        return (
            bool(self.steps)
            and self.position is not None
            and self.position.turn_seat == seat
            and self.status == "running"
        )

    def deadline(self) -> int | None:
        return self.clocks.deadline() if self.clocks is not None and self.clocks.running else None

    def try_action(self, seat: int, action: Any) -> Step:
        """What the action would make of the position; raises RuleError. Nothing changes."""
        return Step(*self.rules.apply(self.position, seat, action))

    # -- folding -----------------------------------------------------------------------------------

    def after(self, entry: Entry, step: Step | None = None) -> tuple[Table, tuple[Event, ...]]:
        """The table after the next entry, and the events of an action. This one stays as it is:
        nobody may see an entry before it is on disk, and a reader may hold on to this table meanwhile.
        """
        twin = object.__new__(Table)
        twin.__dict__.update(self.__dict__)
        if self.clocks is not None and self.clocks.terms.kind != "none":  # a clock that never runs is shared
            twin.clocks = self.clocks.copy()
        if entry.kind != "action":  # an action replaces what it changes; the other folds work in place
            twin.seats = [seat.copy() for seat in self.seats]
            twin.consents = {to: set(seats) for to, seats in self.consents.items()}
            twin.votes = {about: dict(votes) for about, votes in self.votes.items()}
            twin.steps = self.steps[:]
        return twin, twin.fold(entry, step)

    def fold(self, entry: Entry, step: Step | None = None) -> tuple[Event, ...]:
        """Put the next entry in place; the events of an action. For a table nobody else holds."""
        if entry.seq != self.seq + 1:
            raise ValueError(f"entry {entry.seq} does not follow {self.seq} in game {self.id}")
        self.seq = entry.seq
        self.at = entry.at
        if entry.kind == "action":
            return self._fold_action(entry, step)
        FOLDS[entry.kind](self, entry)
        return ()

    def _fold_action(self, entry: Entry, step: Step | None) -> tuple[Event, ...]:
        before = self.position
        assert before is not None
        seat = entry.seat
        if step is None:
            step = self.try_action(seat, self.rules.action_from_json(entry.body["action"]))
        self.move_to(step.position, entry)
        own_turn = before.turn_seat == seat
        if not own_turn or step.position.turn_seat != seat or step.position.winner is not None:
            self.steps, self.is_sealed = [], False
        elif entry.by == "person" and not self.is_sealed and self.rules.is_undoable(step.events):
            self.steps = [*self.steps, before]
        else:
            self.steps, self.is_sealed = [], True
        if entry.by == "person" and self.seats[seat].absent:
            self.seats = [each.copy() for each in self.seats]
            self.seats[seat].absent = False
            self.votes = {about: votes for about, votes in self.votes.items() if about != seat}
        if step.position.winner is not None:
            reason = "resigned" if entry.body["action"]["type"] == "resign" else "goal"
            self.end("finished", entry, step.position.winner, reason)
        return step.events

    def move_to(self, position: Position, entry: Entry) -> None:
        self.position = position
        self.moved = entry.seq
        self.to_act = self.rules.seats_to_act(position)
        self.acts_since = entry.at
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

    def end(self, status: str, entry: Entry, winner: int | None, reason: str) -> None:
        self.status = status
        self.to_act = ()
        self.ended_at = entry.at
        self.is_paused = False
        self.consents, self.votes, self.steps = {}, {}, []
        places = self.rules.places(self.position) if winner is not None else None
        self.result = {"winner": winner, "places": places, "reason": reason}
        self.run_clocks(entry.at)

    def is_resigned(self, seat: int) -> bool:
        return self.position is not None and self.position.resigned[seat]

    def next_host(self) -> None:
        """The host has gone: the role moves to the first person who sits."""
        self.host = next((seat.person for seat in self.seats if seat.person is not None), self.host)

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
