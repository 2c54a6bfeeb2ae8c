"""A seat at a table: who sits there, under which colour, whether a bot plays it. A person is an id and no name."""

from __future__ import annotations

import msgspec

from app.play.frames import TableSeat
from app.play.ports import NameBook


class Seat(msgspec.Struct):
    """One place at the table. `person` and `bot` both set: a person's seat that a bot plays for now."""

    person: str | None = None
    name: str | None = None  # a bot's; what a person is called is asked where it is shown
    colour: str | None = None
    nonce: str | None = None  # where seats are sealed: once the game has begun
    seal: str | None = None
    bot: str | None = None
    ready: bool = False
    absent: bool = False
    reserved: str | None = None  # kept for this person (rematch)

    @property
    def is_taken(self) -> bool:
        return self.person is not None or self.bot is not None

    @property
    def is_free(self) -> bool:
        return not self.is_taken and self.reserved is None

    @property
    def is_human(self) -> bool:
        """Whether a person plays it at present."""
        return self.person is not None and self.bot is None

    def name_in(self, names: NameBook) -> str | None:
        """What to call whoever sits here, or for whom it is kept."""
        person = self.person or self.reserved
        return self.name if person is None else names.of(person)

    def shown(self, names: NameBook) -> TableSeat:
        """What everybody may know of it."""
        return TableSeat(
            person=self.person,
            name=self.name_in(names),
            colour=self.colour,
            ready=self.ready,
            bot=self.bot,
            absent=self.absent,
            reserved=self.reserved,
        )
