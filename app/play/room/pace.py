"""How fast a room's bots are: what the person who may say so has said, else what the table was created with.

Alone among bots it is the person; with several people it is the host. It is a wish about time and no part of the
game: it is in no log, every browser says it anew when it connects, and a room that has heard nothing goes by the
table's own pace. So it is never needed for a bot's turn to come, only for when.
"""

from __future__ import annotations

from typing import Any

from app.play.log.table import Table
from app.play.refusals import Refusal

# Milliseconds. None is 0: at a table without any pace bots answer as soon as they can, and where hands are hidden
# that would tell how long they thought (schedule/bot_turns.py).
SLOW = 1600
NORMAL = 800
FAST = 250
SKIPPING = 50
_SAID = {"slow": SLOW, "fast": FAST}


class Paces:
    """What people of one room have said, in any worker."""

    __slots__ = ("_said", "skipping")

    def __init__(self) -> None:
        self._said: dict[str, tuple[int, str]] = {}  # person → when, what; only of those who sit and of hosts
        self.skipping: set[str] = set()  # until they are to act

    def of(self, table: Table) -> int:
        """Milliseconds at least between what happened last and a bot's move."""
        if not self._said and not self.skipping:
            return table.terms.pace
        person, is_alone = _setter(table)
        if is_alone and person in self.skipping:
            return SKIPPING
        _, said = self._said.get(person, (0, ""))
        if said == "normal":
            return table.terms.pace or NORMAL
        return _SAID.get(said, table.terms.pace)

    def say(self, table: Table, ids: tuple[str, ...], pace: str, now: int) -> None:
        """Raises Refusal; kept also for somebody who may only later be alone, or the host."""
        seat = table.seat_of(ids)
        person = table.seats[seat].person if seat is not None else None
        if person is None:
            if table.host not in ids:
                raise Refusal("not_seated")
            person = table.host
        if pace != "skip":
            self._said[person] = (now, pace)
        elif seat is not None and seat not in table.to_act:
            self.skipping.add(person)

    def moved(self, table: Table) -> None:
        """Whoever is to act has arrived where they skipped to."""
        self.skipping -= {table.seats[seat].person or "" for seat in table.to_act}

    # -- other workers -----------------------------------------------------------------------------

    def as_news(self, here: dict[str, int]) -> dict[str, Any]:
        """What those who are in this worker have said."""
        return {
            "said": {person: list(said) for person, said in self._said.items() if person in here},
            "skipping": [person for person in self.skipping if person in here],
        }

    def heard(self, body: dict[str, Any]) -> None:
        """The same of another worker; one of the release before says nothing."""
        for person, (at, pace) in body.get("said", {}).items():
            if at > self._said.get(person, (0, ""))[0]:
                self._said[person] = (at, pace)
        self.skipping |= set(body.get("skipping", ()))


def _setter(table: Table) -> tuple[str, bool]:
    """Whose word counts: the one person in the game, else the host; and whether it is the former."""
    people = table.people()
    if len(people) == 1:
        return table.seats[people[0]].person or "", True
    return table.host, False


def is_turn_spent(table: Table) -> bool:
    """Whether all that is left of this turn is its end, as everybody knows: its actions are taken, nothing is owed.

    An `end` before that is a choice, or tells that a hidden hand allows nothing else.
    """
    position = table.position
    return position is not None and position.pending is None and position.taken >= table.options.actions
