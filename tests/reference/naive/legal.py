"""Legal actions, found by trying all possible ones."""

from __future__ import annotations

from itertools import combinations, permutations

from .actions import is_dark, symbol_of
from .check import check_position
from .coverage import count_situation
from .options import SYMBOLS
from .refusal import Json
from .route import (
    aboard,
    advance_target,
    in_passage,
    is_complete,
    morgan_target,
    order_on_route,
    retreat_target,
    seats_in,
)


def legal(position: Json) -> list[Json]:
    """Return the legal actions of all seats. Refuse an invalid position."""
    check_position(position)
    return all_legal_actions(position)


def all_legal_actions(position: Json) -> list[Json]:
    return [
        {"seat": seat, "action": action}
        for seat in seats_to_act(position)
        for action in actions_of(position, seat)
    ]


def seats_to_act(position: Json) -> list[int]:
    if position["winner"] is not None:
        return []
    pending = position["pending"]
    if pending is None:
        return [position["turn"]["seat"]]
    if pending["kind"] == "discard":
        return sorted(int(seat) for seat in pending["owed"])
    return [pending["seat"]]


def actions_of(position: Json, seat: int) -> list[Json]:
    """Return the legal actions of a seat that has to act."""
    pending = position["pending"]
    if pending is None:
        others = all_but_end(position, seat)
        enough = position["turn"]["taken"] >= position["options"]["min_actions"]
        return [*others, {"type": "end"}] if enough or not others else others
    if pending["kind"] == "discard":
        return [{"type": "discard", "count": pending["owed"][str(seat)]}]
    if pending["kind"] == "steal":
        hand = position["players"][pending["from"]]["hand"]
        return [{"type": "steal", "card": card} for card in sorted(set(hand))]
    if pending["kind"] == "stack":
        return stacks(pending["cards"])
    return shares(position, seat, pending["cards"])


def all_but_end(position: Json, seat: int) -> list[Json]:
    """Return the legal actions of the seat whose turn it is, without `end` and `resign`."""
    if position["turn"]["taken"] >= position["options"]["actions"]:
        return []
    actions = [*advances(position, seat), *retreats(position, seat), *morgans(position, seat)]
    if may_sail(position, seat):
        actions.append({"type": "sail"})
    if may_draw(position, seat):
        actions.append({"type": "draw"})
    if position["options"]["black_magic"]:
        actions += powers(position, seat)
    return actions


def places_of(position: Json, seat: int) -> list[int | str]:
    places = set(position["players"][seat]["pirates"])
    return sorted(places, key=lambda place: order_on_route(position["options"], place))


def kinds_in_hand(position: Json, seat: int) -> list[str]:
    return sorted(set(position["players"][seat]["hand"]))


def advances(position: Json, seat: int) -> list[Json]:
    return [
        {"type": "advance", "card": card, "from": place}
        for card in kinds_in_hand(position, seat)
        for place in places_of(position, seat)
        if advance_target(position, seat, place, symbol_of(card)) is not None
    ]


def retreats(position: Json, seat: int) -> list[Json]:
    gain = position["options"]["card_gain"]
    if gain == "morgan":
        return []
    return [
        {"type": "retreat", "from": place}
        for place in places_of(position, seat)
        if retreat_target(position, place) is not None
        and (gain != "split" or place == "sloop" or in_passage(position, place))
    ]


def morgans(position: Json, seat: int) -> list[Json]:
    gain = position["options"]["card_gain"]
    if gain == "retreat":
        return []
    return [
        {"type": "morgan", "player": player, "from": place}
        for player in seats_in(position)
        if player != seat
        for place in places_of(position, player)
        if morgan_target(position, player, place) is not None
        and not (gain == "split" and (place == "start" or in_passage(position, place)))
    ]


def may_sail(position: Json, seat: int) -> bool:
    if not is_complete(position):
        return False
    if position["sloop"] == "cartagena":
        return aboard(position, seat) >= 1
    pirates = position["players"][seat]["pirates"]
    return any(place == "start" or in_passage(position, place) for place in pirates)


def sail_is_free(position: Json, seat: int) -> bool:
    """Return whether a sail would be free for the captain; the conditions of a sail are checked elsewhere."""
    turn = position["turn"]
    if turn["taken"] != 0 or turn["captain_used"] or aboard(position, seat) == 0:
        return False
    return all(aboard(position, other) <= aboard(position, seat) for other in seats_in(position))


def may_draw(position: Json, seat: int) -> bool:
    if position["players"][seat]["hand"]:
        return False
    relief = position["options"]["relief"]
    return bool(relief == "rest" or (relief == "start" and position["turn"]["taken"] == 0))


def powers(position: Json, seat: int) -> list[Json]:
    hand = position["players"][seat]["hand"]
    kinds = kinds_in_hand(position, seat)
    actions: list[Json] = []
    for card in kinds:
        power = symbol_of(card)
        if power == "pistol":
            for player in seats_in(position):
                if player != seat and position["players"][player]["hand"]:
                    actions.append({"type": "pistol", "card": card, "player": player})
        if power == "rum":
            # The rum just played is on the discards and counts.
            to_be_had = len(position["deck"]) + len(position["discard"]) + 1
            if to_be_had >= len(seats_in(position)) + 1:
                actions.append({"type": "rum", "card": card})
            else:
                count_situation("too few cards for rum")
        if power == "lantern":
            actions.append({"type": "lantern", "card": card})
        if power == "chest":
            for place in places_of(position, seat):
                if isinstance(place, int) and str(place) in position["chests"]:
                    actions.append({"type": "chest", "card": card, "from": place})
    return actions + parrots(position, seat, hand) + hooks(position, seat, hand)


def parrots(position: Json, seat: int, hand: list[str]) -> list[Json]:
    parrots_held = [card for card in hand if symbol_of(card) == "parrot"]
    return [
        {"type": "parrot", "cards": list(pair), "as": symbol, "from": place}
        for pair in sorted(set(combinations(sorted(parrots_held), 2)))
        for symbol in SYMBOLS["escape"]
        for place in places_of(position, seat)
        if advance_target(position, seat, place, symbol) is not None
    ]


def hooks(position: Json, seat: int, hand: list[str]) -> list[Json]:
    if position["turn"]["taken"] + 2 > position["options"]["actions"]:
        return []
    pirates = position["players"][seat]["pirates"]
    actions = []
    for card in sorted({c for c in hand if symbol_of(c) == "hook"}):
        rest = list(hand)
        rest.remove(card)
        for second in sorted(set(rest)):
            for place in places_of(position, seat):
                if isinstance(place, int) and pirates.count(place) >= 2:
                    target = advance_target(position, seat, place, symbol_of(second), pirates=2)
                    if target is not None:
                        actions.append({"type": "hook", "card": card, "with": second, "from": place})
    return actions


def stacks(cards: list[str]) -> list[Json]:
    orders = sorted(set(permutations(cards)))
    return [{"type": "stack", "keep": order[0], "back": list(order[1:])} for order in orders]


def shares(position: Json, seat: int, cards: list[str]) -> list[Json]:
    others = [other for other in seats_in(position) if other != seat]
    actions = []
    for given in sorted(set(permutations(cards, len(others)))):
        keep = list(cards)
        for card in given:
            keep.remove(card)
        give = {str(other): card for other, card in zip(others, given, strict=True)}
        actions.append({"type": "share", "keep": sorted(keep), "give": give})
    return actions


def is_any_dark(cards: list[str]) -> bool:
    return any(is_dark(card) for card in cards)
