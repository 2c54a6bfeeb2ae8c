"""Movement: where a card or a retreat takes a pirate, moving it, and winning at the goal."""

from __future__ import annotations

from bisect import insort

from app.rules.core import Json
from app.rules.core.event import GameWon
from app.rules.core.position import CARTAGENA, TORTUGA, Events, Position

NOWHERE = -1
"""Returned instead of a place if a pirate cannot move."""
MAX_ABOARD = 3
"""Pirates of one colour that fit on the sloop."""

_COMPANY_FLAG_BY_COUNT = bytes([0, 1, 1] + [0] * 253)
_SINGLE_CARD = [bytes([kind]) for kind in range(256)]


def company_flags(position: Position) -> bytearray:
    """Return one byte for each place: 1 if one or two pirates stand there. Ignore start, sloop and goal in it."""
    return position.occupancy.translate(_COMPANY_FLAG_BY_COUNT)


def has_room_aboard(position: Position, owner: int, count: int) -> bool:
    """Return whether `count` more pirates of the owner can board the sloop, which must lie at Cartagena."""
    return (
        position.sloop == CARTAGENA
        and position.pirates[owner].count(position.ruleset.route.sloop) + count <= MAX_ABOARD
    )


def find_landing(position: Position, owner: int, symbol: int, origin: int, count: int = 1) -> int:
    """Return the place where a card of the symbol takes `count` pirates together, or NOWHERE."""
    route = position.ruleset.route
    if origin == route.sloop and position.sloop != TORTUGA:
        return NOWHERE
    occupancy = position.occupancy
    for space in route.spaces_ahead[symbol][origin]:
        if not occupancy[space]:
            return space
    end = route.side_end[origin]
    if end == route.sloop and not has_room_aboard(position, owner, count):
        return NOWHERE
    return end


def find_retreat_target(position: Position, origin: int, company: bytes | bytearray) -> int:
    """Return the nearest company behind on the same side, or NOWHERE."""
    route = position.ruleset.route
    if origin == route.sloop and position.sloop != CARTAGENA:
        return NOWHERE
    low, high = route.range_behind[origin]
    return company.rfind(1, low, high)


def move_pirate(position: Position, owner: int, origin: int, to: int) -> None:
    """Move one pirate of the owner."""
    places = position.pirates[owner][:]
    places.remove(origin)
    insort(places, to)
    position.pirates[owner] = places
    occupancy = position.occupancy[:]
    occupancy[origin] -= 1
    occupancy[to] += 1
    position.occupancy = occupancy


def win_if_all_at_goal(position: Position, owner: int, to: int, events: Events) -> bool:
    """End the game if a move to this place has brought the owner's last pirate to the goal; return whether it has."""
    goal = position.ruleset.route.goal
    # Places are in ascending order: if the first is the goal, all are.
    if to != goal or position.pirates[owner][0] != goal:
        return False
    declare_winner(position, owner, "goal", events)
    return True


def declare_winner(position: Position, seat: int, reason: str, events: Events) -> None:
    """End the game with a winner. The event reveals all hidden state."""
    position.winner = seat
    if events is not None:
        names = position.ruleset.kinds.names
        revealed = {
            name: value
            for state in position.ruleset.states
            for name, value in state.to_json(position, True).items()
            if name in state.hidden_fields
        }
        events.append(
            GameWon(
                seat,
                reason,
                position.seed,
                tuple(position.hand_names(seat) for seat in range(len(position.hands))),
                tuple(names[kind] for kind in reversed(position.deck)),
                revealed,
            )
        )


def remove_card(position: Position, seat: int, kind: int) -> None:
    """Take one card out of a hand."""
    hand = position.hands[seat][:]
    hand[kind] -= 1
    position.hands[seat] = hand
    position.hand_sizes[seat] -= 1


def discard_card(position: Position, seat: int, kind: int) -> None:
    """Move one card from a hand to the discards."""
    remove_card(position, seat, kind)
    position.discard += _SINGLE_CARD[kind]


def count_available_cards(position: Position) -> int:
    """Return the number of cards that can still be drawn."""
    return len(position.deck) + len(position.row) + len(position.discard)


def preview_move(position: Position, owner: int, to: int, draws: int = 0, count: int = 1) -> Json:
    """Return the part of a choice that says where a move leads, how many cards it draws and whether it is final."""
    goal = position.ruleset.route.goal
    is_win = to == goal and position.pirates[owner].count(goal) + count == len(position.pirates[owner])
    draws = 0 if is_win else min(draws, count_available_cards(position))
    preview: Json = {"to": position.ruleset.route.names[to]}
    if draws:
        preview["draws"] = draws
    preview["final"] = draws > 0 or is_win
    return preview
