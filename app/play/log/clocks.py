"""The clocks of a table: how much time each seat has left, folded from the times of the entries."""

from __future__ import annotations

from app.play.frames import Clock
from app.play.log.terms import ClockTerms

__all__ = ["Clocks"]


class Clocks:
    """Time left for each seat at `since`, and whose clocks have been running since then.

    Every seat that owes something runs its own clock. A seat that a bot plays runs none.
    """

    __slots__ = ("left", "running", "since", "terms", "turn")

    def __init__(self, terms: ClockTerms, players: int, at: int) -> None:
        self.terms = terms
        self.left = [terms.full] * players
        self.running: tuple[int, ...] = ()
        self.since = at
        self.turn = -1

    def copy(self) -> Clocks:
        twin = Clocks.__new__(Clocks)
        twin.terms, twin.left, twin.running, twin.since, twin.turn = (
            self.terms,
            self.left[:],
            self.running,
            self.since,
            self.turn,
        )
        return twin

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
