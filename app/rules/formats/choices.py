"""Choices: a seat's legal list with what each action would do, so that a browser needs no rules."""

from __future__ import annotations

import json
from typing import Any

from app.rules.core.actions import (
    Action,
    Advance,
    Draw,
    End,
    Hook,
    Morgan,
    Parrot,
    Retreat,
    Sail,
    action_to_json,
)
from app.rules.core.cards import SYMBOLS
from app.rules.core.engine import legal
from app.rules.core.movement import company_of, landing, morgan_target, retreat_target
from app.rules.core.position import Position
from app.rules.modules.morgan import CARDS_AT_THE_END

__all__ = ["choices", "choices_json", "spoken"]

Json = dict[str, Any]


def choices(position: Position, seat: int, *, is_sealed: bool = False) -> list[Json]:
    """Each legal action with where it leads (`to`), the cards it draws and whether it is `final`.

    Everything told here follows from what the seat sees: a landing place from the board, a number of cards
    from the company met and the number of cards left. `is_sealed`: something has become known this turn, so
    that nothing done from here on can be taken back; the table knows that, a position does not.
    """
    company = company_of(position)
    found = [_choice(position, seat, action, company) for action in legal(position, seat)]
    return [{**choice, "final": True} for choice in found] if is_sealed else found


def choices_json(
    position: Position, seat: int, listed: list[Action] | None = None, *, is_sealed: bool = False
) -> bytes:
    """The same as JSON; `listed` is the seat's legal list, if it is at hand.

    Somebody is sent this after nearly every action, so it is put together from few texts that all tables
    share, and where each move leads is found without walking the route.
    """
    ruleset = position.ruleset
    stock, route = ruleset.stock, ruleset.route
    facts, arrivals = stock.facts, stock.arrivals
    crowd, goal = position.crowd, route.goal
    company = company_of(position)
    left = _cards_left(position)
    wins = position.pirates[seat].count(goal) == len(position.pirates[seat]) - 1
    free = b"" if ruleset.has_sloop else _free_symbols(route.symbol_bytes, crowd)
    texts: list[bytes] = []
    for action in legal(position, seat) if listed is None else listed:
        fact = facts.get(id(action))
        if fact is None:
            if type(action) is End:
                texts.append(_END_TOLD)
                continue
            choice = _choice(position, seat, action, company)
            texts.append(_encode({**choice, "final": True} if is_sealed else choice))
            continue
        head, place, symbol = fact
        if symbol < 0:
            to = retreat_target(position, place, company)
            drawn = min(crowd[to], left)
            draws = _DRAWS[drawn] if drawn < len(_DRAWS) else _draws(drawn)
            texts.append(head + stock.names[to] + (draws if drawn or not is_sealed else _FINAL))
            continue
        if free:  # as landing(), without the walk
            to = free.find(symbol, place + 1)
            if to < 0:
                to = goal
        else:
            to = landing(position, seat, symbol, place)
        is_final = is_sealed or (wins and to == goal)
        texts.append(head + (stock.names[to] + _FINAL if is_final else arrivals[to]))
    return b"[%b]" % b",".join(texts)


def spoken(position: Position, text: bytes) -> tuple[Action, Json] | None:
    """The action a choice tells in these very words, and what they say; None for other words."""
    return position.ruleset.stock.spoken.get(text)


_TAKEN = bytes([0] + [255] * 255)


def _free_symbols(symbols: bytes, crowd: bytearray) -> bytes:
    """The symbol of each place where nobody stands, 255 elsewhere."""
    taken = int.from_bytes(crowd.translate(_TAKEN), "big")
    return (int.from_bytes(symbols, "big") | taken).to_bytes(len(symbols), "big")


def _draws(count: int) -> bytes:
    return b',"draws":%d,"final":true}' % count


def _encode(choice: Json) -> bytes:
    return json.dumps(choice, separators=(",", ":")).encode()


_END_TOLD = _encode({"action": action_to_json(End()), "final": True})
_FINAL = b',"final":true}'
_DRAWS = (b',"final":false}', _draws(1), _draws(2))


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
