"""Cards from the top of the deck that lie before a chooser: what several powers have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from app.rules.core import Json
from app.rules.core.cards import is_dark
from app.rules.core.errors import BadPosition
from app.rules.core.event import Event
from app.rules.core.position import Events, Position
from app.rules.core.supply import reshuffle
from app.rules.core.view_patch import play_cards
from app.rules.modules.black_magic.power import Owed, check_owed


@dataclass(frozen=True, slots=True)
class OwedChoice(Owed):
    """Cards lie before a seat, which has to say where each goes."""

    fields = frozenset(("kind", "seat", "cards", "dark"))
    seat: int
    cards: tuple[int, ...]
    dark: bool

    @property
    def choice_cards(self) -> tuple[int, ...]:
        return self.cards

    def to_json(self, names: Sequence[str], viewer: int | None, is_full: bool) -> Json:
        is_seen = is_full or self.seat == viewer
        cards: Json = (
            {"cards": [names[kind] for kind in self.cards]}
            if is_seen
            else {"cards": None, "count": len(self.cards)}
        )
        return {"kind": self.kind, "seat": self.seat, **cards, "dark": self.dark}


@dataclass(slots=True)
class ChoiceDealt(Event):
    """Cards from the deck that lie before the chooser of a share or a stack: hidden even with open hands."""

    type = "choice_dealt"
    is_final = True
    is_secret = True
    seat: int
    cards: tuple[str, ...]

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return (self.seat,)

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "choice_dealt",
            "seat": self.seat,
            "cards": list(self.cards) if viewer == self.seat else None,
            "count": len(self.cards),
        }

    def in_full(self) -> Json:
        return self.seen_by(self.seat, True)

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] -= event["count"]
        pending = view["pending"]
        if event["cards"] is None:
            pending["count"] += event["count"]
        else:
            pending["cards"] = sorted(pending["cards"] + event["cards"])


@dataclass(slots=True)
class ChoicePlayed(Event):
    """A card was played that leaves a choice owed; its cards are dealt by the next events."""

    form = ("seat", "card")
    played = ("card",)
    is_final = True
    leaves: ClassVar[str]
    """The kind of the choice."""
    seat: int
    card: str

    @classmethod
    def fold(cls, view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"])
        seen: Json = {"cards": []} if viewer == event["seat"] else {"cards": None, "count": 0}
        view["pending"] = {"kind": cls.leaves, "seat": event["seat"], **seen, "dark": is_dark(event["card"])}


def deal_choice(position: Position, seat: int, count: int, events: Events) -> tuple[int, ...]:
    """Cards from the top of the deck, in text order."""
    dealt: list[int] = []
    shown = 0
    for _ in range(count):
        if not position.deck:
            if not position.discard:
                break
            _add_dealt(position, seat, dealt[shown:], events)
            shown = len(dealt)
            reshuffle(position, events)
        dealt.append(position.deck[-1])
        position.deck = position.deck[:-1]
    _add_dealt(position, seat, dealt[shown:], events)
    return tuple(sorted(dealt))


def _add_dealt(position: Position, seat: int, cards: list[int], events: Events) -> None:
    if events is not None and cards:
        events.append(ChoiceDealt(seat, names_of(position, cards)))


def names_of(position: Position, cards: Sequence[int]) -> tuple[str, ...]:
    names = position.ruleset.kinds.names
    return tuple(names[card] for card in cards)


def arrangements(cards: tuple[int, ...], count: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every different way to lay `count` of the sorted cards out in order, each with the sorted rest."""
    if count == 0:
        yield (), cards
        return
    for index, card in enumerate(cards):
        if index and cards[index - 1] == card:
            continue
        for tail, rest in arrangements(cards[:index] + cards[index + 1 :], count - 1):
            yield (card, *tail), rest


def choice_cards(value: Json, position: Position, low: int, high: int) -> tuple[int, ...]:
    """The cards of an owed choice in a position from outside."""
    check_owed(value, position)
    cards = value["cards"]
    numbers = position.ruleset.kinds.numbers
    if not isinstance(cards, list) or not all(isinstance(card, str) and card in numbers for card in cards):
        raise BadPosition("Pending cards are a list of cards of this game.")
    if cards != sorted(cards):
        raise BadPosition("Pending cards must be sorted as text.")
    if not low <= len(cards) <= high:
        raise BadPosition(f"The pending {value['kind']} must have {low} to {high} cards here.")
    return tuple(numbers[card] for card in cards)
