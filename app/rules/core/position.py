"""A position: who stands where with which cards, in flat containers that copy in a microsecond.

Cards are kinds (`ruleset.kinds`), places are numbers along the route (`ruleset.route`). The ruleset stands in
this file too: it is everything about a table that does not change, and made of functions on positions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.action_cache import ActionCache
from app.rules.core.cards import CardKinds
from app.rules.core.errors import Illegal
from app.rules.core.event import Event
from app.rules.core.route import Route
from app.rules.options import Options

CARTAGENA = "cartagena"
TORTUGA = "tortuga"


class Position:
    """Everything on the table. `apply` never changes one; only a fresh copy is moved on."""

    ruleset: Ruleset
    seed: str
    pirates: list[list[int]]
    """Of each seat, the places of its pirates in ascending order. A seat's list is replaced, never changed in place:
    copies share it."""
    crowd: bytearray
    """Of each place, how many pirates stand there. Replaced, never changed in place: copies share it."""
    hands: list[bytearray]
    """Of each seat, how many cards of each kind it holds. A hand is replaced like a list of pirates."""
    held: list[int]
    """Of each seat, how many cards it holds."""
    deck: bytes
    """The top card is the last one."""
    row: bytes
    """The leftmost card is the first one."""
    discard: bytes
    """The oldest card is the first one."""
    shuffles: int
    sloop: str | None
    tokens: dict[int, str]
    """Place → face-down token. Replaced, never changed in place: copies share it."""
    tokens_aside: tuple[str, ...]
    token_shuffles: int
    resigned: tuple[bool, ...]
    seat: int
    taken: int
    captain_used: bool
    forced_passes: int
    pending: Pending | None
    winner: int | None

    __slots__ = tuple(__annotations__)

    def copy(self) -> Position:
        twin = _new(Position)
        twin.ruleset = self.ruleset
        twin.seed = self.seed
        twin.pirates = self.pirates[:]
        twin.crowd = self.crowd
        twin.hands = self.hands[:]
        twin.held = self.held[:]
        twin.deck = self.deck
        twin.row = self.row
        twin.discard = self.discard
        twin.shuffles = self.shuffles
        twin.sloop = self.sloop
        twin.tokens = self.tokens
        twin.tokens_aside = self.tokens_aside
        twin.token_shuffles = self.token_shuffles
        twin.resigned = self.resigned
        twin.seat = self.seat
        twin.taken = self.taken
        twin.captain_used = self.captain_used
        twin.forced_passes = self.forced_passes
        twin.pending = self.pending
        twin.winner = self.winner
        return twin

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


Events = list[Event] | None
"""Where events are collected; None on the path a search uses."""

Offer = Callable[[Position, int, list[Action]], None]
"""offer(position, seat, out): appends what the seat may do."""

Teller = Callable[[Position, int, bool, list[bytes]], None]
"""tell(position, seat, is_sealed, out): appends the choices of what an offer would append, as JSON; with
`is_sealed` all of them final."""

Resolver = Callable[[Position, int, Any, Events], bool]
"""resolve(position, seat, action, events): moves the position on in place; the action is known to be legal.
True when with it a dark card's action is wholly done."""

Choice = Callable[[Position, int, Any, bytearray], Json]
"""choice(position, seat, action, company): what it leads to, as far as the seat sees: `to`, `draws`, `final`."""

WhyNot = Callable[[Position, int, Any], Illegal]
"""why_not(position, seat, action): what is wrong with an action that is not legal here."""

Reaction = Callable[[Position, int, Events], None]
"""react(position, seat that played a dark card, events)."""

SetUp = Callable[[Position], None]


class Pending(ABC):
    """A choice that one or several seats owe before anything else may happen."""

    __slots__ = ()
    kind: ClassVar[str]
    fields: ClassVar[frozenset[str]]
    """Of its JSON."""

    @property
    @abstractmethod
    def seats(self) -> tuple[int, ...]:
        """Who may answer now."""

    @property
    def choice_cards(self) -> tuple[int, ...]:
        """The kinds of the cards that lie before the chooser, and so in no hand."""
        return ()

    def shows_hand(self, viewer: int | None, owner: int) -> bool:
        """Whether the viewer sees the owner's hand because of it."""
        return False

    @abstractmethod
    def answers(self, position: Position, seat: int) -> list[Action]:
        """What the seat may do while it stands."""

    def unlisted(self, position: Position, seat: int, action: Action) -> Action | None:
        """The action, if it is a right answer of those too many to be listed."""
        return None

    @abstractmethod
    def lowest(self, position: Position, seat: int) -> Action | None:
        """The answer with the lowest cards; None where a search knows none of them."""

    def settle(self, position: Position, seat: int, events: Events) -> bool:
        """The seat resigns: what it owes is answered with the lowest cards. True as from a Resolver."""
        if seat not in self.seats:
            return False
        lowest = self.lowest(position, seat)
        assert lowest is not None
        return position.ruleset.resolvers[type(lowest)](position, seat, lowest, events)

    @abstractmethod
    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        """As one audience sees it; `names` are those of the kinds of cards."""

    @classmethod
    @abstractmethod
    def from_json(cls, value: Json, position: Position) -> Pending:
        """Reads and checks it as a part of a position from outside."""


@dataclass(frozen=True, slots=True)
class State:
    """What a module keeps on the table besides pirates and cards, in JSON."""

    to_json: Callable[[Position, bool], Json]
    """to_json(position, whether nothing is hidden)"""
    from_json: Callable[[Position, Json], None]
    """from_json(position, fields): checks the fields and puts them on the table."""
    fields: tuple[str, ...]
    hidden: tuple[str, ...]
    """Those that are revealed when the game is won."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Everything about a table that does not change while a game runs."""

    options: Options
    route: Route
    kinds: CardKinds
    has_sloop: bool
    has_row: bool
    actions: int
    min_actions: int
    offers: tuple[Offer, ...]
    tellers: tuple[tuple[Offer, Teller | None], ...]
    """Each offer with its teller, if it has one: that writes the choices without making the list of actions."""
    resolvers: dict[type[Action], Resolver]
    choices: dict[type[Action], Choice]
    why_nots: dict[type[Action], WhyNot]
    reactions: tuple[Reaction, ...]
    set_ups: tuple[SetUp, ...]
    states: tuple[State, ...]
    """Of all modules, whether they play or not."""
    cache: ActionCache
