"""Turns: ending a turn, passing it to the next seat, and breaking a stalemate."""

from __future__ import annotations

from app.rules.core.action import Action
from app.rules.core.event import StalemateBroken, TurnPassed
from app.rules.core.position import Events, Position
from app.rules.core.supply import draw_cards


def next_seat(position: Position, seat: int) -> int:
    """Return the next seat that has not resigned."""
    resigned = position.resigned
    count = len(resigned)
    seat = (seat + 1) % count
    while resigned[seat]:
        seat = (seat + 1) % count
    return seat


def pass_turn(position: Position, is_forced: bool, events: Events) -> None:
    """Start the turn of the next seat that has not resigned."""
    previous = position.turn_seat
    position.turn_seat = next_seat(position, previous)
    position.actions_taken = 0
    position.captain_used = False
    position.forced_passes = position.forced_passes + 1 if is_forced else 0
    if events is not None:
        events.append(TurnPassed(previous, position.turn_seat, is_forced))


def list_offers(position: Position, seat: int) -> list[Action]:
    """Return the legal actions of the seat whose turn it is, without `end` and `resign`."""
    out: list[Action] = []
    if position.actions_taken < position.ruleset.actions:
        for offer in position.ruleset.offers:
            offer(position, seat, out)
    return out


def has_no_action(position: Position) -> bool:
    """Return whether the seat whose turn it is can only end its turn."""
    return not list_offers(position, position.turn_seat)


def end_turn(position: Position, events: Events) -> None:
    """End the turn. If all seats in a row were forced to pass, each seat still in draws a card."""
    is_forced = position.actions_taken == 0 and has_no_action(position)
    pass_turn(position, is_forced, events)
    still_in = position.resigned.count(False)
    if position.forced_passes >= still_in:
        position.forced_passes = 0
        if events is not None:
            events.append(StalemateBroken())
        seat = position.turn_seat
        for _ in range(still_in):
            draw_cards(position, seat, 1, events)
            seat = next_seat(position, seat)
