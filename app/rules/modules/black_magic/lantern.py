"""The lantern: look at the top cards of the deck, keep one and put the others back in any order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal
from app.rules.core.event import Event
from app.rules.core.explain import Why
from app.rules.core.fields import CARD, CARDS
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.ruleset import Rule
from app.rules.core.supply import gain
from app.rules.core.view_patch import gain_cards
from app.rules.modules.black_magic.dealt_choice import (
    ChoicePlayed,
    OwedChoice,
    arrangements,
    choice_cards,
    deal_choice,
    names_of,
)
from app.rules.modules.black_magic.power import Power, close_choice, held_kinds, pay, wrong_card

CARDS_LIT = 4


@dataclass(frozen=True, slots=True)
class Lantern(Action):
    type = "lantern"
    form = (("card", CARD),)
    text = "{card}!"
    symbol = "lantern"
    played = ("card",)
    card: str


@dataclass(frozen=True, slots=True)
class Stack(Action):
    type = "stack"
    form = (("keep", CARD), ("back", CARDS))
    text = "stack {keep} back {back}"
    is_answer = True
    is_secret = True
    keep: str
    back: tuple[str, ...]
    """First listed on top."""

    def to_text(self) -> str:
        return super(Stack, self).to_text() if self.back else f"stack {self.keep}"

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        if len(words) == 2:
            return Stack(CARD.from_text(words[1]), ())
        return super(Stack, cls).from_words(words)


@dataclass(frozen=True, slots=True)
class OwedStack(OwedChoice):
    """A lantern was played: one of the drawn cards is to be kept, the others go back on top."""

    kind = "stack"

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        return [
            Stack(names_of(position, keep)[0], names_of(position, back))
            for back, keep in arrangements(self.cards, len(self.cards) - 1)
        ]

    def lowest(self, position: Position, seat: int) -> Stack:
        """The lowest card is kept, the others put back ascending."""
        kept, *back = names_of(position, self.cards)
        return Stack(kept, tuple(back))

    @classmethod
    def from_json(cls, value: Json, position: Position) -> OwedStack:
        return cls(value["seat"], choice_cards(value, position, 1, CARDS_LIT), value["dark"])


@dataclass(slots=True)
class LanternLit(ChoicePlayed):
    type = "lantern_lit"
    leaves = "stack"


@dataclass(slots=True)
class CardsStacked(Event):
    """The kept card lies open with open hands; what went back on the deck only the chooser knows."""

    type = "cards_stacked"
    is_final = True
    is_secret = True
    seat: int
    keep: str
    back: tuple[str, ...]

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return (self.seat,)

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        return {
            "type": "cards_stacked",
            "seat": self.seat,
            "keep": self.keep if is_open or viewer == self.seat else None,
            "back": list(self.back) if viewer == self.seat else None,
            "count": len(self.back),
        }

    def in_full(self) -> Json:
        return self.seen_by(self.seat, True)

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        gain_cards(view, event["seat"], 1, None if event["keep"] is None else [event["keep"]])
        view["deck"] += event["count"]
        view["pending"] = None
        view["forced_passes"] = 0


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    out += map(Lantern, names_of(position, held_kinds(position, seat, "lantern")))


def _light(position: Position, seat: int, action: Lantern, events: Events) -> bool:
    dark = pay(position, seat, action.card)
    if events is not None:
        events.append(LanternLit(seat, action.card))
    cards = deal_choice(position, seat, CARDS_LIT, events)
    position.pending = OwedStack(seat, cards, dark)
    return False


def _why_not(position: Position, seat: int, action: Lantern) -> Illegal:
    return wrong_card(action.card, "lantern") or Illegal(Why.not_now)


def _stack(position: Position, seat: int, action: Stack, events: Events) -> bool:
    numbers = position.ruleset.kinds.numbers
    gain(position, seat, numbers[action.keep])
    position.deck += bytes(numbers[card] for card in reversed(action.back))
    if events is not None:
        events.append(CardsStacked(seat, action.keep, action.back))
    return close_choice(position)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    """Without the stacks: those are as many as the cards that come."""
    return (Lantern(ruleset.kinds.names[kind]) for kind in ruleset.kinds.of_name["lantern"])


LANTERN = Power(
    symbol="lantern",
    offer=_offer,
    actions={Lantern: Rule(_light, why_not=_why_not), Stack: Rule(_stack)},
    events=(LanternLit, CardsStacked),
    every_action=_every_action,
    debts=(OwedStack,),
)
