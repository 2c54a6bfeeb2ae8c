"""The basic game: advance with a card, retreat to company for cards, and the relief draw."""

from __future__ import annotations

from collections.abc import Iterator

from app.rules.core import Json
from app.rules.core.action import Action, Advance, Draw, Retreat
from app.rules.core.action_cache import NONZERO_FLAG_BY_COUNT
from app.rules.core.cards import PRINTED_BOARDS, register_symbol_set
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
from app.rules.core.illegal_reasons import explain_blocked_advance, explain_missing_pirate
from app.rules.core.movement import (
    company_flags,
    count_available_cards,
    discard_card,
    find_landing,
    find_retreat_target,
    move_pirate,
    preview_move,
    win_if_all_at_goal,
)
from app.rules.core.position import CARTAGENA, Events, Offer, Position, Ruleset
from app.rules.core.route import SLOOP, START, Route
from app.rules.core.ruleset import Module, Rule
from app.rules.core.supply import draw_cards, draw_relief_card
from app.rules.core.turn import pass_turn
from app.rules.modules.basic_choices_json import (
    write_advance_and_retreat_choices,
    write_advance_choices,
    write_advance_choices_with_sloop,
    write_retreat_choices_by_side,
)
from app.rules.options import Options

register_symbol_set("classic", ("bottle", "dagger", "hat", "key", "pistol", "skull"))
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


class IllegalBasicReason(Reason):
    """Reasons why a retreat or drawing the relief card is illegal."""

    no_retreat = "At this table you win cards with Morgan, not by retreating."
    retreat_from_start = "A pirate that has not set out yet has nowhere to retreat to."
    retreat_from_sloop = "A pirate can retreat from the sloop only while the sloop is at Cartagena."
    no_retreat_in_jungle = "At this table you cannot retreat in the jungle; there you use Morgan."
    no_company_behind = (
        "That pirate has nowhere to retreat to: it needs a space behind it with one or two pirates."
    )
    no_relief = "There is no relief card at this table."
    relief_too_late = "You can draw the relief card only before your first action of the turn."
    relief_empty_hand_only = "You can draw the relief card only when your hand is empty."


def _offer_advances(position: Position, seat: int, out: list[Action]) -> None:
    """Offer advances on a route without sloop, where a card can move any pirate that is not at the goal."""
    advances = position.ruleset.cache.advances_by_hand[
        bytes(position.hands[seat].translate(NONZERO_FLAG_BY_COUNT))
    ]
    for place in dict.fromkeys(position.pirates[seat]):
        out += advances[place]


def _offer_advances_and_retreats(position: Position, seat: int, out: list[Action]) -> None:
    """Offer advances and retreats on a route without sloop, in one loop because it is the hot path of searches."""
    ruleset = position.ruleset
    cache = ruleset.cache
    advances = cache.advances_by_hand[bytes(position.hands[seat].translate(NONZERO_FLAG_BY_COUNT))]
    retreats = cache.retreats
    # Without a sloop, every pirate ahead of the first company can retreat.
    first = company_flags(position).find(1, 1, ruleset.route.goal)
    if first < 0:
        first = ruleset.route.goal
    previous = -1
    for place in position.pirates[seat]:
        if place != previous:
            previous = place
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
            out += [row[place] for place in places if find_landing(position, seat, symbol, place) >= 0]


def _offer_retreats_by_side(position: Position, seat: int, out: list[Action]) -> None:
    ruleset = position.ruleset
    company = company_flags(position)
    # With the card gain "split" there is no retreat in the jungle.
    last = ruleset.route.sloop if ruleset.options.card_gain == "split" else ruleset.route.goal
    out += [
        ruleset.cache.retreats[place]
        for place in dict.fromkeys(position.pirates[seat])
        if place <= last and find_retreat_target(position, place, company) >= 0
    ]


def _offer_draw_any_time(position: Position, seat: int, out: list[Action]) -> None:
    if not position.hand_sizes[seat]:
        out.append(_DRAW)


def _offer_draw_at_the_start(position: Position, seat: int, out: list[Action]) -> None:
    if not position.hand_sizes[seat] and position.actions_taken == 0:
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
    kind = kinds.by_name[action.card]
    origin = route.places[action.origin]
    to = find_landing(position, seat, kinds.symbol[kind], origin)
    discard_card(position, seat, kind)
    move_pirate(position, seat, origin, to)
    position.actions_taken += 1
    if events is not None:
        events.append(Advanced(seat, action.card, action.origin, route.names[to]))
    if to == route.goal:
        win_if_all_at_goal(position, seat, to, events)
    return kinds.dark[kind]


def _preview_advance(position: Position, seat: int, action: Advance, company: bytearray) -> Json:
    kinds = position.ruleset.kinds
    symbol = kinds.symbol[kinds.by_name[action.card]]
    return preview_move(
        position, seat, find_landing(position, seat, symbol, position.ruleset.route.places[action.origin])
    )


def _retreat(position: Position, seat: int, action: Retreat, events: Events) -> bool:
    route = position.ruleset.route
    origin = route.places[action.origin]
    to = find_retreat_target(position, origin, company_flags(position))
    company_size = position.occupancy[to]
    move_pirate(position, seat, origin, to)
    position.actions_taken += 1
    if events is not None:
        events.append(Retreated(seat, action.origin, route.names[to]))
    draw_cards(position, seat, company_size, events)
    return False


def _preview_retreat(position: Position, seat: int, action: Retreat, company: bytearray) -> Json:
    to = find_retreat_target(position, position.ruleset.route.places[action.origin], company)
    return preview_move(position, seat, to, draws=position.occupancy[to])


def _draw(position: Position, seat: int, action: Draw, events: Events) -> bool:
    if events is not None:
        events.append(Rested(seat))
    draw_relief_card(position, seat, events)
    pass_turn(position, False, events)
    return False


def _preview_draw(position: Position, seat: int, action: Draw, company: bytearray) -> Json:
    return {"draws": 1, "final": True} if count_available_cards(position) else {"final": True}


def _explain_illegal_advance(position: Position, seat: int, action: Advance) -> Illegal:
    return explain_missing_pirate(position, seat, action.origin) or explain_blocked_advance(action.origin)


def _explain_illegal_retreat(position: Position, seat: int, action: Retreat) -> Illegal:
    missing = explain_missing_pirate(position, seat, action.origin)
    if missing is not None:
        return missing
    options, route = position.options, position.ruleset.route
    if options.card_gain == "morgan":
        return Illegal(IllegalBasicReason.no_retreat)
    if action.origin == START:
        return Illegal(IllegalBasicReason.retreat_from_start)
    if action.origin == SLOOP and position.sloop != CARTAGENA:
        return Illegal(IllegalBasicReason.retreat_from_sloop)
    if options.card_gain == "split" and route.places[action.origin] > route.sloop:
        return Illegal(IllegalBasicReason.no_retreat_in_jungle)
    return Illegal(IllegalBasicReason.no_company_behind)


def _explain_illegal_draw(position: Position, seat: int, action: Draw) -> Illegal:
    match position.options.relief:
        case "none":
            return Illegal(IllegalBasicReason.no_relief)
        case "start" if position.actions_taken and not position.hand_sizes[seat]:
            return Illegal(IllegalBasicReason.relief_too_late)
        case _:
            return Illegal(IllegalBasicReason.relief_empty_hand_only)


def _all_actions(ruleset: Ruleset) -> Iterator[Action]:
    for row in ruleset.cache.advances:
        yield from row
    yield from ruleset.cache.retreats


BASIC_MODULE = Module(
    name="basic",
    is_active=lambda options: True,
    offers=_offers,
    choice_writers={
        _offer_advances: write_advance_choices,
        _offer_advances_and_retreats: write_advance_and_retreat_choices,
        _offer_advances_with_sloop: write_advance_choices_with_sloop,
        _offer_retreats_by_side: write_retreat_choices_by_side,
    },
    actions={
        Advance: Rule(_advance, _preview_advance, _explain_illegal_advance),
        Retreat: Rule(_retreat, _preview_retreat, _explain_illegal_retreat),
        Draw: Rule(_draw, _preview_draw, _explain_illegal_draw),
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
    all_actions=_all_actions,
)
