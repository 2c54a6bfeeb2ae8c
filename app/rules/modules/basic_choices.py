"""The choices of advances and retreats as JSON, each beside its offer in basic.py.

Somebody is sent these after nearly every action, so they are put together from few texts that all tables share, and
where each move leads is found without walking the route.
"""

from __future__ import annotations

from app.rules.core.action_cache import HELD
from app.rules.core.movement import cards_left, company_of, landing, retreat_target
from app.rules.core.position import Position

_TAKEN = bytes([0] + [255] * 255)


def tell_advances_and_retreats(
    position: Position, seat: int, is_sealed: bool, out: list[bytes], *, has_retreat: bool = True
) -> None:
    ruleset = position.ruleset
    cache, route, crowd = ruleset.cache, ruleset.route, position.crowd
    advances = cache.advance_heads_by_hand[bytes(position.hands[seat].translate(HELD))]
    arrivals, met = _endings(position, seat, is_sealed)
    # As landing() without the walk: of each free place its symbol; −1, where none is free, stands for the last place.
    taken = int.from_bytes(crowd.translate(_TAKEN), "big")
    find = (route.symbol_bits | taken).to_bytes(len(crowd), "big").find
    company = company_of(position)
    first = company.find(1, 1, route.goal) if has_retreat else -1
    if first < 0:
        first = route.goal
    before = -1
    for place in position.pirates[seat]:
        if place != before:
            before = place
            ahead = place + 1
            for head, symbol in advances[place]:
                out.append(head + arrivals[find(symbol, ahead)])
            if place > first:
                to = company.rfind(1, 1, place)
                out.append(cache.retreat_heads[place] + met[crowd[to]][to])


def tell_advances(position: Position, seat: int, is_sealed: bool, out: list[bytes]) -> None:
    tell_advances_and_retreats(position, seat, is_sealed, out, has_retreat=False)


def tell_advances_with_sloop(position: Position, seat: int, is_sealed: bool, out: list[bytes]) -> None:
    ruleset = position.ruleset
    arrivals, _ = _endings(position, seat, is_sealed)
    places = dict.fromkeys(position.pirates[seat])
    places.pop(ruleset.route.goal, None)
    for kind, count in enumerate(position.hands[seat]):
        if count:
            heads = ruleset.cache.advance_heads[kind]
            for place in places:
                head, symbol = heads[place]
                to = landing(position, seat, symbol, place)
                if to >= 0:
                    out.append(head + arrivals[to])


def tell_retreats_by_side(position: Position, seat: int, is_sealed: bool, out: list[bytes]) -> None:
    ruleset = position.ruleset
    company = company_of(position)
    _, met = _endings(position, seat, is_sealed)
    last = ruleset.route.sloop if ruleset.options.card_gain == "split" else ruleset.route.goal
    for place in dict.fromkeys(position.pirates[seat]):
        if place <= last:
            to = retreat_target(position, place, company)
            if to >= 0:
                out.append(ruleset.cache.retreat_heads[place] + met[position.crowd[to]][to])


def _endings(
    position: Position, seat: int, is_sealed: bool
) -> tuple[tuple[bytes, ...], tuple[tuple[bytes, ...], ...]]:
    """How the choice of a move to each place ends: of an advance; of a retreat by how many are met, two at most."""
    ruleset, pirates = position.ruleset, position.pirates[seat]
    met = ruleset.cache.arrivals[is_sealed]
    arrivals = met[0]
    if pirates.count(ruleset.route.goal) == len(pirates) - 1:
        # The next pirate to come home wins, and home is the last place.
        arrivals = (*arrivals[:-1], ruleset.cache.arrivals[True][0][-1])
    if len(position.deck) < 2:
        left = cards_left(position)
        met = tuple(met[min(drawn, left)] for drawn in range(3))
    return arrivals, met
