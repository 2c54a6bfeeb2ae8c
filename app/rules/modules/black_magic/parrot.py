"""The parrot: two parrot cards advance a pirate like a card of any symbol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.cards import SYMBOL_SETS
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.fields import CARDS_FIELD, PLACE_FIELD, SYMBOL_FIELD
from app.rules.core.illegal_reasons import explain_blocked_advance, explain_missing_pirate
from app.rules.core.movement import find_landing, move_pirate, preview_move, win_if_all_at_goal
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.power import Power, held_kinds, held_pairs, play_power_cards


class IllegalParrotReason(Reason):
    """Reasons why parrots cannot be played."""

    two_parrots_needed = "That power needs exactly two parrot cards."
    symbol_not_in_game = "The symbol {symbol} is not in this game."


@dataclass(frozen=True, slots=True)
class AdvanceWithParrots(Action):
    """Play two parrots to advance a pirate as with a card of any symbol."""

    type = "parrot"
    json_fields = (("cards", CARDS_FIELD), ("as", SYMBOL_FIELD), ("from", PLACE_FIELD))
    notation = "{cards}! {as} {from}"
    symbol = "parrot"
    power_card_count = 2
    played_card_fields = ("cards",)
    cards: tuple[str, ...]
    as_symbol: str
    """The symbol that the parrots stand for."""
    origin: Place

    def canonical(self) -> Action:
        return AdvanceWithParrots(tuple(sorted(self.cards)), self.as_symbol, self.origin)


@dataclass(slots=True)
class ParrotAdvanced(Event):
    type = "parrot_advanced"
    json_fields = ("seat", "cards", "as", "from", "to")
    played_card_fields = ("cards",)
    seat: int
    cards: tuple[str, ...]
    symbol: str
    origin: Place
    to: Place

    @staticmethod
    def fold(view: Json, event: Json, viewer: int | None) -> None:
        play_cards(view, event["seat"], *event["cards"])
        move_pirates(view, event["seat"], event["from"], event["to"])


def _offer(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    parrots = held_kinds(position, seat, "parrot")
    names = ruleset.kinds.names
    pairs = [
        (names[first], names[second])
        for first, second in held_pairs(position, seat, parrots, parrots)
        if first <= second
    ]
    if not pairs:
        return
    symbols = SYMBOL_SETS[ruleset.options.symbols]
    for place in dict.fromkeys(position.pirates[seat]):
        if place == ruleset.route.goal:
            continue
        for number, symbol in enumerate(symbols):
            if find_landing(position, seat, number, place) >= 0:
                out += [AdvanceWithParrots(pair, symbol, ruleset.route.names[place]) for pair in pairs]


def _find_landing(position: Position, seat: int, action: AdvanceWithParrots) -> int:
    symbol = SYMBOL_SETS[position.options.symbols].index(action.as_symbol)
    return find_landing(position, seat, symbol, position.ruleset.route.places[action.origin])


def _advance(position: Position, seat: int, action: AdvanceWithParrots, events: Events) -> bool:
    route = position.ruleset.route
    to = _find_landing(position, seat, action)
    is_dark = play_power_cards(position, seat, *action.cards)
    move_pirate(position, seat, route.places[action.origin], to)
    if events is not None:
        events.append(ParrotAdvanced(seat, action.cards, action.as_symbol, action.origin, route.names[to]))
    win_if_all_at_goal(position, seat, to, events)
    return is_dark


def _preview(position: Position, seat: int, action: AdvanceWithParrots, company: bytearray) -> Json:
    return preview_move(position, seat, _find_landing(position, seat, action))


def _explain_illegal(position: Position, seat: int, action: AdvanceWithParrots) -> Illegal:
    missing = explain_missing_pirate(position, seat, action.origin)
    if missing is not None:
        return missing
    if len(action.cards) != 2 or any(card.removesuffix("*") != "parrot" for card in action.cards):
        return Illegal(IllegalParrotReason.two_parrots_needed)
    if action.as_symbol not in SYMBOL_SETS[position.options.symbols]:
        return Illegal(IllegalParrotReason.symbol_not_in_game, symbol=action.as_symbol)
    return explain_blocked_advance(action.origin)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    parrots = [ruleset.kinds.names[kind] for kind in ruleset.kinds.by_symbol_name["parrot"]]
    for pair in [(first, second) for first in parrots for second in parrots if first <= second]:
        for symbol in SYMBOL_SETS[ruleset.options.symbols]:
            yield from (AdvanceWithParrots(pair, symbol, place) for place in ruleset.route.names)


PARROT_POWER = Power(
    symbol="parrot",
    offer=_offer,
    actions={AdvanceWithParrots: Rule(_advance, _preview, _explain_illegal)},
    events=(ParrotAdvanced,),
    all_actions=_all_actions,
)
