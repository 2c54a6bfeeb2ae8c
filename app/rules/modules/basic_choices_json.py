"""The JSON of legal advances and retreats, as bytes: one function for each offer in basic.py.

The server sends choices after nearly every action. So these functions join fragments that all tables share, and find
destinations by searching bytes instead of walking the route.
"""

from __future__ import annotations

from app.rules.core.action_cache import NONZERO_FLAG_BY_COUNT
from app.rules.core.movement import company_flags, count_available_cards, find_landing, find_retreat_target
from app.rules.core.position import Position

_OCCUPIED_MASK_BY_COUNT = bytes([0] + [255] * 255)


def write_advance_and_retreat_choices(
    position: Position, seat: int, is_undo_closed: bool, out: list[bytes], *, has_retreat: bool = True
) -> None:
    ruleset = position.ruleset
    cache, route, occupancy = ruleset.cache, ruleset.route, position.occupancy
    advances = cache.advance_prefixes_by_hand[bytes(position.hands[seat].translate(NONZERO_FLAG_BY_COUNT))]
    advance_suffixes, retreat_suffixes = _choice_suffixes(position, seat, is_undo_closed)
    # The symbol of each empty place, 255 elsewhere. If find() returns −1, that indexes the last place, the goal.
    occupied = int.from_bytes(occupancy.translate(_OCCUPIED_MASK_BY_COUNT), "big")
    find = (route.symbol_bits | occupied).to_bytes(len(occupancy), "big").find
    company = company_flags(position)
    first = company.find(1, 1, route.goal) if has_retreat else -1
    if first < 0:
        first = route.goal
    previous = -1
    for place in position.pirates[seat]:
        if place != previous:
            previous = place
            ahead = place + 1
            for prefix, symbol in advances[place]:
                out.append(prefix + advance_suffixes[find(symbol, ahead)])
            if place > first:
                to = company.rfind(1, 1, place)
                out.append(cache.retreat_prefixes[place] + retreat_suffixes[occupancy[to]][to])


def write_advance_choices(position: Position, seat: int, is_undo_closed: bool, out: list[bytes]) -> None:
    write_advance_and_retreat_choices(position, seat, is_undo_closed, out, has_retreat=False)


def write_advance_choices_with_sloop(
    position: Position, seat: int, is_undo_closed: bool, out: list[bytes]
) -> None:
    ruleset = position.ruleset
    suffixes, _ = _choice_suffixes(position, seat, is_undo_closed)
    places = dict.fromkeys(position.pirates[seat])
    places.pop(ruleset.route.goal, None)
    for kind, count in enumerate(position.hands[seat]):
        if count:
            prefixes = ruleset.cache.advance_prefixes[kind]
            for place in places:
                prefix, symbol = prefixes[place]
                to = find_landing(position, seat, symbol, place)
                if to >= 0:
                    out.append(prefix + suffixes[to])


def write_retreat_choices_by_side(
    position: Position, seat: int, is_undo_closed: bool, out: list[bytes]
) -> None:
    ruleset = position.ruleset
    company = company_flags(position)
    _, suffixes = _choice_suffixes(position, seat, is_undo_closed)
    last = ruleset.route.sloop if ruleset.options.card_gain == "split" else ruleset.route.goal
    for place in dict.fromkeys(position.pirates[seat]):
        if place <= last:
            to = find_retreat_target(position, place, company)
            if to >= 0:
                out.append(ruleset.cache.retreat_prefixes[place] + suffixes[position.occupancy[to]][to])


def _choice_suffixes(
    position: Position, seat: int, is_undo_closed: bool
) -> tuple[tuple[bytes, ...], tuple[tuple[bytes, ...], ...]]:
    """Return the last bytes of choices: of an advance by place, and of a retreat by company size (0 to 2) and place."""
    ruleset, pirates = position.ruleset, position.pirates[seat]
    by_cards_drawn = ruleset.cache.choice_suffixes[is_undo_closed]
    for_advance = by_cards_drawn[0]
    if pirates.count(ruleset.route.goal) == len(pirates) - 1:
        # The next pirate to reach the goal, which is the last place, wins. That choice is final.
        for_advance = (*for_advance[:-1], ruleset.cache.choice_suffixes[True][0][-1])
    if len(position.deck) < 2:
        left = count_available_cards(position)
        by_cards_drawn = (by_cards_drawn[0], by_cards_drawn[min(1, left)], by_cards_drawn[min(2, left)])
    return for_advance, by_cards_drawn
