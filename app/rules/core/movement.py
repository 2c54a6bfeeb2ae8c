"""Moving pirates: where a card or a retreat takes one, and what happens on arrival."""

from __future__ import annotations

from bisect import insort

from app.rules.core import Json
from app.rules.core.event import GameWon
from app.rules.core.position import CARTAGENA, TORTUGA, Events, Position

NOWHERE = -1
MOST_ABOARD = 3
"""Pirates of one colour that the sloop carries."""

_COMPANY_OF_COUNT = bytes([0, 1, 1] + [0] * 253)
_ONE = 1
_CARD = [bytes([kind]) for kind in range(256)]


def company_of(position: Position) -> bytearray:
    """Of each place 1 where one or two pirates stand. Start, sloop and goal mean nothing in it."""
    return position.crowd.translate(_COMPANY_OF_COUNT)


def has_room_aboard(position: Position, owner: int, count: int) -> bool:
    return (
        position.sloop == CARTAGENA
        and position.pirates[owner].count(position.ruleset.route.sloop) + count <= MOST_ABOARD
    )


def landing(position: Position, owner: int, symbol: int, origin: int, count: int = 1) -> int:
    """Where a card of the symbol takes `count` pirates from one place: −1 if it cannot."""
    route = position.ruleset.route
    if origin == route.sloop and position.sloop != TORTUGA:
        return NOWHERE
    crowd = position.crowd
    for space in route.ahead[symbol][origin]:
        if not crowd[space]:
            return space
    end = route.end[origin]
    if end == route.sloop and not has_room_aboard(position, owner, count):
        return NOWHERE
    return end


def retreat_target(position: Position, origin: int, company: bytes | bytearray) -> int:
    """The nearest company behind on the same side: −1 if there is none."""
    route = position.ruleset.route
    if origin == route.sloop and position.sloop != CARTAGENA:
        return NOWHERE
    low, high = route.behind[origin]
    return company.rfind(_ONE, low, high)


def move(position: Position, owner: int, origin: int, to: int) -> None:
    places = position.pirates[owner][:]
    places.remove(origin)
    insort(places, to)
    position.pirates[owner] = places
    crowd = position.crowd[:]
    crowd[origin] -= 1
    crowd[to] += 1
    position.crowd = crowd


def win_at_goal(position: Position, owner: int, to: int, events: Events) -> bool:
    """Whether the move to that place has won the game for the pirate's owner."""
    goal = position.ruleset.route.goal
    # Places ascend, so the first pirate at the goal means all are there.
    if to != goal or position.pirates[owner][0] != goal:
        return False
    win(position, owner, "goal", events)
    return True


def win(position: Position, seat: int, reason: str, events: Events) -> None:
    position.winner = seat
    if events is not None:
        names = position.ruleset.kinds.names
        revealed = {
            name: value
            for state in position.ruleset.states
            for name, value in state.to_json(position, True).items()
            if name in state.hidden
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


def lose_card(position: Position, seat: int, kind: int) -> None:
    hand = position.hands[seat][:]
    hand[kind] -= 1
    position.hands[seat] = hand
    position.held[seat] -= 1


def discard_card(position: Position, seat: int, kind: int) -> None:
    lose_card(position, seat, kind)
    position.discard += _CARD[kind]


def cards_left(position: Position) -> int:
    return len(position.deck) + len(position.row) + len(position.discard)


def arrival(position: Position, owner: int, to: int, draws: int = 0, count: int = 1) -> Json:
    """What a choice says of a move: where it leads, how many cards it draws, whether it can be taken back."""
    goal = position.ruleset.route.goal
    is_win = to == goal and position.pirates[owner].count(goal) + count == len(position.pirates[owner])
    draws = 0 if is_win else min(draws, cards_left(position))
    leads: Json = {"to": position.ruleset.route.names[to]}
    if draws:
        leads["draws"] = draws
    leads["final"] = draws > 0 or is_win
    return leads
