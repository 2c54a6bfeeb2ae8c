"""Rum: draw one card for each seat still in and one more, give one to each other seat and keep two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARD_FIELD, CARDS_FIELD, GIFTS_FIELD
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


class IllegalRumReason(Reason):
    """Reasons why rum cannot be poured."""

    too_few_for_rum = "There are too few cards in the deck and the discards for a round of rum."


@dataclass(frozen=True, slots=True)
class PourRum(Action):
    """Play rum to draw cards for all seats still in."""

    type = "rum"
    json_fields = (("card", CARD_FIELD),)
    notation = "{card}!"
    symbol = "rum"
    played_card_fields = ("card",)
    card: str


@dataclass(frozen=True, slots=True)
class Share(Action):
    """Answer rum: keep some of the cards and give one to each other seat still in."""

    type = "share"
    json_fields = (("keep", CARDS_FIELD), ("give", GIFTS_FIELD))
    notation = "share {keep} {give}"
    is_answer = True
    is_secret = True
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]
    """(seat, card) pairs in seat order."""

    def canonical(self) -> Action:
        return Share(tuple(sorted(self.keep)), tuple(sorted(self.give)))


@dataclass(frozen=True, slots=True)
class PendingShare(PendingCardChoice):
    """After rum: the seat keeps or gives away each card."""

    kind = "share"

    def answers(self, position: Position, seat: int) -> list[Action]:
        if seat != self.seat:
            return []
        receivers = _receivers(position, seat)
        return [
            Share(card_names(position, keep), tuple(zip(receivers, card_names(position, given), strict=True)))
            for given, keep in arrangements(self.cards, len(receivers))
        ]

    def lowest_answer(self, position: Position, seat: int) -> Share:
        """Keep the lowest cards and give the others in ascending order to the seats in ascending order."""
        receivers = _receivers(position, seat)
        cards = card_names(position, self.cards)
        kept = len(cards) - len(receivers)
        return Share(cards[:kept], tuple(zip(receivers, cards[kept:], strict=True)))

    @classmethod
    def from_json(cls, value: Json, position: Position) -> PendingShare:
        # If a seat has resigned since the rum was poured, there are more cards than active seats plus one.
        cards = parse_choice_cards(
            value, position, len(position.active_seats) + 1, position.options.players + 1
        )
        return cls(value["seat"], cards, value["dark"])


def _receivers(position: Position, seat: int) -> list[int]:
    return [other for other in position.active_seats if other != seat]


@dataclass(slots=True)
class RumPoured(ChoiceCardPlayed):
    type = "rum_poured"
    pending_kind = "share"


@dataclass(slots=True)
class CardsShared(Event):
    type = "cards_shared"
    is_final = True
    is_secret = True
    seat: int
    keep: tuple[str, ...]
    give: tuple[tuple[int, str], ...]

    def privileged_seats(self, has_open_hands: bool) -> tuple[int, ...]:
        return () if has_open_hands else (self.seat, *(seat for seat, _ in self.give))

    def to_json_for(self, viewer: int, has_open_hands: bool) -> Json:
        is_chooser = has_open_hands or viewer == self.seat
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
    # The rum just played is on the discards, so it can be drawn again.
    if kinds and len(position.deck) + len(position.discard) + 1 >= len(position.active_seats) + 1:
        out += map(PourRum, card_names(position, kinds))


def _pour(position: Position, seat: int, action: PourRum, events: Events) -> bool:
    is_dark = play_power_cards(position, seat, action.card)
    if events is not None:
        events.append(RumPoured(seat, action.card))
    cards = deal_choice(position, seat, len(position.active_seats) + 1, events)
    position.pending = PendingShare(seat, cards, is_dark)
    return False


def _explain_illegal(position: Position, seat: int, action: PourRum) -> Illegal:
    return explain_wrong_card(action.card, "rum") or Illegal(IllegalRumReason.too_few_for_rum)


def _share(position: Position, seat: int, action: Share, events: Events) -> bool:
    numbers = position.ruleset.kinds.by_name
    for card in action.keep:
        add_card(position, seat, numbers[card])
    for receiver, card in action.give:
        add_card(position, receiver, numbers[card])
    if events is not None:
        events.append(CardsShared(seat, action.keep, action.give))
    return close_pending(position)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    """Return all rums. Shares depend on the cards dealt and are left out."""
    return (PourRum(ruleset.kinds.names[kind]) for kind in ruleset.kinds.by_symbol_name["rum"])


RUM_POWER = Power(
    symbol="rum",
    offer=_offer,
    actions={PourRum: Rule(_pour, explain_illegal=_explain_illegal), Share: Rule(_share)},
    events=(RumPoured, CardsShared),
    all_actions=_all_actions,
    pending_types=(PendingShare,),
)
