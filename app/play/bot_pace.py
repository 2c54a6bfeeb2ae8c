"""The pace of a room's bots: chosen by the only human player or the host, by default that of the table's terms.

The pace affects only when bots move, so it is not logged. Clients send it again whenever they connect, and a room
without a choice uses the table's own pace.
"""

from __future__ import annotations

from typing import Any

from app.play.log.table import Table
from app.play.refusals import Refusal

# No pace is 0: bots at a table without a pace answer at once, and with hidden hands that would show how long they
# thought (`_wait_for_interval` in sweep/bot_turns.py).
SLOW_MS = 1600
NORMAL_MS = 800
FAST_MS = 250
SKIPPING_MS = 50
_PACE_MS = {"slow": SLOW_MS, "fast": FAST_MS}


class PaceSettings:
    """The choices of a room's people, in all workers."""

    __slots__ = ("_choices", "skipping")

    def __init__(self) -> None:
        self._choices: dict[str, tuple[int, str]] = {}  # player or host → time, pace
        self.skipping: set[str] = set()  # people who skip to their next turn

    def delay_ms(self, table: Table) -> int:
        """Return the minimum delay between the last action and a bot's move."""
        if not self._choices and not self.skipping:
            return table.terms.pace
        person, is_alone = _find_pace_setter(table)
        if is_alone and person in self.skipping:
            return SKIPPING_MS
        _, pace = self._choices.get(person, (0, ""))
        if pace == "normal":
            return table.terms.pace or NORMAL_MS
        return _PACE_MS.get(pace, table.terms.pace)

    def choose(self, table: Table, ids: tuple[str, ...], pace: str, now: int) -> None:
        """Record a person's choice, also if it takes effect only once they are the only player or the host.

        Raises Refusal.
        """
        seat = table.seat_of(ids)
        person = table.seats[seat].person if seat is not None else None
        if person is None:
            if table.host not in ids:
                raise Refusal("not_seated")
            person = table.host
        if pace != "skip":
            self._choices[person] = (now, pace)
        elif seat is not None and seat not in table.to_act:
            self.skipping.add(person)

    def end_skips(self, table: Table) -> None:
        """End the skipping of players who are to act now."""
        self.skipping -= {table.seats[seat].person or "" for seat in table.to_act}

    # -- other workers -----------------------------------------------------------------------------

    def to_news(self, here: dict[str, int]) -> dict[str, Any]:
        """Return the choices of the people connected to this worker."""
        return {
            "said": {person: list(choice) for person, choice in self._choices.items() if person in here},
            "skipping": [person for person in self.skipping if person in here],
        }

    def merge_news(self, body: dict[str, Any]) -> None:
        """Merge the pace settings that another worker has published."""
        for person, (at, pace) in body["said"].items():
            if at > self._choices.get(person, (0, ""))[0]:
                self._choices[person] = (at, pace)
        self.skipping |= set(body["skipping"])


def _find_pace_setter(table: Table) -> tuple[str, bool]:
    """Return the person who sets the pace, and whether that is the only human player; otherwise it is the host."""
    people = table.list_human_seats()
    if len(people) == 1:
        return table.seats[people[0]].person or "", True
    return table.host, False


def is_turn_spent(table: Table) -> bool:
    """Return whether only the end of this turn is left: all its actions are taken and no choice is pending.

    This is public. An earlier `end` is a choice, or shows that a hidden hand allows nothing else.
    """
    position = table.position
    return (
        position is not None and position.pending is None and position.actions_taken >= table.options.actions
    )
