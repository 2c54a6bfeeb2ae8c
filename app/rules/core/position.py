"""Positions: the full state of a game, in flat containers that copy in about a microsecond.

Cards are kind numbers (`ruleset.kinds`), places are numbers along the route (`ruleset.route`). The Ruleset, which
holds everything constant about a table, is in this file because its functions take positions.
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
    """The state of one game.

    `copy` is shallow: the containers inside `pirates` and `hands`, and `occupancy` and `tokens`, are shared between
    copies. Replace them; never modify them in place.
    """

    ruleset: Ruleset
    seed: str
    pirates: list[list[int]]
    """Places of each seat's pirates, in ascending order."""
    occupancy: bytearray
    """Number of pirates at each place."""
    hands: list[bytearray]
    """For each seat, the number of cards held of each kind. A search leaves cards of unknown kind out."""
    hand_sizes: list[int]
    """Number of cards each seat holds, including cards of unknown kind."""
    deck: bytes
    """Kinds from bottom to top."""
    row: bytes
    """Kinds from left to right."""
    discard: bytes
    """Kinds from oldest to newest."""
    shuffles: int
    """Reshuffles of the deck since set-up."""
    sloop: str | None
    """CARTAGENA or TORTUGA; None if no sloop sails."""
    tokens: dict[int, str]
    """Face-down token at each place that has one."""
    tokens_aside: tuple[str, ...]
    """Unseen tokens that did not fit on the route."""
    token_shuffles: int
    """Reshuffles of the tokens since set-up."""
    resigned: tuple[bool, ...]
    turn_seat: int
    """The seat whose turn it is."""
    actions_taken: int
    """Actions taken in this turn."""
    captain_used: bool
    """Whether the captain's free sail has been used in this turn."""
    forced_passes: int
    """Turns in a row that ended because the seat had no legal action."""
    pending: Pending | None
    winner: int | None

    __slots__ = tuple(__annotations__)

    def copy(self) -> Position:
        """Return a shallow copy."""
        twin = _new(Position)
        twin.ruleset = self.ruleset
        twin.seed = self.seed
        twin.pirates = self.pirates[:]
        twin.occupancy = self.occupancy
        twin.hands = self.hands[:]
        twin.hand_sizes = self.hand_sizes[:]
        twin.deck = self.deck
        twin.row = self.row
        twin.discard = self.discard
        twin.shuffles = self.shuffles
        twin.sloop = self.sloop
        twin.tokens = self.tokens
        twin.tokens_aside = self.tokens_aside
        twin.token_shuffles = self.token_shuffles
        twin.resigned = self.resigned
        twin.turn_seat = self.turn_seat
        twin.actions_taken = self.actions_taken
        twin.captain_used = self.captain_used
        twin.forced_passes = self.forced_passes
        twin.pending = self.pending
        twin.winner = self.winner
        return twin

    def _comparison_key(self) -> tuple[object, ...]:
        return (
            self.ruleset.options,
            self.ruleset.route.symbols,
            *(getattr(self, name) for name in self.__slots__ if name != "ruleset"),
        )

    def __eq__(self, other: object) -> bool:
        return (
            self._comparison_key() == other._comparison_key()
            if isinstance(other, Position)
            else NotImplemented
        )

    __hash__ = None  # type: ignore[assignment]

    @property
    def options(self) -> Options:
        return self.ruleset.options

    @property
    def active_seats(self) -> list[int]:
        """Return the seats that have not resigned."""
        return [seat for seat, is_out in enumerate(self.resigned) if not is_out]

    def hand_kinds(self, seat: int) -> list[int]:
        """Return the kind of each card in a hand, in ascending order, which is also text order."""
        return [kind for kind, count in enumerate(self.hands[seat]) for _ in range(count)]

    def hand_names(self, seat: int) -> tuple[str, ...]:
        """Return the name of each card in a hand, in text order."""
        names = self.ruleset.kinds.names
        return tuple(names[kind] for kind in self.hand_kinds(seat))


_new = object.__new__


Events = list[Event] | None
"""List to which events are appended, or None in a search, which needs no events."""

Offer = Callable[[Position, int, list[Action]], None]
"""offer(position, seat, out): append legal actions of the seat to `out`."""

ChoiceWriter = Callable[[Position, int, bool, list[bytes]], None]
"""write(position, seat, is_undo_closed, out): append to `out` the JSON choices of the actions that the matching Offer
would append. With `is_undo_closed` all choices are final."""

Resolver = Callable[[Position, int, Any, Events], bool]
"""resolve(position, seat, action, events): apply a legal action in place. Return whether this finishes an action
played with a dark card."""

Preview = Callable[[Position, int, Any, bytearray], Json]
"""preview(position, seat, action, company): return what the seat can foresee of an action: `to`, `draws`, `final`."""

IllegalExplainer = Callable[[Position, int, Any], Illegal]
"""explain(position, seat, action): return the error that says why the action is illegal."""

Reaction = Callable[[Position, int, Events], None]
"""react(position, seat, events): apply the consequences after the seat has played a dark card."""

SetUp = Callable[[Position], None]
"""set_up(position): put the module's state on the table of a new game."""


class Pending(ABC):
    """A choice that one or more seats have to make before the game goes on."""

    __slots__ = ()
    kind: ClassVar[str]
    json_fields: ClassVar[frozenset[str]]

    @property
    @abstractmethod
    def seats(self) -> tuple[int, ...]:
        """Return the seats that still have to choose."""

    @property
    def choice_cards(self) -> tuple[int, ...]:
        """Return the kinds of the cards laid out for the chooser, which are in no hand."""
        return ()

    def reveals_hand(self, viewer: int | None, owner: int) -> bool:
        """Return whether this choice shows the owner's hand to the viewer."""
        return False

    @abstractmethod
    def answers(self, position: Position, seat: int) -> list[Action]:
        """Return the legal answers of a seat."""

    def match_unlisted(self, position: Position, seat: int, action: Action) -> Action | None:
        """Return the action if it is a legal answer that a placeholder stands for. Raise Illegal if it is a bad one."""
        return None

    @abstractmethod
    def lowest_answer(self, position: Position, seat: int) -> Action | None:
        """Return the answer with the lowest cards, or None if a search does not know the cards."""

    def settle_on_resign(self, position: Position, seat: int, events: Events) -> bool:
        """Give the lowest answer for a seat that resigns. Return the same as a Resolver."""
        if seat not in self.seats:
            return False
        answer = self.lowest_answer(position, seat)
        assert answer is not None
        return position.ruleset.resolvers[type(answer)](position, seat, answer, events)

    @abstractmethod
    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        """Return the JSON for a viewer, with nothing hidden if `is_full`. `names` are the names of the card kinds."""

    @classmethod
    @abstractmethod
    def from_json(cls, value: Json, position: Position) -> Pending:
        """Parse the pending choice of a position. Raise BadPosition if it is malformed or does not fit the position."""


@dataclass(frozen=True, slots=True)
class ModuleState:
    """JSON conversion of the state that a module adds to positions."""

    to_json: Callable[[Position, bool], Json]
    """to_json(position, is_full): return the JSON fields, with nothing hidden if `is_full`."""
    from_json: Callable[[Position, Json], None]
    """from_json(position, fields): check the JSON fields and set the state of the position."""
    json_fields: tuple[str, ...]
    hidden_fields: tuple[str, ...]
    """JSON fields that stay hidden until the game is won."""


@dataclass(frozen=True, slots=True)
class Ruleset:
    """Everything about a table that stays constant during a game."""

    options: Options
    route: Route
    kinds: CardKinds
    has_sloop: bool
    has_row: bool
    actions: int
    min_actions: int
    offers: tuple[Offer, ...]
    choice_writers: tuple[tuple[Offer, ChoiceWriter | None], ...]
    """Each offer with the function that writes its choices directly, without building the actions, if there is one."""
    resolvers: dict[type[Action], Resolver]
    previews: dict[type[Action], Preview]
    illegal_explainers: dict[type[Action], IllegalExplainer]
    reactions: tuple[Reaction, ...]
    set_ups: tuple[SetUp, ...]
    states: tuple[ModuleState, ...]
    """States of all modules, active or not."""
    cache: ActionCache
