"""Why a click at the table does nothing: the refusal of the action that the click comes nearest to.

A click names a card of the hand, a space, a player or the supply, perhaps after a card or a pirate was selected. The
reasons follow from the seat's own view: its hand, the board and the public state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.rules.core.action import Action, Advance, Draw, Retreat
from app.rules.core.engine import explain_waiting, legal
from app.rules.core.errors import Illegal, Reason, RuleError
from app.rules.core.illegal_reasons import IllegalReason, explain_illegal, explain_missing_pirate
from app.rules.core.movement import find_landing, has_room_aboard
from app.rules.core.position import TORTUGA, Position
from app.rules.core.route import GOAL, SLOOP, START, Place
from app.rules.modules.black_magic.hook import AdvanceWithHook
from app.rules.modules.black_magic.parrot import AdvanceWithParrots, IllegalParrotReason
from app.rules.modules.black_magic.pistol import AimPistol
from app.rules.modules.black_magic.power import IllegalPowerReason
from app.rules.modules.black_magic.rum import PourRum
from app.rules.modules.morgan import MoveWithMorgan


class InertClickReason(Reason):
    """Reasons why a click does nothing although it is the player's turn."""

    no_pirate_can_use = "None of your pirates can use this card now: {card}."
    no_cards_to_move = "You have no cards to move this pirate with."
    not_your_pirates = "Those are not your pirates."
    never_back_to_start = "Pirates never go back to where they set out."
    other_symbol = "This card does not lead to space {n}, which shows another symbol: {symbol}."
    no_card_with_symbol = "You have no card with the symbol of space {n}: {symbol}."
    space_not_empty = "Space {n} is not empty: a card takes a pirate to an empty space."
    space_behind = "Space {n} lies behind your pirates, and a card moves them forward only."
    nearer_space = (
        "A card takes a pirate to the first empty space with its symbol, which comes before space {n}."
    )
    other_side = "A card does not take a pirate across the water: the sloop does."
    end_too_early = "A pirate gets there only if no empty space with the symbol of the card lies ahead of it."
    board_from_passage = "Pirates board the sloop only from the prison or the passage."
    sloop_takes_nobody = "The sloop cannot take another of your pirates aboard now."
    hook_needs_card = "A hook is played together with a second card."
    nobody_on_chest = "None of your pirates stands on a face-down chest."
    retreat_to_nearest = (
        "A pirate retreats to the nearest space behind it with one or two pirates, and to no other."
    )


@dataclass(frozen=True, slots=True)
class Click:
    """What a player clicked, and the card and pirate selected then. Exactly one of the last four is the click itself:
    `space`, `player`, `is_supply`, or, if none of them is set, the card."""

    card: str | None = None
    origin: Place | None = None
    """Where the selected pirate stands."""
    space: Place | None = None
    player: int | None = None
    is_supply: bool = False
    is_power: bool = False
    """Whether the power of the card is meant, instead of an advance with it."""


def explain_click(position: Position, seat: int, click: Click) -> RuleError | None:
    """Return why the click does nothing, or None if it stands for a legal action."""
    waiting = explain_waiting(position, seat)
    if waiting is not None:
        return waiting
    if position.pending is not None:
        return Illegal(IllegalReason.choice_owed)
    listed = legal(position, seat)
    if position.actions_taken >= position.ruleset.actions:
        return Illegal(IllegalReason.turn_used_up)

    def explain(action: Action) -> RuleError | None:
        return None if action in listed else explain_illegal(position, seat, action, listed)

    if click.is_supply:
        return explain(Draw())
    if click.player is not None:
        return explain(AimPistol(click.card or "pistol", click.player))
    if click.is_power and click.card is not None:
        return _explain_power(position, seat, click.card, listed, explain)
    if click.space is None:
        return _explain_card(position, seat, click.card, listed)
    if click.space not in position.ruleset.route.places:
        return Illegal(IllegalReason.no_such_place, where=click.space)
    if click.card is None and click.origin is None:
        return _explain_pirate(position, seat, click.space, listed, explain)
    return _explain_landing(position, seat, click, explain)


def _explain_card(position: Position, seat: int, card: str | None, listed: list[Action]) -> RuleError | None:
    """Explain a card that no action plays."""
    if card is None or card not in position.hand_names(seat):
        return Illegal(IllegalReason.card_not_held, card=card or "")
    if any(card in action.cards_played() for action in listed):
        return None
    route = position.ruleset.route
    on_route = {place for place in position.pirates[seat] if place != route.goal}
    if on_route == {route.places.get(SLOOP)}:
        return Illegal(IllegalReason.advance_from_sloop)
    return Illegal(InertClickReason.no_pirate_can_use, card=card)


def _explain_power(
    position: Position,
    seat: int,
    card: str,
    listed: list[Action],
    explain: Callable[[Action], RuleError | None],
) -> RuleError | None:
    """Explain why the power of a card cannot be used."""
    symbol, hand = card.removesuffix("*"), list(position.hand_names(seat))
    if card not in hand:
        return Illegal(IllegalReason.card_not_held, card=card)
    if any(action.symbol == symbol and card in action.cards_played() for action in listed):
        return None
    if not position.options.black_magic:
        return Illegal(IllegalPowerReason.no_black_magic)
    hand.remove(card)
    others = [other for other in position.active_seats if other != seat]
    pirates = position.pirates[seat]
    match symbol:
        case "pistol":
            return explain(AimPistol(card, others[0]))
        case "rum":
            return explain(PourRum(card))
        case "hook" if hand:
            together = next((place for place in pirates if pirates.count(place) > 1), pirates[0])
            return explain(AdvanceWithHook(card, hand[0], position.ruleset.route.names[together]))
        case "hook":
            return Illegal(InertClickReason.hook_needs_card)
        case "parrot":
            return Illegal(IllegalParrotReason.two_parrots_needed)
        case "chest":
            return Illegal(InertClickReason.nobody_on_chest)
    return Illegal(IllegalReason.not_now)


def _explain_pirate(
    position: Position,
    seat: int,
    space: Place,
    listed: list[Action],
    explain: Callable[[Action], RuleError | None],
) -> RuleError | None:
    """Explain a space from which nothing can be moved."""
    if any(getattr(action, "origin", None) == space for action in listed):
        return None
    missing = explain_missing_pirate(position, seat, space)
    if missing is not None:
        place = position.ruleset.route.places[space]
        others = [owner for owner, places in enumerate(position.pirates) if place in places]
        if not others:
            return _explain_empty_space(position, seat, space, listed) or missing
        if position.options.card_gain == "retreat":
            return Illegal(InertClickReason.not_your_pirates)
        still_in = [owner for owner in others if not position.resigned[owner]]
        return explain(MoveWithMorgan((still_in or others)[0], space))
    if space == START and not position.hand_sizes[seat]:
        return Illegal(InertClickReason.no_cards_to_move)
    if space == GOAL or not position.hand_sizes[seat]:
        return explain(Retreat(space))
    return explain(Advance(position.hand_names(seat)[0], space))


def _explain_empty_space(
    position: Position, seat: int, space: Place, listed: list[Action]
) -> RuleError | None:
    """Explain why no card takes a pirate to an empty space; None if one does, or for other places."""
    if not isinstance(space, int) or any(isinstance(action, AdvanceWithParrots) for action in listed):
        return None
    return _explain_landing(position, seat, Click(space=space), lambda _: None)


def _explain_landing(
    position: Position, seat: int, click: Click, explain: Callable[[Action], RuleError | None]
) -> RuleError | None:
    """Explain a space to which the selected card or pirate does not go."""
    route, kinds = position.ruleset.route, position.ruleset.kinds
    card, space = click.card, click.space
    assert space is not None
    to = route.places[space]
    if click.origin is None:
        if card is not None and to in position.pirates[seat]:
            return explain(Advance(card, space))
        origins: Iterable[int] = position.pirates[seat]
    else:
        missing = explain_missing_pirate(position, seat, click.origin)
        if missing is not None:
            return missing
        origins = (route.places[click.origin],)
        if card is None and START != space != SLOOP and to < origins[0]:
            return explain(Retreat(click.origin)) or Illegal(InertClickReason.retreat_to_nearest)
    hand = position.hand_names(seat)
    if card is not None and card not in hand:
        return Illegal(IllegalReason.card_not_held, card=card)
    if space == START:
        return Illegal(InertClickReason.never_back_to_start)
    moving = [origin for origin in origins if origin != route.goal]
    symbols = {kinds.symbol[kinds.by_name[held]] for held in ([card] if card else hand)}
    if any(find_landing(position, seat, symbol, origin) == to for symbol in symbols for origin in moving):
        return None
    if isinstance(space, int):
        return _explain_space(position, space, card, hand, moving)
    return _explain_end(position, seat, to, moving)


def _explain_space(
    position: Position, space: int, card: str | None, hand: tuple[str, ...], moving: list[int]
) -> Illegal:
    """Explain a space to which none of the pirates at `moving` goes."""
    route = position.ruleset.route
    to = route.places[space]
    symbol = route.symbols[space - 1]
    if card is not None and card.removesuffix("*") != symbol:
        return Illegal(InertClickReason.other_symbol, n=space, symbol=symbol)
    if card is None and not any(held.removesuffix("*") == symbol for held in hand):
        return Illegal(InertClickReason.no_card_with_symbol, n=space, symbol=symbol)
    if position.occupancy[to]:
        return Illegal(InertClickReason.space_not_empty, n=space)
    if not any(origin < to for origin in moving):
        return Illegal(InertClickReason.space_behind, n=space)
    on_side = [
        origin for origin in moving if route.range_ahead[origin][0] <= to < route.range_ahead[origin][1]
    ]
    if not on_side:
        return Illegal(InertClickReason.other_side)
    if set(on_side) == {route.sloop} and position.sloop != TORTUGA:
        return Illegal(IllegalReason.advance_from_sloop)
    return Illegal(InertClickReason.nearer_space, n=space)


def _explain_end(position: Position, seat: int, to: int, moving: list[int]) -> Illegal:
    """Explain the sloop or the goal, to which none of the pirates at `moving` goes."""
    route = position.ruleset.route
    on_side = [origin for origin in moving if route.side_end[origin] == to]
    if not on_side:
        is_sloop = to == route.sloop
        return Illegal(InertClickReason.board_from_passage if is_sloop else InertClickReason.other_side)
    if to == route.sloop and not has_room_aboard(position, seat, 1):
        return Illegal(InertClickReason.sloop_takes_nobody)
    if set(on_side) == {route.sloop} and position.sloop != TORTUGA:
        return Illegal(IllegalReason.advance_from_sloop)
    return Illegal(InertClickReason.end_too_early)
