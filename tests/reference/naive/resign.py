"""Resigning, in the order of the rules."""

from __future__ import annotations

from .coverage import count_situation
from .pending import after_a_dark_card, discard_owed, settle_share, settle_stack, settle_steal
from .refusal import Json
from .route import seats_in
from .supply import put_on_discards


def resign(position: Json, seat: int) -> bool:
    """Resign a seat. Return whether the next seat's turn must start."""
    player = position["players"][seat]

    # (a) the pending choice of the seat
    pending = position["pending"]
    if pending is not None and pending["kind"] == "discard" and str(seat) in pending["owed"]:
        count_situation("resigned owing discards")
        discard_owed(position, seat, player["hand"][: pending["owed"][str(seat)]])
    elif pending is not None and pending.get("seat") == seat:
        count_situation(f"resigned owing a {pending['kind']}")
        settle_lowest(position, seat)
        if position["pending"] is not None:
            count_situation("resigned owing a dark choice, discards follow")

    # From here on the seat counts as resigned, so that the consequence of a lapsed steal does not affect it.
    player["resigned"] = True

    # (b) a steal from the seat
    pending = position["pending"]
    if pending is not None and pending["kind"] == "steal" and pending["from"] == seat:
        count_situation("steal lapsed")
        after_a_dark_card(position, pending["seat"], pending["dark"])
        if position["pending"] is not None:
            count_situation("dark steal lapsed, discards follow")

    # (c) its hand, (d) the forced passes
    put_on_discards(position, player["hand"])
    player["hand"] = []
    position["forced_passes"] = 0

    # (e) one seat left
    left = seats_in(position)
    if len(left) == 1:
        count_situation("won by resignation")
        pending = position["pending"]
        if pending is not None:
            count_situation(f"won by resignation while a {pending['kind']} stood")
            put_on_discards(position, pending.get("cards", []))
        position["pending"] = None
        position["winner"] = left[0]
        if position["turn"]["seat"] == seat:
            count_situation("won by resignation, turn stays with the resigned seat")
        return False

    # (f) otherwise the next turn, if it was this seat's turn
    if position["turn"]["seat"] != seat:
        count_situation("resigned out of turn")
        if position["pending"] is not None and position["pending"]["kind"] == "share":
            count_situation("receiver of a share resigned")
        return False
    if position["pending"] is not None:
        count_situation("fresh turn while discards are owed")
    return True


def settle_lowest(position: Json, seat: int) -> None:
    """Return the answer for a resigning seat: the lowest cards as text."""
    pending = position["pending"]
    if pending["kind"] == "steal":
        settle_steal(position, min(position["players"][pending["from"]]["hand"]))
        return
    cards = sorted(pending["cards"])
    if pending["kind"] == "stack":
        settle_stack(position, cards[0], cards[1:])
        return
    others = [other for other in seats_in(position) if other != seat]
    kept = len(cards) - len(others)
    given = {str(other): card for other, card in zip(others, cards[kept:], strict=True)}
    settle_share(position, cards[:kept], given)
