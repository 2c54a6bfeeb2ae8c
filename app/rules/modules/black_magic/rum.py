"""Rum: a round for everybody still in; whoever pours it shares the cards out and keeps two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD, CARDS, GIFTS
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


class Why(Reason):
    """Why no rum can be poured."""

    too_few_for_rum = "Deck and discards hold too few cards for a round of rum."


@dataclass(frozen=True, slots=True)
class Rum(Action):
    type = "rum"
    form = (("card", CARD),)
    text = "{card}!"
    symbol = "rum"
    played = ("card",)
    card: str


@dataclass(frozen=True, slots=True)
class Share(Action):
    type = "share"
    form = (("keep", CARDS), ("give", GIFTS))
    text = "share {keep} {give}"
    is_answer = True
    is_secret = True
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]
    """(seat, card) in seat order."""

    def canonical(self) -> Action:
        return Share(tuple(sorted(self.keep)), tuple(sorted(self.give)))


@dataclass(frozen=True, slots=True)
class OwedShare(OwedChoice):
    """Rum was played: the drawn cards are to be kept or given away."""

    kind = "share"

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        receivers = _receivers(position, seat)
        return [
            Share(names_of(position, keep), tuple(zip(receivers, names_of(position, given), strict=True)))
            for given, keep in arrangements(self.cards, len(receivers))
        ]

    def lowest(self, position: Position, seat: int) -> Share:
        """The lowest cards are kept, the others given ascending by seat."""
        receivers = _receivers(position, seat)
        cards = names_of(position, self.cards)
        kept = len(cards) - len(receivers)
        return Share(cards[:kept], tuple(zip(receivers, cards[kept:], strict=True)))

    @classmethod
    def from_json(cls, value: Json, position: Position) -> OwedShare:
        # Somebody may have resigned since the rum was poured: then there are more cards than seats plus one.
        cards = choice_cards(value, position, len(position.seats_in) + 1, position.options.players + 1)
        return cls(value["seat"], cards, value["dark"])


def _receivers(position: Position, seat: int) -> list[int]:
    return [other for other in position.seats_in if other != seat]


@dataclass(slots=True)
class RumPoured(ChoicePlayed):
    type = "rum_poured"
    leaves = "share"


@dataclass(slots=True)
class CardsShared(Event):
    type = "cards_shared"
    is_final = True
    is_secret = True
    seat: int
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]

    def insiders(self, is_open: bool) -> tuple[int, ...]:
        return () if is_open else (self.seat, *(seat for seat, _ in self.give))

    def seen_by(self, viewer: int, is_open: bool) -> Json:
        is_chooser = is_open or viewer == self.seat
        return {
            "type": "cards_shared",
            "seat": self.seat,
            "keep": list(self.keep) if is_chooser else None,
            "kept": len(self.keep),
            "give": {str(seat): card if is_chooser or viewer == seat else None for seat, card in self.give},
        }

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        gain_cards(view, event["seat"], event["kept"], event["keep"])
        for receiver, card in event["give"].items():
            gain_cards(view, int(receiver), 1, None if card is None else [card])
        view["pending"] = None
        view["forced_passes"] = 0


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    kinds = held_kinds(position, seat, "rum")
    # The rum just played lies on the discards and so may be drawn again.
    if kinds and len(position.deck) + len(position.discard) + 1 >= len(position.seats_in) + 1:
        out += map(Rum, names_of(position, kinds))


def _pour(position: Position, seat: int, action: Rum, events: Events) -> bool:
    dark = pay(position, seat, action.card)
    if events is not None:
        events.append(RumPoured(seat, action.card))
    cards = deal_choice(position, seat, len(position.seats_in) + 1, events)
    position.pending = OwedShare(seat, cards, dark)
    return False


def _why_not(position: Position, seat: int, action: Rum) -> Illegal:
    return wrong_card(action.card, "rum") or Illegal(Why.too_few_for_rum)


def _share(position: Position, seat: int, action: Share, events: Events) -> bool:
    numbers = position.ruleset.kinds.numbers
    for card in action.keep:
        gain(position, seat, numbers[card])
    for receiver, card in action.give:
        gain(position, receiver, numbers[card])
    if events is not None:
        events.append(CardsShared(seat, action.keep, action.give))
    return close_choice(position)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    """Without the shares: those are as many as the cards that come."""
    return (Rum(ruleset.kinds.names[kind]) for kind in ruleset.kinds.of_name["rum"])


RUM = Power(
    symbol="rum",
    offer=_offer,
    actions={Rum: Rule(_pour, why_not=_why_not), Share: Rule(_share)},
    events=(RumPoured, CardsShared),
    every_action=_every_action,
    debts=(OwedShare,),
)
