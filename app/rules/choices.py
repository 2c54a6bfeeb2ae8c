"""Choices: a seat's legal list with what each action would do, so that a browser needs no rules."""

from __future__ import annotations

import json
from typing import Any

from app.rules.actions import (
    Action,
    Advance,
    Draw,
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

__all__ = ["choices", "choices_json"]

Json = dict[str, Any]


def choices(position: Position, seat: int) -> list[Json]:
    """Each legal action with where it leads (`to`), the cards it draws and whether it is `final`.

    Everything told here follows from what the seat sees: a landing place from the board, a number of cards
    from the company met and the number of cards left.
    """
    company = company_of(position)
    return [_choice(position, seat, action, company) for action in legal(position, seat)]


def choices_json(position: Position, seat: int) -> bytes:
    """The same as JSON. Somebody is sent this after nearly every action, so it is put together from texts
    that the stock keeps: only where each move leads is worked out anew.
    """
    ruleset = position.ruleset
    route, kinds, told = ruleset.route, ruleset.kinds, ruleset.stock.told
    crowd, goal = position.crowd, route.goal
    company = company_of(position)
    left = _cards_left(position)
    is_last = position.pirates[seat].count(goal) == len(position.pirates[seat]) - 1
    texts: list[bytes] = []
    for action in legal(position, seat):
        if type(action) is Advance:
            place = route.places[action.origin]
            symbol = kinds.symbol[kinds.numbers[action.card]]
            if ruleset.has_sloop:
                to = landing(position, seat, symbol, place)
            else:  # as landing(), without the call
                to = goal
                for space in route.ahead[symbol][place]:
                    if not crowd[space]:
                        to = space
                        break
            key: tuple[int, int, int] = (id(action), to, is_last and to == goal)
        elif type(action) is Retreat:
            to = retreat_target(position, route.places[action.origin], company)
            key = (id(action), to, min(crowd[to], left))
        else:
            texts.append(_encode(_choice(position, seat, action, company)))
            continue
        text = told.get(key)
        if text is None:
            text = told[key] = _encode(_choice(position, seat, action, company))
        texts.append(text)
    return b"[%b]" % b",".join(texts)


def _encode(choice: Json) -> bytes:
    return json.dumps(choice, separators=(",", ":")).encode()


def _choice(position: Position, seat: int, action: Action, company: bytearray) -> Json:
    ruleset = position.ruleset
    places, kinds = ruleset.route.places, ruleset.kinds
    choice: Json = {"action": action_to_json(action)}
    match action:
        case Advance(card, origin):
            to = landing(position, seat, kinds.symbol[kinds.numbers[card]], places[origin])
            return _moving(position, choice, seat, to)
        case Parrot(_, symbol, origin):
            to = landing(position, seat, SYMBOLS[position.options.symbols].index(symbol), places[origin])
            return _moving(position, choice, seat, to)
        case Hook(_, second, origin):
            to = landing(position, seat, kinds.symbol[kinds.numbers[second]], places[origin], 2)
            return _moving(position, choice, seat, to, count=2)
        case Retreat(origin):
            to = retreat_target(position, places[origin], company)
            return _moving(position, choice, seat, to, draws=position.crowd[to])
        case Morgan(player, origin):
            to = morgan_target(position, player, places[origin], company)
            draws = CARDS_AT_THE_END if to == ruleset.route.end[places[origin]] else position.crowd[to]
            return _moving(position, choice, player, to, draws=draws)
        case Draw():
            if _cards_left(position):
                choice["draws"] = 1
            choice["final"] = True
            return choice
        case _:
            choice["final"] = not isinstance(action, Sail)
            return choice


def _cards_left(position: Position) -> int:
    return len(position.deck) + len(position.row) + len(position.discard)


def _moving(position: Position, choice: Json, owner: int, to: int, draws: int = 0, count: int = 1) -> Json:
    goal = position.ruleset.route.goal
    is_win = to == goal and position.pirates[owner].count(goal) + count == len(position.pirates[owner])
    draws = 0 if is_win else min(draws, _cards_left(position))
    choice["to"] = position.ruleset.route.names[to]
    if draws:
        choice["draws"] = draws
    choice["final"] = draws > 0 or is_win
    return choice
