"""A seat at a table: its player, colour and state. People are ids here; names are looked up when shown."""

from __future__ import annotations

import msgspec

from app.play.frames import SeatBlock
from app.play.ports import NameLookup


class Seat(msgspec.Struct):
    """One seat. If `person` and `bot` are both set, a bot plays the person's seat for now."""

    person: str | None = None
    name: str | None = None  # of a bot only
    colour: str | None = None
    nonce: str | None = None  # once the game has begun
    seal: str | None = None
    bot: str | None = None
    ready: bool = False
    absent: bool = False
    reserved: str | None = None  # kept for this person (rematch)
    is_account: bool = False  # noted at rated tables only

    @property
    def is_taken(self) -> bool:
        return self.person is not None or self.bot is not None

    @property
    def is_free(self) -> bool:
        return not self.is_taken and self.reserved is None

    @property
    def is_human(self) -> bool:
        """Whether a person plays the seat at present."""
        return self.person is not None and self.bot is None

    def display_name(self, names: NameLookup) -> str | None:
        """Return the name of the player, or of the person for whom the seat is reserved."""
        person = self.person or self.reserved
        return self.name if person is None else names.get(person)

    def to_frame(self, names: NameLookup) -> SeatBlock:
        """Return the public state of the seat."""
        return SeatBlock(
            person=self.person,
            name=self.display_name(names),
            colour=self.colour,
            ready=self.ready,
            bot=self.bot,
            absent=self.absent,
            reserved=self.reserved,
        )
