"""Advances, retreats, Morgan and sails."""

from __future__ import annotations

from .actions import symbol_of
from .coverage import count_situation
from .legal import is_any_dark, sail_is_free
from .pending import after_a_dark_card
from .refusal import Json
from .route import aboard, advance_target, ahead, behind, morgan_target, move, retreat_target, standing_on
from .supply import draw


def has_won(position: Json, seat: int, action: Json) -> bool:
    """Check for a win right after pirates have moved."""
    if all(place == "goal" for place in position["players"][seat]["pirates"]):
        position["winner"] = seat
        count_situation(f"won by {action['type']}")
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
        count_situation("boarded from start" if action["from"] == "start" else "boarded from the passage")
    if action["from"] == "sloop":
        count_situation(
            "from the sloop to the goal" if target == "goal" else "from the sloop into the jungle"
        )
    if not has_won(position, seat, action):
        after_a_dark_card(position, seat, is_any_dark([action["card"]]))


def do_retreat(position: Json, seat: int, action: Json) -> None:
    found = retreat_target(position, action["from"])
    assert found is not None
    target, cards = found
    note_skipped("retreat", position, [s for s in behind(position, action["from"]) if s > target])
    position["turn"]["taken"] += 1
    move(position, seat, action["from"], target)
    if isinstance(action["from"], str):
        count_situation(f"retreat from {action['from']}")
    draw(position, seat, cards)


def note_skipped(what: str, position: Json, spaces: list[int]) -> None:
    if any(standing_on(position, space) == 3 for space in spaces):
        count_situation(f"{what} past three")


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
        count_situation("morgan from start to the end of its side")
    elif isinstance(action["from"], str):
        count_situation(f"morgan from {action['from']}")
    if isinstance(target, str):
        count_situation(f"morgan to {target}")
    if not has_won(position, action["player"], action):
        draw(position, seat, cards)


def do_sail(position: Json, seat: int, action: Json) -> None:
    to = "tortuga" if position["sloop"] == "cartagena" else "cartagena"
    free = sail_is_free(position, seat)
    count_situation(f"{'free' if free else 'paid'} sail to {to}")
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
        count_situation("captain with as many as another")
    if free and any(aboard(position, other) > mine for other in others):
        count_situation("captain though a resigned seat has more aboard")
    if not free and position["turn"]["taken"] == 0 and mine and not position["turn"]["captain_used"]:
        count_situation("no captain: another has more aboard")
    if not free and position["turn"]["taken"] == 0 and position["turn"]["captain_used"]:
        count_situation("second sail after the captain's")
