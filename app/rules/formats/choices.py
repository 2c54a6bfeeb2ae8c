"""Choices: a seat's legal list with what each action would do, so that a browser needs no rules."""

from __future__ import annotations

import json

from app.rules.core import Json
from app.rules.core.action import Action, End
from app.rules.core.action_cache import END
from app.rules.core.engine import legal
from app.rules.core.movement import cards_left, company_of, landing, retreat_target
from app.rules.core.position import Position


def choices(position: Position, seat: int, *, is_sealed: bool = False) -> list[Json]:
    """Each legal action with where it leads (`to`), the cards it draws and whether it is `final`.

    Everything said here follows from what the seat sees: a landing place from the board, a number of cards
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
    cache, route = ruleset.cache, ruleset.route
    names, crowd = cache.names, position.crowd
    company = company_of(position)
    left = cards_left(position)
    arrivals = cache.last_arrivals if is_sealed else cache.arrivals
    pirates = position.pirates[seat]
    if pirates.count(route.goal) == len(pirates) - 1:
        # The next pirate to come home wins, and home is the last place.
        arrivals = (*arrivals[:-1], cache.last_arrivals[-1])
    free = b"" if ruleset.has_sloop else _free_symbols(route.symbol_bytes, crowd)
    find = free.find
    texts: list[bytes] = []
    if listed is None:
        listed = legal(position, seat)
    for action, known in zip(listed, map(cache.choice_heads.get, map(id, listed)), strict=True):
        if known is None:
            if type(action) is End:
                texts.append(_END)
                continue
            choice = _choice(position, seat, action, company)
            texts.append(_encode({**choice, "final": True} if is_sealed else choice))
            continue
        head, place, symbol = known
        if symbol < 0:
            to = retreat_target(position, place, company)
            drawn = min(crowd[to], left)
            draws = _DRAWS[drawn] if drawn < len(_DRAWS) else _draws(drawn)
            texts.append(head + names[to] + (draws if drawn or not is_sealed else _FINAL))
            continue
        # As landing(), without the walk: −1, where none is free, stands for the last place.
        to = find(symbol, place + 1) if free else landing(position, seat, symbol, place)
        texts.append(head + arrivals[to])
    return b"[%b]" % b",".join(texts)


def known_action(position: Position, text: bytes) -> tuple[Action, Json] | None:
    """The action that a choice has as this very JSON text, and the text parsed; None for any other text."""
    return position.ruleset.cache.by_json.get(text)


_TAKEN = bytes([0] + [255] * 255)


def _free_symbols(symbols: bytes, crowd: bytearray) -> bytes:
    """The symbol of each place where nobody stands, 255 elsewhere."""
    taken = int.from_bytes(crowd.translate(_TAKEN), "big")
    return (int.from_bytes(symbols, "big") | taken).to_bytes(len(symbols), "big")


def _draws(count: int) -> bytes:
    return b',"draws":%d,"final":true}' % count


def _encode(choice: Json) -> bytes:
    return json.dumps(choice, separators=(",", ":")).encode()


_END = _encode({"action": END.to_json(), "final": True})
_FINAL = b',"final":true}'
_DRAWS = (b',"final":false}', _draws(1), _draws(2))


def _choice(position: Position, seat: int, action: Action, company: bytearray) -> Json:
    leads = position.ruleset.choices.get(type(action))
    outcome: Json = {"final": True} if leads is None else leads(position, seat, action, company)
    return {"action": action.to_json(), **outcome}
