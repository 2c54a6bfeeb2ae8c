"""Resigning, step by step in the order the rules give."""

from __future__ import annotations

from .notes import note
from .owed import after_a_dark_card, discard_owed, settle_share, settle_stack, settle_steal
from .refusal import Json
from .route import seats_in
from .supply import put_on_discards


def resign(position: Json, seat: int) -> bool:
    """Take the seat out; true when a fresh turn of the next seat must begin."""
    player = position["players"][seat]

    # (a) what the seat owes
    pending = position["pending"]
    if pending is not None and pending["kind"] == "discard" and str(seat) in pending["owed"]:
        note("resigned owing discards")
        discard_owed(position, seat, player["hand"][: pending["owed"][str(seat)]])
    elif pending is not None and pending.get("seat") == seat:
        note(f"resigned owing a {pending['kind']}")
        settle_lowest(position, seat)
        if position["pending"] is not None:
            note("resigned owing a dark choice, discards follow")

    # From here on it is out: a consequence of a lapsed steal must not fall on it.
    player["resigned"] = True

    # (b) a steal from it
    pending = position["pending"]
    if pending is not None and pending["kind"] == "steal" and pending["from"] == seat:
        note("steal lapsed")
        after_a_dark_card(position, pending["seat"], pending["dark"])
        if position["pending"] is not None:
            note("dark steal lapsed, discards follow")

    # (c) its hand, (d) the count
    put_on_discards(position, player["hand"])
    player["hand"] = []
    position["forced_passes"] = 0

    # (e) one seat left
    left = seats_in(position)
    if len(left) == 1:
        note("won by resignation")
        pending = position["pending"]
        if pending is not None:
            note(f"won by resignation while a {pending['kind']} stood")
            put_on_discards(position, pending.get("cards", []))
        position["pending"] = None
        position["winner"] = left[0]
        if position["turn"]["seat"] == seat:
            note("won by resignation, turn stays with the resigned seat")
        return False

    # (f) otherwise the turn goes on if it was its turn
    if position["turn"]["seat"] != seat:
        note("resigned out of turn")
        if position["pending"] is not None and position["pending"]["kind"] == "share":
            note("receiver of a share resigned")
        return False
    if position["pending"] is not None:
        note("fresh turn while discards are owed")
    return True


def settle_lowest(position: Json, seat: int) -> None:
    """The choice made for a seat that leaves while it owes one: the lowest as text."""
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
