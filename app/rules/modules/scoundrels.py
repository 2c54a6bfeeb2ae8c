"""Scoundrels: a dark card played makes every other seat discard down to seven cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import BadPosition, Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARDS
from app.rules.core.movement import discard_card
from app.rules.core.position import Events, Pending, Position
from app.rules.core.ruleset import Module, Rule
from app.rules.core.view_patch import lose_cards

HAND_LIMIT = 7


class Why(Reason):
    """Why a discard is refused."""

    discard_count = "Exactly {n} of your cards must be discarded."
    discard_not_held = "You do not hold {card} that often."


@dataclass(frozen=True, slots=True)
class Discard(Action):
    type = "discard"
    form = (("cards", CARDS),)
    text = "discard {cards}"
    is_answer = True
    cards: tuple[str, ...]

    def canonical(self) -> Action:
        return Discard(tuple(sorted(self.cards)))

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        if len(words) == 2 and words[1].isascii() and words[1].isdigit():
            return OwedDiscard(int(words[1]))
        return super(Discard, cls).from_words(words)


@dataclass(frozen=True, slots=True)
class OwedDiscard(Action):
    """How an owed discard stands in a legal list: any choice of that many cards will do."""

    type = "discard"
    is_answer = True
    is_only_listed = True
    count: int

    def to_json(self) -> Json:
        return {"type": "discard", "count": self.count}

    def to_text(self) -> str:
        return f"discard {self.count}"


@dataclass(frozen=True, slots=True)
class OwedDiscards(Pending):
    """A dark card was played: these seats must discard so many cards, in any order of seats."""

    kind = "discard"
    fields = frozenset(("kind", "owed"))
    owed: tuple[tuple[int, int], ...]

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(seat for seat, _ in self.owed)

    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        return {"kind": "discard", "owed": {str(seat): count for seat, count in self.owed}}

    @classmethod
    def from_json(cls, value: Json, position: Position) -> OwedDiscards:
        if not position.options.scoundrels:
            raise BadPosition("Discards are owed only where scoundrels play.")
        owed = value["owed"]
        seats = {str(seat): seat for seat in position.seats_in}
        if not isinstance(owed, dict) or not owed or not owed.keys() <= seats.keys():
            raise BadPosition("Owed discards are an object from the seats still in that owe to a count.")
        for name, count in owed.items():
            if type(count) is not int or count < 1 or position.held[seats[name]] != HAND_LIMIT + count:
                raise BadPosition(f"Player {name} owes exactly the cards that it holds beyond {HAND_LIMIT}.")
        return cls(tuple((seat, owed[name]) for name, seat in seats.items() if name in owed))

    def count(self, seat: int) -> int:
        return dict(self.owed).get(seat, 0)

    def answers(self, position: Position, seat: int) -> list[Action]:
        return [OwedDiscard(self.count(seat))] if self.count(seat) else []

    def unlisted(self, position: Position, seat: int, action: Action) -> Action | None:
        if not isinstance(action, Discard):
            return None
        if len(action.cards) != self.count(seat):
            raise Illegal(Why.discard_count, n=self.count(seat))
        hand = list(position.hand_names(seat))
        for card in action.cards:
            if card not in hand:
                raise Illegal(Why.discard_not_held, card=card)
            hand.remove(card)
        return action

    def lowest(self, position: Position, seat: int) -> Discard:
        return Discard(position.hand_names(seat)[: self.count(seat)])


@dataclass(slots=True)
class DiscardOwed(Event):
    type = "discard_owed"
    owed: tuple[tuple[int, int], ...]

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {"type": "discard_owed", "owed": {str(seat): count for seat, count in self.owed}}

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["pending"] = {"kind": "discard", "owed": dict(event["owed"])}


@dataclass(slots=True)
class CardsDiscarded(Event):
    type = "cards_discarded"
    form = ("seat", "cards")
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


def _others_owe_discards(position: Position, seat: int, events: Events) -> None:
    owed = tuple(
        (other, held - HAND_LIMIT)
        for other, held in enumerate(position.held)
        if other != seat and held > HAND_LIMIT and not position.resigned[other]
    )
    if owed:
        position.pending = OwedDiscards(owed)
        if events is not None:
            events.append(DiscardOwed(owed))


def _discard(position: Position, seat: int, action: Discard, events: Events) -> bool:
    assert isinstance(position.pending, OwedDiscards)
    cards = tuple(sorted(action.cards))
    numbers = position.ruleset.kinds.numbers
    for card in cards:
        discard_card(position, seat, numbers[card])
    left = tuple(debt for debt in position.pending.owed if debt[0] != seat)
    position.pending = OwedDiscards(left) if left else None
    if events is not None:
        events.append(CardsDiscarded(seat, cards))
    return False


SCOUNDRELS = Module(
    name="scoundrels",
    is_on=lambda options: options.scoundrels,
    actions={Discard: Rule(_discard)},
    debts=(OwedDiscards,),
    events=(DiscardOwed, CardsDiscarded),
    reactions=(_others_owe_discards,),
    dark_copies=2,
)
