"""Clocks: how much time a seat has. One class for each kind, all under the contract of `Clocks`.

To add a kind, add a class and its entry in `CLOCK_CLASSES` here, and a line in static/js/core/clock_kinds.js.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec import Meta

from app.play.frames import ClockBlock
from app.play.log.seal_rounds import OPENING_TIMEOUT_MS
from app.play.refusals import Refusal

DAY_MS = 86_400_000


class ClockTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The clock that a table was created with, as it is sent and stored."""

    kind: Literal["none", "turn", "bank", "days"] = "none"
    seconds: Annotated[int, Meta(ge=0, le=86_400)] = 0
    increment: Annotated[int, Meta(ge=0, le=3_600)] = 0
    days: Annotated[int, Meta(ge=0, le=30)] = 0

    @property
    def clock_class(self) -> type[Clocks]:
        """The class that implements this kind."""
        return CLOCK_CLASSES[self.kind]

    @property
    def is_correspondence(self) -> bool:
        return CLOCK_CLASSES[self.kind].is_correspondence

    def start_clocks(self, seats: int, at: int) -> Clocks:
        """Return the clocks of a game that starts at `at`; none is running yet."""
        rules = self.clock_class
        return rules(self, [rules.initial_ms(self)] * seats, at)

    def to_json(self) -> dict[str, Any]:
        """Return only the fields that this kind has."""
        return {"kind": self.kind} | {
            field.name: getattr(self, field.name) for field in self.clock_class.fields
        }


class ClockField(NamedTuple):
    """A number of `ClockTerms` that a kind has, and its input in the form for a new table."""

    name: str
    label: str
    low: int
    high: int
    suggested: int
    unit: int = 1  # the value in `ClockTerms` of 1 in the form


class Clocks(msgspec.Struct):
    """Time left for each seat at `since`, and the seats whose clocks have been running since then.

    Every seat to act runs its own clock, except seats that a bot plays. This class is the contract of all kinds.
    Times are in milliseconds.
    """

    terms: ClockTerms
    left: list[int]
    since: int
    running: tuple[int, ...] = ()
    turn: int = -1

    label: ClassVar[str]
    sentence: ClassVar[str]
    fields: ClassVar[tuple[ClockField, ...]] = ()
    is_timed: ClassVar[bool] = True
    is_correspondence: ClassVar[bool] = False
    """Whether players are expected to be away: there are no absences, and players get notices of their turns."""
    is_for_quick_play: ClassVar[bool] = False
    """Whether quick play may choose such a table."""
    opening_timeout_ms: ClassVar[int] = OPENING_TIMEOUT_MS
    """How long seats have to open their seals."""

    @staticmethod
    def check_terms(terms: ClockTerms) -> None:
        """Raise Refusal `bad_options` if these terms are invalid for this kind."""

    @staticmethod
    def initial_ms(terms: ClockTerms) -> int:
        """Return the time that a seat starts with."""
        return 1000 * terms.seconds

    @classmethod
    def reminder_ms(cls, terms: ClockTerms) -> int:
        """Return how long before the deadline a seat is reminded in a correspondence game."""
        return min(DAY_MS, cls.initial_ms(terms) // 4)

    def copy(self) -> Clocks:
        return msgspec.structs.replace(self, left=self.left[:])

    def run(self, at: int, turn: int, running: tuple[int, ...]) -> None:
        """Run the clocks of these seats from `at` on; `turn` is the seat whose turn it is."""
        spent = max(0, at - self.since)
        for seat in self.running:
            self.left[seat] = max(0, self.left[seat] - spent)
        self.allot_time(turn, running)
        # A credit may end after `at`; a seat that moves before that keeps the rest of it.
        self.running, self.since, self.turn = running, max(at, self.since), turn

    def allot_time(self, turn: int, running: tuple[int, ...]) -> None:
        """Give time to seats whose clock starts or stops; called before `running` and `turn` change."""

    def refill(self, seat: int) -> None:
        """Give time to a seat that a person takes back from a bot."""

    def credit_time(self, began: int, ended: int) -> None:
        """Give back the time of an outage."""
        lost = max(0, ended - max(began, self.since))
        self.since += lost

    def deadline(self) -> int | None:
        """Return when the next clock expires, or None."""
        return min((self.since + self.left[seat] for seat in self.running), default=None)

    def list_expired(self, now: int, grace: int) -> tuple[int, ...]:
        """Return seats whose time has been over for `grace`; a seat that started with none gets no grace period."""
        return tuple(
            seat
            for seat in self.running
            if self.left[seat] == 0 or self.since + self.left[seat] + grace <= now
        )

    def is_late(self, seat: int, received: int) -> bool:
        """Return whether a command of this seat was received by the server after its time was over."""
        return seat in self.running and received > self.since + self.left[seat]

    def to_frame(self) -> ClockBlock | None:
        """Return the clocks as sent to clients."""
        return ClockBlock(left=list(self.left), running=list(self.running), at=self.since)


class NoClocks(Clocks):
    """No clock."""

    label = "No clock"
    sentence = "Everyone takes the time they need."
    is_timed = False
    is_for_quick_play = True

    def run(self, at: int, turn: int, running: tuple[int, ...]) -> None:
        """Do nothing."""

    def to_frame(self) -> ClockBlock | None:
        return None


class _ClocksByTurn(Clocks):
    """The same time for every turn, and for a choice that is pending in another seat's turn."""

    def allot_time(self, turn: int, running: tuple[int, ...]) -> None:
        full = self.initial_ms(self.terms)
        if turn != self.turn:
            self.left[turn] = full
        for seat in running:
            if seat not in self.running and seat != turn:
                self.left[seat] = full

    def refill(self, seat: int) -> None:
        self.left[seat] = self.initial_ms(self.terms)

    def to_frame(self) -> ClockBlock | None:
        """Return the clocks; seats that are not to act have the time of their next turn, not the rest of the last."""
        full = self.initial_ms(self.terms)
        acting = (*self.running, self.turn)
        left = [rest if seat in acting else full for seat, rest in enumerate(self.left)]
        return ClockBlock(left=left, running=list(self.running), at=self.since)


def _check_seconds(terms: ClockTerms) -> None:
    if terms.seconds < 5:
        raise Refusal("bad_options", "A clock needs at least 5 seconds.")


class TurnClocks(_ClocksByTurn):
    """A number of seconds per turn."""

    label = "Per turn"
    sentence = "Every turn has the same amount of time."
    fields = (ClockField("seconds", "Seconds per turn", 10, 3600, 90),)
    is_for_quick_play = True
    check_terms = staticmethod(_check_seconds)


class BankClocks(Clocks):
    """A bank of seconds for the game, with an increment after each turn."""

    label = "Time bank"
    sentence = "Everyone has a stock of time for the whole game, with a little added every turn."
    fields = (
        ClockField("seconds", "Minutes for the game", 1, 240, 15, unit=60),
        ClockField("increment", "Seconds added every turn", 0, 300, 10),
    )
    check_terms = staticmethod(_check_seconds)

    def allot_time(self, turn: int, running: tuple[int, ...]) -> None:
        if turn != self.turn and self.turn >= 0:
            self.left[self.turn] += 1000 * self.terms.increment


class DayClocks(_ClocksByTurn):
    """A number of days per turn: play by correspondence."""

    label = "Days per turn"
    sentence = "By correspondence: play when you find the time."
    fields = (ClockField("days", "Days per turn", 1, 14, 3),)
    is_correspondence = True
    opening_timeout_ms = 12 * 3_600_000  # long enough for a night

    @staticmethod
    def check_terms(terms: ClockTerms) -> None:
        if terms.days < 1:
            raise Refusal("bad_options", "A correspondence clock needs at least one day.")

    @staticmethod
    def initial_ms(terms: ClockTerms) -> int:
        return DAY_MS * terms.days


CLOCK_CLASSES: dict[str, type[Clocks]] = {
    "none": NoClocks,
    "turn": TurnClocks,
    "bank": BankClocks,
    "days": DayClocks,
}
