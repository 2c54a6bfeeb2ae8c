"""When a room's row will have the sweeper come, as far as this worker knows: never earlier than the row says.

An entry may leave the row alone only if a sweep is sure to come in time *and* to see that entry. So:
- a sweep uses the row's time up. From its beginning until the next time is written down nothing is known,
  and every entry writes its own time, in its own transaction; the sweep's note then gives way to it;
- a sweep begins with the room's lock, so that an entry decided on what was known before is in place by then;
- where other workers sweep as well nothing is ever known: the row is asked in the entry's transaction.
"""

from __future__ import annotations

__all__ = ["Wakeup"]


class Wakeup:
    """Of one room in one worker."""

    __slots__ = ("_is_alone", "at", "sweeps")

    def __init__(self, *, is_alone: bool) -> None:
        self._is_alone = is_alone
        self.at: int | None = None
        self.sweeps = 0  # how many sweeps have begun

    def begin_sweep(self) -> int:
        """The row's time is being used up; the number of this sweep."""
        self.at = None
        self.sweeps += 1
        return self.sweeps

    def note(self, at: int | None, sweeps: int) -> None:
        """The row was written with this time, begun when so many sweeps had begun: a later one has used it up."""
        if self._is_alone and sweeps == self.sweeps:
            self.at = at

    def is_set_for(self, due: int) -> bool:
        """Whether the row is known to be no later."""
        return self.at is not None and self.at <= due
