"""The lantern: look at the top cards of the deck, keep one and put the others back in a chosen order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal
from app.rules.core.event import Event
from app.rules.core.fields import CARD_FIELD, CARDS_FIELD
from app.rules.core.illegal_reasons import IllegalReason
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.ruleset import Rule
from app.rules.core.supply import add_card
from app.rules.core.view_patch import gain_cards
from app.rules.modules.black_magic.dealt_choice import (
    ChoiceCardPlayed,
    PendingCardChoice,
    arrangements,
    card_names,
    deal_choice,
    parse_choice_cards,
)
from app.rules.modules.black_magic.power import (
    Power,
    close_pending,
    explain_wrong_card,
    held_kinds,
    play_power_cards,
)

CARDS_DRAWN = 4


@dataclass(frozen=True, slots=True)
class LightLantern(Action):
    """Play a lantern to look at the top cards of the deck."""

    type = "lantern"
    json_fields = (("card", CARD_FIELD),)
    notation = "{card}!"
    symbol = "lantern"
    played_card_fields = ("card",)
    card: str


@dataclass(frozen=True, slots=True)
class Stack(Action):
    """Answer a lantern: keep one card and put the others back on the deck."""

    type = "stack"
    json_fields = (("keep", CARD_FIELD), ("back", CARDS_FIELD))
    notation = "stack {keep} back {back}"
    is_answer = True
    is_secret = True
    keep: str
    back: tuple[str, ...]
    """The first card ends up on top."""

    def to_text(self) -> str:
        return super(Stack, self).to_text() if self.back else f"stack {self.keep}"

    @classmethod
    def from_words(cls, words: list[str]) -> Action | None:
        if len(words) == 2:
            return Stack(CARD_FIELD.from_text(words[1]), ())
        return super(Stack, cls).from_words(words)


@dataclass(frozen=True, slots=True)
class PendingStack(PendingCardChoice):
    """After a lantern: the seat keeps one of the cards and puts the others back on the deck."""

    kind = "stack"

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        return [
            Stack(card_names(position, keep)[0], card_names(position, back))
            for back, keep in arrangements(self.cards, len(self.cards) - 1)
        ]

    def lowest_answer(self, position: Position, seat: int) -> Stack:
        """Keep the lowest card and put the others back in ascending order."""
        kept, *back = card_names(position, self.cards)
        return Stack(kept, tuple(back))

    @classmethod
    def from_json(cls, value: Json, position: Position) -> PendingStack:
        return cls(value["seat"], parse_choice_cards(value, position, 1, CARDS_DRAWN), value["dark"])


@dataclass(slots=True)
class LanternLit(ChoiceCardPlayed):
    type = "lantern_lit"
    pending_kind = "stack"


@dataclass(slots=True)
class CardsStacked(Event):
    """A lantern was answered. With open hands everyone sees the card kept; only the chooser knows the others."""

    type = "cards_stacked"
    is_final = True
    is_secret = True
    seat: int
    keep: str
    back: tuple[str, ...]

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return (self.seat,)

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        return {
            "type": "cards_stacked",
            "seat": self.seat,
            "keep": self.keep if has_open_hands or viewer == self.seat else None,
            "back": list(self.back) if viewer == self.seat else None,
            "count": len(self.back),
        }

    def to_full_json(self) -> Json:
        return self.to_json_for(self.seat, True)

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        gain_cards(view, event["seat"], 1, None if event["keep"] is None else [event["keep"]])
        view["deck"] += event["count"]
        view["pending"] = None
        view["forced_passes"] = 0


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    out += map(LightLantern, card_names(position, held_kinds(position, seat, "lantern")))


def _light(position: Position, seat: int, action: LightLantern, events: Events) -> bool:
    is_dark = play_power_cards(position, seat, action.card)
    if events is not None:
        events.append(LanternLit(seat, action.card))
    cards = deal_choice(position, seat, CARDS_DRAWN, events)
    position.pending = PendingStack(seat, cards, is_dark)
    return False


def _explain_illegal(position: Position, seat: int, action: LightLantern) -> Illegal:
    return explain_wrong_card(action.card, "lantern") or Illegal(IllegalReason.not_now)


def _stack(position: Position, seat: int, action: Stack, events: Events) -> bool:
    numbers = position.ruleset.kinds.by_name
    add_card(position, seat, numbers[action.keep])
    position.deck += bytes(numbers[card] for card in reversed(action.back))
    if events is not None:
        events.append(CardsStacked(seat, action.keep, action.back))
    return close_pending(position)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    """Return all lanterns. Stacks depend on the cards dealt and are left out."""
    return (LightLantern(ruleset.kinds.names[kind]) for kind in ruleset.kinds.by_symbol_name["lantern"])


LANTERN_POWER = Power(
    symbol="lantern",
    offer=_offer,
    actions={LightLantern: Rule(_light, explain_illegal=_explain_illegal), Stack: Rule(_stack)},
    events=(LanternLit, CardsStacked),
    all_actions=_all_actions,
    pending_types=(PendingStack,),
)
