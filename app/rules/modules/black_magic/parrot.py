"""The parrot: two of them advance a pirate as if they were a card of any symbol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from app.rules.core import Json
from app.rules.core.action import Action
from app.rules.core.cards import SYMBOLS
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import Event
from app.rules.core.explain import missing_pirate, no_advance
from app.rules.core.fields import CARDS, PLACE, SYMBOL
from app.rules.core.movement import arrival, landing, move, win_at_goal
from app.rules.core.position import Events, Position, Ruleset
from app.rules.core.route import Place
from app.rules.core.ruleset import Rule
from app.rules.core.view_patch import move_pirates, play_cards
from app.rules.modules.black_magic.power import Power, held_kinds, pairs_held, pay


class Why(Reason):
    """Why parrots cannot be played."""

    two_parrots_needed = "That power needs exactly two parrot cards."
    symbol_not_in_game = "The symbol {symbol} is not in this game."


@dataclass(frozen=True, slots=True)
class Parrot(Action):
    type = "parrot"
    form = (("cards", CARDS), ("as", SYMBOL), ("from", PLACE))
    text = "{cards}! {as} {from}"
    symbol = "parrot"
    power_cards = 2
    played = ("cards",)
    cards: tuple[str, ...]
    shown: str
    """The symbol that the two stand for."""
    origin: Place

    def canonical(self) -> Action:
        return Parrot(tuple(sorted(self.cards)), self.shown, self.origin)


@dataclass(slots=True)
class ParrotAdvanced(Event):
    type = "parrot_advanced"
    form = ("seat", "cards", "as", "from", "to")
    played = ("cards",)
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
        (names[one], names[two]) for one, two in pairs_held(position, seat, parrots, parrots) if one <= two
    ]
    if not pairs:
        return
    symbols = SYMBOLS[ruleset.options.symbols]
    for place in dict.fromkeys(position.pirates[seat]):
        if place == ruleset.route.goal:
            continue
        for number, symbol in enumerate(symbols):
            if landing(position, seat, number, place) >= 0:
                out += [Parrot(pair, symbol, ruleset.route.names[place]) for pair in pairs]


def _landing(position: Position, seat: int, action: Parrot) -> int:
    symbol = SYMBOLS[position.options.symbols].index(action.shown)
    return landing(position, seat, symbol, position.ruleset.route.places[action.origin])


def _advance(position: Position, seat: int, action: Parrot, events: Events) -> bool:
    route = position.ruleset.route
    to = _landing(position, seat, action)
    dark = pay(position, seat, *action.cards)
    move(position, seat, route.places[action.origin], to)
    if events is not None:
        events.append(ParrotAdvanced(seat, action.cards, action.shown, action.origin, route.names[to]))
    win_at_goal(position, seat, to, events)
    return dark


def _choice(position: Position, seat: int, action: Parrot, company: bytearray) -> Json:
    return arrival(position, seat, _landing(position, seat, action))


def _why_not(position: Position, seat: int, action: Parrot) -> Illegal:
    missing = missing_pirate(position, seat, action.origin)
    if missing is not None:
        return missing
    if len(action.cards) != 2 or any(card.removesuffix("*") != "parrot" for card in action.cards):
        return Illegal(Why.two_parrots_needed)
    if action.shown not in SYMBOLS[position.options.symbols]:
        return Illegal(Why.symbol_not_in_game, symbol=action.shown)
    return no_advance(action.origin)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    parrots = [ruleset.kinds.names[kind] for kind in ruleset.kinds.of_name["parrot"]]
    for pair in [(one, two) for one in parrots for two in parrots if one <= two]:
        for symbol in SYMBOLS[ruleset.options.symbols]:
            yield from (Parrot(pair, symbol, place) for place in ruleset.route.names)


PARROT = Power(
    symbol="parrot",
    offer=_offer,
    actions={Parrot: Rule(_advance, _choice, _why_not)},
    events=(ParrotAdvanced,),
    every_action=_every_action,
)
