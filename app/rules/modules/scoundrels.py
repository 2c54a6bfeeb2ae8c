"""Scoundrels: when a seat plays a dark card, all other seats discard down to seven cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import BadPosition, Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARDS_FIELD
from app.rules.core.movement import discard_card
from app.rules.core.position import Events, Pending, Position
from app.rules.core.ruleset import Module, Rule
from app.rules.core.view_patch import lose_cards

HAND_LIMIT = 7


class IllegalDiscardReason(Reason):
    """Reasons why a discard is refused."""

    discard_count = "You must discard exactly this many cards: {n}."
    discard_not_held = "You do not have that many of this card: {card}."


@dataclass(frozen=True, slots=True)
class Discard(Action):
    """Discard cards down to the hand limit."""

    type = "discard"
    json_fields = (("cards", CARDS_FIELD),)
    notation = "discard {cards}"
    is_answer = True
    cards: tuple[str, ...]

    def canonical(self) -> Action:
        return Discard(tuple(sorted(self.cards)))

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        if len(words) == 2 and words[1].isascii() and words[1].isdigit():
            return DiscardPlaceholder(int(words[1]))
        return super(Discard, cls).from_words(words)


@dataclass(frozen=True, slots=True)
class DiscardPlaceholder(Action):
    """Placeholder in a legal list for every Discard of `count` cards."""

    type = "discard"
    is_answer = True
    is_placeholder = True
    count: int

    def to_json(self) -> Json:
        return {"type": "discard", "count": self.count}

    def to_text(self) -> str:
        return f"discard {self.count}"


@dataclass(frozen=True, slots=True)
class PendingDiscards(Pending):
    """Discards required after a dark card; the seats discard in any order."""

    kind = "discard"
    json_fields = frozenset(("kind", "owed"))
    owed: tuple[tuple[int, int], ...]
    """(seat, number of cards) of each seat that has not discarded yet."""

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(seat for seat, _ in self.owed)

    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        return {"kind": "discard", "owed": {str(seat): count for seat, count in self.owed}}

    @classmethod
    def from_json(cls, value: Json, position: Position) -> PendingDiscards:
        if not position.options.scoundrels:
            raise BadPosition("Discards can be pending only with scoundrels.")
        owed = value["owed"]
        seats = {str(seat): seat for seat in position.active_seats}
        if not isinstance(owed, dict) or not owed or not owed.keys() <= seats.keys():
            raise BadPosition("owed must be an object from seats still in to numbers of cards.")
        for name, count in owed.items():
            if type(count) is not int or count < 1 or position.hand_sizes[seats[name]] != HAND_LIMIT + count:
                raise BadPosition(
                    f"Player {name} must owe exactly the number of cards held beyond {HAND_LIMIT}."
                )
        return cls(tuple((seat, owed[name]) for name, seat in seats.items() if name in owed))

    def count(self, seat: int) -> int:
        """Return the number of cards that the seat has to discard."""
        return dict(self.owed).get(seat, 0)

    def answers(self, position: Position, seat: int) -> list[Action]:
        return [DiscardPlaceholder(self.count(seat))] if self.count(seat) else []

    def match_unlisted(self, position: Position, seat: int, action: Action) -> Action | None:
        if not isinstance(action, Discard):
            return None
        if len(action.cards) != self.count(seat):
            raise Illegal(IllegalDiscardReason.discard_count, n=self.count(seat))
        hand = list(position.hand_names(seat))
        for card in action.cards:
            if card not in hand:
                raise Illegal(IllegalDiscardReason.discard_not_held, card=card)
            hand.remove(card)
        return action

    def lowest_answer(self, position: Position, seat: int) -> Discard:
        return Discard(position.hand_names(seat)[: self.count(seat)])


@dataclass(slots=True)
class DiscardOwed(Event):
    """A dark card requires other seats to discard."""

    type = "discard_owed"
    owed: tuple[tuple[int, int], ...]

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        return {"type": "discard_owed", "owed": {str(seat): count for seat, count in self.owed}}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["pending"] = {"kind": "discard", "owed": dict(event["owed"])}


@dataclass(slots=True)
class CardsDiscarded(Event):
    type = "cards_discarded"
    json_fields = ("seat", "cards")
    is_final = True
    seat: int
    cards: tuple[str, ...]

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        lose_cards(view, event["seat"], len(event["cards"]), event["cards"])
        view["discard"] += event["cards"]
        owed = view["pending"]["owed"]
        del owed[str(event["seat"])]
        if not owed:
            view["pending"] = None
        view["forced_passes"] = 0


def _require_discards(position: Position, seat: int, events: Events) -> None:
    owed = tuple(
        (other, held - HAND_LIMIT)
        for other, held in enumerate(position.hand_sizes)
        if other != seat and held > HAND_LIMIT and not position.resigned[other]
    )
    if owed:
        position.pending = PendingDiscards(owed)
        if events is not None:
            events.append(DiscardOwed(owed))


def _discard(position: Position, seat: int, action: Discard, events: Events) -> bool:
    assert isinstance(position.pending, PendingDiscards)
    cards = tuple(sorted(action.cards))
    numbers = position.ruleset.kinds.by_name
    for card in cards:
        discard_card(position, seat, numbers[card])
    remaining = tuple(entry for entry in position.pending.owed if entry[0] != seat)
    position.pending = PendingDiscards(remaining) if remaining else None
    if events is not None:
        events.append(CardsDiscarded(seat, cards))
    return False


SCOUNDRELS_MODULE = Module(
    name="scoundrels",
    is_active=lambda options: options.scoundrels,
    actions={Discard: Rule(_discard)},
    pending_types=(PendingDiscards,),
    events=(DiscardOwed, CardsDiscarded),
    reactions=(_require_discards,),
    dark_copies=2,
)
