"""Choices about cards dealt from the deck, shared by the rum and the lantern."""

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
from app.rules.modules.black_magic.power import PendingPower, check_pending_power


@dataclass(frozen=True, slots=True)
class PendingCardChoice(PendingPower):
    """Cards are laid out for a seat, which decides where each of them goes."""

    json_fields = frozenset(("kind", "seat", "cards", "dark"))
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
    """Cards were dealt for a share or a stack. Only the chooser sees them, even with open hands."""

    type = "choice_dealt"
    is_final = True
    is_secret = True
    seat: int
    cards: tuple[str, ...]

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return (self.seat,)

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        return {
            "type": "choice_dealt",
            "seat": self.seat,
            "cards": list(self.cards) if viewer == self.seat else None,
            "count": len(self.cards),
        }

    def to_full_json(self) -> Json:
        return self.to_json_for(self.seat, True)

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        view["deck"] -= event["count"]
        pending = view["pending"]
        if event["cards"] is None:
            pending["count"] += event["count"]
        else:
            pending["cards"] = sorted(pending["cards"] + event["cards"])


@dataclass(slots=True)
class ChoiceCardPlayed(Event):
    """A card was played that requires a choice. The following events deal the cards to choose from."""

    json_fields = ("seat", "card")
    played_card_fields = ("card",)
    is_final = True
    pending_kind: ClassVar[str]
    """Kind of the pending choice."""
    seat: int
    card: str

    @classmethod
    def fold(cls, view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], event["card"])
        seen: Json = {"cards": []} if viewer == event["seat"] else {"cards": None, "count": 0}
        view["pending"] = {
            "kind": cls.pending_kind,
            "seat": event["seat"],
            **seen,
            "dark": is_dark(event["card"]),
        }


def deal_choice(position: Position, seat: int, count: int, events: Events) -> tuple[int, ...]:
    """Deal cards from the top of the deck, as far as they last, and return them in text order."""
    dealt: list[int] = []
    recorded = 0
    for _ in range(count):
        if not position.deck:
            if not position.discard:
                break
            _record_dealt(position, seat, dealt[recorded:], events)
            recorded = len(dealt)
            reshuffle(position, events)
        dealt.append(position.deck[-1])
        position.deck = position.deck[:-1]
    _record_dealt(position, seat, dealt[recorded:], events)
    return tuple(sorted(dealt))


def _record_dealt(position: Position, seat: int, cards: list[int], events: Events) -> None:
    if events is not None and cards:
        events.append(ChoiceDealt(seat, card_names(position, cards)))


def card_names(position: Position, cards: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the kinds."""
    names = position.ruleset.kinds.names
    return tuple(names[card] for card in cards)


def arrangements(cards: tuple[int, ...], count: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield each distinct ordered selection of `count` of the sorted cards, with the sorted remaining cards."""
    if count == 0:
        yield (), cards
        return
    for index, card in enumerate(cards):
        if index and cards[index - 1] == card:
            continue
        for tail, rest in arrangements(cards[:index] + cards[index + 1 :], count - 1):
            yield (card, *tail), rest


def parse_choice_cards(value: Json, position: Position, low: int, high: int) -> tuple[int, ...]:
    """Parse the cards of a pending choice. Raise BadPosition if they are malformed or not `low` to `high` in number."""
    check_pending_power(value, position)
    cards = value["cards"]
    numbers = position.ruleset.kinds.by_name
    if not isinstance(cards, list) or not all(isinstance(card, str) and card in numbers for card in cards):
        raise BadPosition("Pending cards must be a list of cards of this game.")
    if cards != sorted(cards):
        raise BadPosition("Pending cards must be sorted as text.")
    if not low <= len(cards) <= high:
        raise BadPosition(f"The pending {value['kind']} must have {low} to {high} cards here.")
    return tuple(numbers[card] for card in cards)
