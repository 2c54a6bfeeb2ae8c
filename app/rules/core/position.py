"""A position: who stands where with which cards, in flat containers that copy in a microsecond.

Cards are kinds (`ruleset.kinds`), places are numbers along the route (`ruleset.route`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.rules.core.pending import Pending
from app.rules.options import Options

if TYPE_CHECKING:
    from app.rules.core.ruleset import Ruleset

__all__ = ["CARTAGENA", "TORTUGA", "Position"]

CARTAGENA = "cartagena"
TORTUGA = "tortuga"


class Position:
    """Everything on the table. `apply` never changes one; only a fresh copy is moved on."""

    __slots__ = (
        "captain_used",
        "chest_shuffles",
        "chests",
        "chests_aside",
        "crowd",
        "deck",
        "discard",
        "forced_passes",
        "hands",
        "held",
        "pending",
        "pirates",
        "resigned",
        "row",
        "ruleset",
        "seat",
        "seed",
        "shuffles",
        "sloop",
        "taken",
        "winner",
    )

    ruleset: Ruleset
    seed: str
    pirates: list[list[int]]
    """Of each seat, the places of its pirates in ascending order. A seat's list is replaced, never changed in place:
    copies share it."""
    crowd: bytearray
    """Of each place, how many pirates stand there."""
    hands: list[bytearray]
    """Of each seat, how many cards of each kind it holds. A hand is replaced like a list of pirates."""
    held: list[int]
    """Of each seat, how many cards it holds."""
    deck: bytearray
    """The top card is the last one."""
    row: bytearray
    """The leftmost card is the first one."""
    discard: bytearray
    """The oldest card is the first one."""
    shuffles: int
    sloop: str | None
    chests: dict[int, str]
    """Place → face-down token. Replaced, never changed in place: copies share it."""
    chests_aside: tuple[str, ...]
    chest_shuffles: int
    resigned: tuple[bool, ...]
    seat: int
    taken: int
    captain_used: bool
    forced_passes: int
    pending: Pending | None
    winner: int | None

    def copy(self) -> Position:
        twin = _new(Position)
        twin.ruleset = self.ruleset
        twin.seed = self.seed
        twin.pirates = self.pirates[:]
        twin.crowd = self.crowd[:]
        twin.hands = self.hands[:]
        twin.held = self.held[:]
        twin.deck = self.deck[:]
        twin.row = self.row[:]
        twin.discard = self.discard[:]
        twin.shuffles = self.shuffles
        twin.sloop = self.sloop
        twin.chests = self.chests
        twin.chests_aside = self.chests_aside
        twin.chest_shuffles = self.chest_shuffles
        twin.resigned = self.resigned
        twin.seat = self.seat
        twin.taken = self.taken
        twin.captain_used = self.captain_used
        twin.forced_passes = self.forced_passes
        twin.pending = self.pending
        twin.winner = self.winner
        return twin

    def search_key(self) -> tuple[object, ...]:
        """Equal for positions that play on alike: the order of the discards and `taken` stand aside."""
        return (
            b"".join([*map(bytes, self.pirates), *self.hands, self.row, self.deck]),
            self.seat,
            self.sloop,
            self.captain_used,
            self.pending,
            self.winner,
            self.shuffles,
            self.chest_shuffles,
            len(self.chests),
        )

    def _key(self) -> tuple[object, ...]:
        return (
            self.ruleset.options,
            self.ruleset.route.symbols,
            *(getattr(self, name) for name in self.__slots__ if name != "ruleset"),
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Position) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @property
    def options(self) -> Options:
        return self.ruleset.options

    @property
    def turn_seat(self) -> int:
        return self.seat

    @property
    def seats_in(self) -> list[int]:
        """The seats that have not resigned."""
        return [seat for seat, is_out in enumerate(self.resigned) if not is_out]

    def hand_cards(self, seat: int) -> list[int]:
        """The kinds in a hand, one a card, ascending: that is their text order."""
        return [kind for kind, count in enumerate(self.hands[seat]) for _ in range(count)]

    def hand_names(self, seat: int) -> tuple[str, ...]:
        names = self.ruleset.kinds.names
        return tuple(names[kind] for kind in self.hand_cards(seat))


_new = object.__new__
