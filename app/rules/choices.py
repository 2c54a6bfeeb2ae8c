"""Choices: a seat's legal list with what each action would do, so that a browser needs no rules."""

from __future__ import annotations

from typing import Any

from app.rules.actions import (
    Action,
    Advance,
    Hook,
    Morgan,
    Parrot,
    Retreat,
    Sail,
    action_to_json,
)
from app.rules.cards import SYMBOLS
from app.rules.engine import legal
from app.rules.modules.morgan import CARDS_AT_THE_END
from app.rules.movement import company_of, landing, morgan_target, retreat_target
from app.rules.position import Position

__all__ = ["choices"]

Json = dict[str, Any]


def choices(position: Position, seat: int) -> list[Json]:
    """Each legal action with where it leads (`to`), the cards it draws and whether it is `final`.

    Everything told here follows from what the seat sees: a landing place from the board, a number of cards
    from the company met and the number of cards left.
    """
    company = company_of(position)
    return [_choice(position, seat, action, company) for action in legal(position, seat)]


def _choice(position: Position, seat: int, action: Action, company: bytearray) -> Json:
    ruleset = position.ruleset
    places, names, kinds = ruleset.route.places, ruleset.route.names, ruleset.kinds
    choice: Json = {"action": action_to_json(action)}
    drawn = 0
    match action:
        case Advance(card, origin):
            to = landing(position, seat, kinds.symbol[kinds.numbers[card]], places[origin])
        case Parrot(_, symbol, origin):
            to = landing(position, seat, SYMBOLS[position.options.symbols].index(symbol), places[origin])
        case Hook(_, second, origin):
            to = landing(position, seat, kinds.symbol[kinds.numbers[second]], places[origin], 2)
        case Retreat(origin):
            to = retreat_target(position, places[origin], company)
            drawn = position.crowd[to]
        case Morgan(player, origin):
            to = morgan_target(position, player, places[origin], company)
            drawn = CARDS_AT_THE_END if to == ruleset.route.end[places[origin]] else position.crowd[to]
        case Sail():
            choice["final"] = False
            return choice
        case _:
            choice["final"] = True
            return choice
    choice["to"] = names[to]
    drawn = min(drawn, len(position.deck) + len(position.row) + len(position.discard))
    if drawn:
        choice["draws"] = drawn
    choice["final"] = drawn > 0
    return choice
