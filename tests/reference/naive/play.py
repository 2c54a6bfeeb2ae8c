"""Applying an action to a position."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from .actions import check_shape, in_listed_order
from .check import check_position
from .coverage import count_situation
from .legal import actions_of, all_but_end, seats_to_act
from .moves import do_advance, do_morgan, do_retreat, do_sail
from .pending import discard_owed, settle_share, settle_stack, settle_steal
from .powers import do_chest, do_hook, do_lantern, do_parrot, do_pistol, do_rum
from .refusal import Json, Refusal, is_number
from .resign import resign
from .route import seats_in
from .supply import draw, draw_relief


def apply(position: Json, seat: object, action: object) -> Json:
    """Return a new position after the action. Refuse an invalid position."""
    check_position(position)
    return play(position, seat, action)


def play(position: Json, seat: object, action: object) -> Json:
    """Like `apply`, but assume that the position is valid."""
    if not is_number(seat) or seat not in range(len(position["players"])):
        raise Refusal("bad_seat", "there is no such seat")
    assert isinstance(seat, int)
    check_shape(action)
    assert isinstance(action, dict)
    if position["winner"] is not None:
        raise Refusal("game_over", "the game is over")
    if action["type"] == "resign":
        if position["players"][seat]["resigned"]:
            raise Refusal("illegal", "this seat has resigned already")
    elif seat not in seats_to_act(position):
        raise Refusal("not_your_turn", "others are to act")
    elif not is_listed(position, seat, action):
        raise Refusal("illegal", "the rules do not allow this now")

    after: Json = json.loads(json.dumps(position))
    count_situation(action["type"])
    if action["type"] == "end":
        end_turn(after, seat)
        return after
    after["forced_passes"] = 0
    DOERS[action["type"]](after, seat, action)
    return after


def is_listed(position: Json, seat: int, action: Json) -> bool:
    listed = actions_of(position, seat)
    if action["type"] != "discard":
        return in_listed_order(action) in listed
    hand = Counter(position["players"][seat]["hand"])
    owed = {"type": "discard", "count": len(action["cards"])}
    return owed in listed and not Counter(action["cards"]) - hand


def end_turn(position: Json, seat: int) -> None:
    forced = position["turn"]["taken"] == 0 and not all_but_end(position, seat)
    if forced:
        count_situation("forced pass")
        if position["turn"]["captain_used"]:
            count_situation("forced pass after a free sail")
        position["forced_passes"] += 1
    else:
        position["forced_passes"] = 0
    pass_turn(position)
    if position["forced_passes"] == len(seats_in(position)):
        count_situation("stalemate broken")
        players = len(position["players"])
        now = position["turn"]["seat"]
        for other in [(now + step) % players for step in range(players)]:
            if not position["players"][other]["resigned"]:
                draw(position, other, 1)
        position["forced_passes"] = 0


def pass_turn(position: Json) -> None:
    """Start the turn of the next seat still in."""
    players = len(position["players"])
    seat = (position["turn"]["seat"] + 1) % players
    while position["players"][seat]["resigned"]:
        count_situation("resigned seat skipped")
        seat = (seat + 1) % players
    position["turn"] = {"seat": seat, "taken": 0, "captain_used": False}


def do_draw(position: Json, seat: int, action: Json) -> None:
    if position["turn"]["taken"] > 0:
        count_situation("relief in the middle of a turn")
    if position["turn"]["taken"] < position["options"]["min_actions"]:
        count_situation("relief before min_actions")
    draw_relief(position, seat)
    pass_turn(position)


def do_steal(position: Json, seat: int, action: Json) -> None:
    settle_steal(position, action["card"])


def do_share(position: Json, seat: int, action: Json) -> None:
    settle_share(position, action["keep"], action["give"])


def do_stack(position: Json, seat: int, action: Json) -> None:
    settle_stack(position, action["keep"], action["back"])


def do_discard(position: Json, seat: int, action: Json) -> None:
    discard_owed(position, seat, action["cards"])


def do_resign(position: Json, seat: int, action: Json) -> None:
    if resign(position, seat):
        pass_turn(position)


DOERS: dict[str, Callable[[Json, int, Json], None]] = {
    "advance": do_advance, "retreat": do_retreat, "morgan": do_morgan, "sail": do_sail,
    "draw": do_draw, "resign": do_resign, "pistol": do_pistol, "steal": do_steal, "rum": do_rum,
    "share": do_share, "lantern": do_lantern, "stack": do_stack, "parrot": do_parrot,
    "hook": do_hook, "chest": do_chest, "discard": do_discard,
}  # fmt: skip
