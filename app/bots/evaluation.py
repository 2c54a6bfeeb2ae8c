"""The evaluation: what a seat's pirates, cards and company are worth, as its strength in the race.

A seat's strength is a weighted sum of the features below; the chance of each seat to win is the softmax
of the strengths. The weights come from self-play (bench/bots_tune.py fits them by maximum likelihood).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from operator import mul

from app.rules.core.movement import company_of, retreat_target
from app.rules.core.position import TORTUGA, Position

FEATURES: tuple[str, ...] = (
    "spaces_left",
    "home",
    "at_start",
    "hindmost",
    "second_hindmost",
    "cards",
    "first_cards",
    "many_cards",
    "idle_cards",
    "variety",
    "reach",
    "hindmost_reach",
    "retreat",
    "company",
    "crossed",
    "ready_to_cross",
    "tempo",
)

WEIGHTS: dict[str, tuple[float, ...]] = {
    "row": (
        *(-0.0566, 0.2667, -0.0018, -0.0141, -0.0060, 0.2998, 0.0714, -0.1023, -0.2436),
        *(0.0325, 0.0098, 0.0083, 0.0037, -0.0121, 0.0566, 0.0566, 0.5058),
    ),
    "deck": (
        *(-0.0615, 0.2729, -0.0280, -0.0203, 0.0023, 0.3309, 0.0995, -0.1734, -0.1888),
        *(0.0500, 0.0122, 0.0115, 0.0038, -0.0229, 0.0615, 0.0615, 0.5346),
    ),
    "complete": (
        *(-0.0543, 0.2548, -0.0597, -0.0257, -0.0005, 0.2395, 0.0758, -0.1687, -0.2238),
        *(0.0385, 0.0086, 0.0098, -0.0002, -0.0076, 0.1005, 0.1066, 0.2760),
    ),
}
"""One set for each kind of game, as bench/bots_tune.py found them."""

_LEFT, _HOME, _HINDMOST, _CARDS, _FIRST_CARDS, _MANY, _IDLE, _CROSSED, _READY = (
    FEATURES.index(name)
    for name in (
        *("spaces_left", "home", "hindmost", "cards", "first_cards", "many_cards", "idle_cards"),
        *("crossed", "ready_to_cross"),
    )
)

_CARD_FEATURES = frozenset(("cards", "first_cards", "variety", "reach", "retreat"))
_FEW_CARDS = 4
_MANY_CARDS = 8
_CARD = 7.0
"""What a card is worth in spaces, for weighing a retreat; measured 6–8."""
_STRANDED = -3.0
"""No card, no company to fall back to and no relief: such a seat waits until somebody else comes along."""
_SOME_SYMBOLS = tuple(1 - (5 / 6) ** count for count in range(64))
"""The expected share of still missing symbols that so many unknown cards bring."""


def weights_for(position: Position, impatience: float = 0.0) -> Sequence[float]:
    """The weights of this kind of game. Impatience, from 0 to 1, makes cards worth less: a game that goes
    round in circles, cards fetched and spent for nothing, is brought to its end that way."""
    options = position.options
    kind = "complete" if options.scenario == "complete" else "row" if options.supply == "row" else "deck"
    weights = WEIGHTS[kind]
    if not impatience:
        return weights
    return tuple(
        weight * (1 - 0.8 * impatience) if name in _CARD_FEATURES else weight
        for name, weight in zip(FEATURES, weights, strict=True)
    )


def features(position: Position, seat: int) -> tuple[float, ...]:
    """Unknown cards (held, but not in the hand by kind) count as average ones."""
    ruleset = position.ruleset
    route = ruleset.route
    goal = route.goal
    crowd = position.crowd
    places = position.pirates[seat]
    held = position.held[seat]
    left = goal * len(places) - sum(places)
    first = places[0]

    hand = position.hands[seat]
    if len(hand) == 6:
        symbols = [symbol for symbol, count in enumerate(hand) if count]
        unknown = held - sum(hand)
    else:
        symbols = [n for n in range(6) if hand[2 * n] or hand[2 * n + 1]]
        unknown = held - sum(hand)
    variety = float(len(symbols))
    spots = set(places)
    spots.discard(goal)
    ahead, end = route.ahead, route.end
    reach = 0.0
    hindmost_reach = 0
    for symbol in symbols:
        of_symbol = ahead[symbol]
        best = 0
        for place in spots:
            for space in of_symbol[place]:
                if not crowd[space]:
                    break
            else:
                space = end[place]
            if space - place > best:
                best = space - place
            if place == first and space - place > hindmost_reach:
                hindmost_reach = space - place
        reach += best
    if unknown:
        extra = _SOME_SYMBOLS[min(unknown, 63)] * (6 - variety)
        mean = reach / variety if variety else _CARD
        variety += extra
        reach += mean * extra

    company = company_of(position)
    behind = route.behind
    best_gain = 0.0
    two = 0
    for place in spots:
        low, high = behind[place]
        target = company.rfind(1, low, high)
        if target > 0:
            met = crowd[target]
            two += met - 1
            gain = met * _CARD - (place - target)
            if gain > best_gain:
                best_gain = gain
    crossed = ready = 0
    sloop = route.sloop
    if sloop >= 0:
        for place in places:
            if place > sloop:
                crossed += 1
            elif place == sloop:
                ready += 2 if position.sloop == TORTUGA else 1
    idle = held - left / _CARD
    return (
        left,
        places.count(goal),
        places.count(0),
        goal - first,
        goal - places[1],
        held,
        held if held < _FEW_CARDS else _FEW_CARDS,
        held - _MANY_CARDS if held > _MANY_CARDS else 0,
        idle if idle > 0 else 0.0,
        variety,
        reach,
        hindmost_reach,
        best_gain,
        two,
        crossed,
        ready,
        position.seat == seat,
    )


def strength(position: Position, seat: int, weights: Sequence[float]) -> float:
    value = sum(map(mul, weights, features(position, seat)))
    return float(value if position.held[seat] else value + _stranded(position, seat))


def _stranded(position: Position, seat: int) -> float:
    if position.options.relief != "none":
        return 0.0
    company = company_of(position)
    return (
        _STRANDED if all(retreat_target(position, at, company) < 0 for at in position.pirates[seat]) else 0.0
    )


def rough_strength(position: Position, seat: int, weights: Sequence[float]) -> float:
    """The part of the strength that costs little: a search sorts by it and judges what is near the top."""
    places = position.pirates[seat]
    goal = position.ruleset.route.goal
    held = position.held[seat]
    left = goal * len(places) - sum(places)
    total = (
        weights[_LEFT] * left
        + weights[_HOME] * places.count(goal)
        + weights[_HINDMOST] * (goal - places[0])
        + weights[_CARDS] * held
    )
    if held < _FEW_CARDS:
        total -= weights[_FIRST_CARDS] * (_FEW_CARDS - held)
        if not held:
            total += _stranded(position, seat)
    elif held > _MANY_CARDS:
        total += weights[_MANY] * (held - _MANY_CARDS)
    if held * _CARD > left:
        total += weights[_IDLE] * (held - left / _CARD)
    sloop = position.ruleset.route.sloop
    if sloop >= 0:
        for place in places:
            if place > sloop:
                total += weights[_CROSSED]
            elif place == sloop:
                total += weights[_READY] * (2 if position.sloop == TORTUGA else 1)
    return total


def strengths(position: Position, weights: Sequence[float]) -> list[float]:
    """Of each seat; a seat that has resigned has none."""
    return [
        float("-inf") if is_out else strength(position, seat, weights)
        for seat, is_out in enumerate(position.resigned)
    ]


def chances(position: Position, weights: Sequence[float]) -> list[float]:
    """The chance of each seat to win, as far as looking without thinking tells."""
    if position.winner is not None:
        return [float(seat == position.winner) for seat in range(len(position.pirates))]
    values = strengths(position, weights)
    most = max(values)
    powers = [exp(value - most) for value in values]
    total = sum(powers)
    return [power / total for power in powers]
