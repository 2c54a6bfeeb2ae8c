"""The basic game: advance with a card, retreat to company for cards, and the relief draw."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.core import Json
from app.rules.core.action import Action, Advance, Draw, Retreat
from app.rules.core.action_cache import HELD
from app.rules.core.cards import PRINTED_BOARDS, add_symbols
from app.rules.core.errors import Illegal, Reason
from app.rules.core.event import (
    Advanced,
    CardsDrawn,
    DeckShuffled,
    GameWon,
    PendingDiscarded,
    Resigned,
    Rested,
    Retreated,
    RowLaid,
    StalemateBroken,
    TurnPassed,
)
from app.rules.core.explain import missing_pirate, no_advance
from app.rules.core.movement import (
    arrival,
    cards_left,
    company_of,
    discard_card,
    landing,
    move,
    retreat_target,
    win_at_goal,
)
from app.rules.core.position import CARTAGENA, Events, Offer, Position, Ruleset
from app.rules.core.route import SLOOP, START, Route
from app.rules.core.ruleset import Module, Rule
from app.rules.core.supply import take, take_relief
from app.rules.core.turn import pass_turn
from app.rules.modules.basic_choices import (
    tell_advances,
    tell_advances_and_retreats,
    tell_advances_with_sloop,
    tell_retreats_by_side,
)
from app.rules.options import Options

add_symbols("classic", ("bottle", "dagger", "hat", "key", "pistol", "skull"))
PRINTED_BOARDS.update(
    {
        "A": ("bottle", "pistol", "hat", "skull", "dagger", "key"),
        "B": ("dagger", "bottle", "key", "pistol", "hat", "skull"),
        "C": ("hat", "key", "pistol", "bottle", "skull", "dagger"),
        "D": ("key", "bottle", "skull", "dagger", "hat", "pistol"),
        "E": ("pistol", "key", "dagger", "hat", "skull", "bottle"),
        "F": ("hat", "dagger", "key", "bottle", "pistol", "skull"),
    }
)

_DRAW = Draw()


class Why(Reason):
    """Why a retreat or the relief card is refused."""

    no_retreat = "At this table cards are won by Morgan: there is no retreat."
    retreat_from_start = "A pirate at the start has nowhere to fall back to."
    retreat_from_sloop = "From the sloop a pirate falls back only while it lies at Cartagena."
    no_retreat_in_jungle = "In the jungle of this table there is no retreat, only Morgan."
    no_company_behind = (
        "No company stands behind that pirate: a retreat needs a space with one or two pirates."
    )
    no_relief = "At this table there is no relief for an empty hand."
    relief_too_late = "The relief card can be drawn only before the first action of a turn."
    relief_empty_hand_only = "The relief card is only for a player with an empty hand."


def _offer_advances(position: Position, seat: int, out: list[Action]) -> None:
    """On a single side a card always moves a pirate: to an empty space, or to the goal."""
    advances = position.ruleset.cache.advances_by_hand[bytes(position.hands[seat].translate(HELD))]
    for place in dict.fromkeys(position.pirates[seat]):
        out += advances[place]


def _offer_advances_and_retreats(position: Position, seat: int, out: list[Action]) -> None:
    """Both in one walk over the pirates. This is where random play spends its time, so it is kept tight."""
    ruleset = position.ruleset
    cache = ruleset.cache
    advances = cache.advances_by_hand[bytes(position.hands[seat].translate(HELD))]
    retreats = cache.retreats
    # On a single side whoever stands beyond the first company can fall back.
    first = company_of(position).find(1, 1, ruleset.route.goal)
    if first < 0:
        first = ruleset.route.goal
    before = -1
    for place in position.pirates[seat]:
        if place != before:
            before = place
            out += advances[place]
            if place > first:
                out.append(retreats[place])


def _offer_advances_with_sloop(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    symbol_of = ruleset.kinds.symbol
    places = dict.fromkeys(position.pirates[seat])
    places.pop(ruleset.route.goal, None)
    for kind, count in enumerate(position.hands[seat]):
        if count:
            row = ruleset.cache.advances[kind]
            symbol = symbol_of[kind]
            out += [row[place] for place in places if landing(position, seat, symbol, place) >= 0]


def _offer_retreats_by_side(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    company = company_of(position)
    # In the split game there is no retreat in the jungle: cards come from Morgan there.
    last = ruleset.route.sloop if ruleset.options.card_gain == "split" else ruleset.route.goal
    out += [
        ruleset.cache.retreats[place]
        for place in dict.fromkeys(position.pirates[seat])
        if place <= last and retreat_target(position, place, company) >= 0
    ]


def _offer_draw_any_time(position: Position, seat: int, out: list[Action]) -> None:
    if not position.held[seat]:
        out.append(_DRAW)


def _offer_draw_at_the_start(position: Position, seat: int, out: list[Action]) -> None:
    if not position.held[seat] and position.taken == 0:
        out.append(_DRAW)


def _offers(options: Options, route: Route) -> tuple[Offer, ...]:
    has_retreat = options.card_gain != "morgan"
    offers: list[Offer]
    if options.has_sloop:
        offers = [_offer_advances_with_sloop, *([_offer_retreats_by_side] if has_retreat else [])]
    else:
        offers = [_offer_advances_and_retreats if has_retreat else _offer_advances]
    if options.relief == "rest":
        offers.append(_offer_draw_any_time)
    elif options.relief == "start":
        offers.append(_offer_draw_at_the_start)
    return tuple(offers)


def _advance(position: Position, seat: int, action: Advance, events: Events) -> bool:
    ruleset = position.ruleset
    kinds = ruleset.kinds
    route = ruleset.route
    kind = kinds.numbers[action.card]
    origin = route.places[action.origin]
    to = landing(position, seat, kinds.symbol[kind], origin)
    discard_card(position, seat, kind)
    move(position, seat, origin, to)
    position.taken += 1
    if events is not None:
        events.append(Advanced(seat, action.card, action.origin, route.names[to]))
    if to == route.goal:
        win_at_goal(position, seat, to, events)
    return kinds.dark[kind]


def _advance_choice(position: Position, seat: int, action: Advance, company: bytearray) -> Json:
    kinds = position.ruleset.kinds
    symbol = kinds.symbol[kinds.numbers[action.card]]
    return arrival(
        position, seat, landing(position, seat, symbol, position.ruleset.route.places[action.origin])
    )


def _retreat(position: Position, seat: int, action: Retreat, events: Events) -> bool:
    route = position.ruleset.route
    origin = route.places[action.origin]
    to = retreat_target(position, origin, company_of(position))
    met = position.crowd[to]
    move(position, seat, origin, to)
    position.taken += 1
    if events is not None:
        events.append(Retreated(seat, action.origin, route.names[to]))
    take(position, seat, met, events)
    return False


def _retreat_choice(position: Position, seat: int, action: Retreat, company: bytearray) -> Json:
    to = retreat_target(position, position.ruleset.route.places[action.origin], company)
    return arrival(position, seat, to, draws=position.crowd[to])


def _draw(position: Position, seat: int, action: Draw, events: Events) -> bool:
    if events is not None:
        events.append(Rested(seat))
    take_relief(position, seat, events)
    pass_turn(position, False, events)
    return False


def _draw_choice(position: Position, seat: int, action: Draw, company: bytearray) -> Json:
    return {"draws": 1, "final": True} if cards_left(position) else {"final": True}


def _why_no_advance(position: Position, seat: int, action: Advance) -> Illegal:
    return missing_pirate(position, seat, action.origin) or no_advance(action.origin)


def _why_no_retreat(position: Position, seat: int, action: Retreat) -> Illegal:
    missing = missing_pirate(position, seat, action.origin)
    if missing is not None:
        return missing
    options, route = position.options, position.ruleset.route
    if options.card_gain == "morgan":
        return Illegal(Why.no_retreat)
    if action.origin == START:
        return Illegal(Why.retreat_from_start)
    if action.origin == SLOOP and position.sloop != CARTAGENA:
        return Illegal(Why.retreat_from_sloop)
    if options.card_gain == "split" and route.places[action.origin] > route.sloop:
        return Illegal(Why.no_retreat_in_jungle)
    return Illegal(Why.no_company_behind)


def _why_no_draw(position: Position, seat: int, action: Draw) -> Illegal:
    match position.options.relief:
        case "none":
            return Illegal(Why.no_relief)
        case "start" if position.taken and not position.held[seat]:
            return Illegal(Why.relief_too_late)
        case _:
            return Illegal(Why.relief_empty_hand_only)


def _every_action(ruleset: Ruleset) -> Iterator[Action]:
    for row in ruleset.cache.advances:
        yield from row
    yield from ruleset.cache.retreats


BASIC = Module(
    name="basic",
    is_on=lambda options: True,
    offers=_offers,
    tellers={
        _offer_advances: tell_advances,
        _offer_advances_and_retreats: tell_advances_and_retreats,
        _offer_advances_with_sloop: tell_advances_with_sloop,
        _offer_retreats_by_side: tell_retreats_by_side,
    },
    actions={
        Advance: Rule(_advance, _advance_choice, _why_no_advance),
        Retreat: Rule(_retreat, _retreat_choice, _why_no_retreat),
        Draw: Rule(_draw, _draw_choice, _why_no_draw),
    },
    events=(
        Advanced,
        Retreated,
        Rested,
        CardsDrawn,
        RowLaid,
        DeckShuffled,
        TurnPassed,
        StalemateBroken,
        Resigned,
        PendingDiscarded,
        GameWon,
    ),
    every_action=_every_action,
)
