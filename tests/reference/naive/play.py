"""Applying one action to a position."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable

from .actions import check_shape, in_listed_order, symbol_of
from .check import check_position
from .legal import actions_of, all_but_end, is_any_dark, sail_is_free, seats_to_act
from .notes import note
from .owed import after_a_dark_card, discard_owed, settle_share, settle_stack, settle_steal
from .refusal import Json, Refusal, is_number
from .resign import resign
from .route import (
    aboard,
    advance_target,
    ahead,
    behind,
    morgan_target,
    move,
    retreat_target,
    seats_in,
    snake_target,
    standing_on,
)
from .setup import lay_chests
from .supply import draw, draw_relief, top_card


def apply(position: Json, seat: object, action: object) -> Json:
    """A fresh position after the action; the one given is left as it is."""
    check_position(position)
    return play(position, seat, action)


def play(position: Json, seat: object, action: object) -> Json:
    """The same for a position known to be one."""
    if not is_number(seat) or seat not in range(len(position["players"])):
        raise Refusal("bad_seat", "there is no such seat")
    assert isinstance(seat, int)
    if position["winner"] is not None:
        raise Refusal("game_over", "the game is over")
    check_shape(action)
    assert isinstance(action, dict)
    if action["type"] == "resign":
        if position["players"][seat]["resigned"]:
            raise Refusal("illegal", "this seat has resigned already")
    elif seat not in seats_to_act(position):
        raise Refusal("not_your_turn", "others are to act")
    elif not is_listed(position, seat, action):
        raise Refusal("illegal", "the rules do not allow this now")

    after: Json = json.loads(json.dumps(position))
    note(action["type"])
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
        note("forced pass")
        if position["turn"]["captain_used"]:
            note("forced pass after a free sail")
        position["forced_passes"] += 1
    else:
        position["forced_passes"] = 0
    pass_turn(position)
    if position["forced_passes"] == len(seats_in(position)):
        note("stalemate broken")
        players = len(position["players"])
        now = position["turn"]["seat"]
        for other in [(now + step) % players for step in range(players)]:
            if not position["players"][other]["resigned"]:
                draw(position, other, 1)
        position["forced_passes"] = 0


def pass_turn(position: Json) -> None:
    """The next seat still in begins a fresh turn."""
    players = len(position["players"])
    seat = (position["turn"]["seat"] + 1) % players
    while position["players"][seat]["resigned"]:
        note("resigned seat skipped")
        seat = (seat + 1) % players
    position["turn"] = {"seat": seat, "taken": 0, "captain_used": False}


def has_won(position: Json, seat: int, action: Json) -> bool:
    """Looked at as soon as pirates have moved; a win stops everything."""
    if all(place == "goal" for place in position["players"][seat]["pirates"]):
        position["winner"] = seat
        note(f"won by {action['type']}")
        return True
    return False


def play_card(position: Json, seat: int, card: str) -> None:
    position["players"][seat]["hand"].remove(card)
    position["discard"].append(card)


def do_advance(position: Json, seat: int, action: Json) -> None:
    symbol = symbol_of(action["card"])
    target = advance_target(position, seat, action["from"], symbol)
    assert target is not None
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    move(position, seat, action["from"], target)
    if target == "sloop":
        note("boarded from start" if action["from"] == "start" else "boarded from the passage")
    if action["from"] == "sloop":
        note("from the sloop to the goal" if target == "goal" else "from the sloop into the jungle")
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark([action["card"]]))


def do_parrot(position: Json, seat: int, action: Json) -> None:
    target = advance_target(position, seat, action["from"], action["as"])
    assert target is not None
    for card in sorted(action["cards"]):
        play_card(position, seat, card)
    position["turn"]["taken"] += 1
    move(position, seat, action["from"], target)
    note(f"parrot with {sum(is_any_dark([card]) for card in action['cards'])} dark cards")
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark(action["cards"]))


def do_hook(position: Json, seat: int, action: Json) -> None:
    symbol = symbol_of(action["with"])
    target = advance_target(position, seat, action["from"], symbol, pirates=2)
    assert target is not None
    play_card(position, seat, action["card"])
    play_card(position, seat, action["with"])
    position["turn"]["taken"] += 2
    move(position, seat, action["from"], target)
    move(position, seat, action["from"], target)
    note(f"hook to {target if isinstance(target, str) else 'a space'}")
    if symbol == "hook":
        note("hook with a hook")
        if is_any_dark([action["card"]]) != is_any_dark([action["with"]]):
            note("hook with a hook, one of them dark")
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark([action["card"], action["with"]]))


def do_retreat(position: Json, seat: int, action: Json) -> None:
    found = retreat_target(position, action["from"])
    assert found is not None
    target, cards = found
    note_skipped("retreat", position, [s for s in behind(position, action["from"]) if s > target])
    position["turn"]["taken"] += 1
    move(position, seat, action["from"], target)
    if isinstance(action["from"], str):
        note(f"retreat from {action['from']}")
    draw(position, seat, cards)


def note_skipped(what: str, position: Json, spaces: list[int]) -> None:
    if any(standing_on(position, space) == 3 for space in spaces):
        note(f"{what} past three")


def do_morgan(position: Json, seat: int, action: Json) -> None:
    found = morgan_target(position, action["player"], action["from"])
    assert found is not None
    target, cards = found
    way = ahead(position, action["from"])
    assert way is not None
    note_skipped("morgan", position, [s for s in way[0] if isinstance(target, str) or s < target])
    position["turn"]["taken"] += 1
    move(position, action["player"], action["from"], target)
    if action["from"] == "start" and isinstance(target, str):
        note("morgan from start to the end of its side")
    elif isinstance(action["from"], str):
        note(f"morgan from {action['from']}")
    if isinstance(target, str):
        note(f"morgan to {target}")
    if not has_won(position, action["player"], action):
        draw(position, seat, cards)


def do_sail(position: Json, seat: int, action: Json) -> None:
    to = "tortuga" if position["sloop"] == "cartagena" else "cartagena"
    free = sail_is_free(position, seat)
    note(f"{'free' if free else 'paid'} sail to {to}")
    note_captain(position, seat, free)
    position["sloop"] = to
    if free:
        position["turn"]["captain_used"] = True
    else:
        position["turn"]["taken"] += 1


def note_captain(position: Json, seat: int, free: bool) -> None:
    mine = aboard(position, seat)
    others = [other for other in range(len(position["players"])) if other != seat]
    left = [other for other in others if not position["players"][other]["resigned"]]
    if free and any(aboard(position, other) == mine for other in left):
        note("captain with as many as another")
    if free and any(aboard(position, other) > mine for other in others):
        note("captain though a resigned seat has more aboard")
    if not free and position["turn"]["taken"] == 0 and mine and not position["turn"]["captain_used"]:
        note("no captain: another has more aboard")
    if not free and position["turn"]["taken"] == 0 and position["turn"]["captain_used"]:
        note("second sail after the captain's")


def do_draw(position: Json, seat: int, action: Json) -> None:
    if position["turn"]["taken"] > 0:
        note("relief in the middle of a turn")
    if position["turn"]["taken"] < position["options"]["min_actions"]:
        note("relief before min_actions")
    draw_relief(position, seat)
    pass_turn(position)


def do_chest(position: Json, seat: int, action: Json) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    token = position["chests"].pop(str(action["from"]))
    note(f"chest {token}")
    if token == "snake":
        target = snake_target(position, action["from"])
        if target == action["from"]:
            note("snake: stays")
        elif position["board"][target - 1] == "rum":
            note("snake: to rum")
        else:
            note("snake: to the lowest empty space")
        move(position, seat, action["from"], target)
        position["chest_shuffles"] += 1
        lay_chests(position)
        if not position["chests_aside"]:
            note("snake with every token on the route")
    elif token != "empty":
        draw(position, seat, int(token))
    after_a_dark_card(position, seat, is_any_dark([action["card"]]))


def do_pistol(position: Json, seat: int, action: Json) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    if len(position["players"][action["player"]]["hand"]) == 1:
        note("pistol at one card")
    dark = is_any_dark([action["card"]])
    position["pending"] = {"kind": "steal", "seat": seat, "from": action["player"], "dark": dark}


def do_rum(position: Json, seat: int, action: Json) -> None:
    play_and_look(position, seat, action, "share", len(seats_in(position)) + 1)


def do_lantern(position: Json, seat: int, action: Json) -> None:
    play_and_look(position, seat, action, "stack", 4)
    if len(position["pending"]["cards"]) < 4:
        note(f"lantern with {len(position['pending']['cards'])} cards")


def play_and_look(position: Json, seat: int, action: Json, kind: str, number: int) -> None:
    play_card(position, seat, action["card"])
    position["turn"]["taken"] += 1
    drawn = [top_card(position) for _ in range(number)]
    cards = sorted(card for card in drawn if card is not None)
    dark = is_any_dark([action["card"]])
    position["pending"] = {"kind": kind, "seat": seat, "cards": cards, "dark": dark}


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
