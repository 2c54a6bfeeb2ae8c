"""The turn: passing it on, ending it, and the guard against everybody being stuck."""

from __future__ import annotations

from app.rules.core.action import Action
from app.rules.core.event import StalemateBroken, TurnPassed
from app.rules.core.position import Events, Position
from app.rules.core.supply import take


def next_seat(position: Position, seat: int) -> int:
    """The next seat still in."""
    resigned = position.resigned
    count = len(resigned)
    seat = (seat + 1) % count
    while resigned[seat]:
        seat = (seat + 1) % count
    return seat


def pass_turn(position: Position, is_forced: bool, events: Events) -> None:
    """The next seat still in begins a fresh turn."""
    before = position.seat
    position.seat = next_seat(position, before)
    position.taken = 0
    position.captain_used = False
    position.forced_passes = position.forced_passes + 1 if is_forced else 0
    if events is not None:
        events.append(TurnPassed(before, position.seat, is_forced))


def offered(position: Position, seat: int) -> list[Action]:
    """What the modules offer the seat in turn, `end` apart."""
    out: list[Action] = []
    if position.taken < position.ruleset.actions:
        for offer in position.ruleset.offers:
            offer(position, seat, out)
    return out


def has_nothing_to_do(position: Position) -> bool:
    return not offered(position, position.seat)


def end_turn(position: Position, events: Events) -> None:
    """End the turn; if every seat in a row was forced to pass, each takes a card."""
    is_forced = position.taken == 0 and has_nothing_to_do(position)
    pass_turn(position, is_forced, events)
    still_in = position.resigned.count(False)
    if position.forced_passes >= still_in:
        position.forced_passes = 0
        if events is not None:
            events.append(StalemateBroken())
        seat = position.seat
        for _ in range(still_in):
            take(position, seat, 1, events)
            seat = next_seat(position, seat)
