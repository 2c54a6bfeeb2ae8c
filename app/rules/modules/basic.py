"""The basic game: advance with a card, retreat to company for cards, and the relief draw."""

from __future__ import annotations

from app.rules.core.action_cache import HELD
from app.rules.core.actions import Action, Advance, Draw, Retreat
from app.rules.core.events import Advanced, Rested, Retreated
from app.rules.core.movement import company_of, discard_card, has_won, landing, move, retreat_target, win
from app.rules.core.position import Position
from app.rules.core.ruleset import Events, Module, Offer
from app.rules.core.supply import take, take_relief
from app.rules.core.turn import pass_turn
from app.rules.options import Options

__all__ = ["BASIC"]

_DRAW = Draw()


def _offer_advances(position: Position, seat: int, out: list[Action]) -> None:
    """On a single side a card always moves a pirate: to an empty space, or to the goal."""
    advances = position.ruleset.stock.advances_by_hand[bytes(position.hands[seat].translate(HELD))]
    for place in dict.fromkeys(position.pirates[seat]):
        out += advances[place]


def _offer_advances_and_retreats(position: Position, seat: int, out: list[Action]) -> None:
    """Both in one walk over the pirates. This is where random play spends its time, so it is kept tight."""
    ruleset = position.ruleset
    stock = ruleset.stock
    advances = stock.advances_by_hand[bytes(position.hands[seat].translate(HELD))]
    retreats = stock.retreats
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
            row = ruleset.stock.advances[kind]
            symbol = symbol_of[kind]
            out += [row[place] for place in places if landing(position, seat, symbol, place) >= 0]


def _offer_retreats_by_side(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    company = company_of(position)
    # In the split game there is no retreat in the jungle: cards come from Morgan there.
    last = ruleset.route.sloop if ruleset.options.card_gain == "split" else ruleset.route.goal
    out += [
        ruleset.stock.retreats[place]
        for place in dict.fromkeys(position.pirates[seat])
        if place <= last and retreat_target(position, place, company) >= 0
    ]


def _offer_draw_any_time(position: Position, seat: int, out: list[Action]) -> None:
    if not position.held[seat]:
        out.append(_DRAW)


def _offer_draw_at_the_start(position: Position, seat: int, out: list[Action]) -> None:
    if not position.held[seat] and position.taken == 0:
        out.append(_DRAW)


def _offers(options: Options) -> tuple[Offer, ...]:
    has_retreat = options.card_gain != "morgan"
    offers: list[Offer]
    if options.scenario == "complete":
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
    if to == route.goal and has_won(position, seat):
        win(position, seat, "goal", events)
    return kinds.dark[kind]


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


def _draw(position: Position, seat: int, action: Draw, events: Events) -> bool:
    if events is not None:
        events.append(Rested(seat))
    take_relief(position, seat, events)
    pass_turn(position, False, events)
    return False


BASIC = Module(
    name="basic",
    is_on=lambda options: True,
    offers=_offers,
    resolvers={Advance: _advance, Retreat: _retreat, Draw: _draw},
)
