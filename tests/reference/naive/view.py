"""Views: what one audience sees of a position."""

from __future__ import annotations

import json

from .check import check_position
from .refusal import Json, Refusal, is_number


def view(position: Json, seat: object) -> Json:
    """Return the view of a seat, or of spectators if the seat is None."""
    check_position(position)
    if seat is not None and (not is_number(seat) or seat not in range(len(position["players"]))):
        raise Refusal("bad_seat", "there is no such seat")
    return view_for(position, seat)


def view_for(position: Json, seat: object) -> Json:
    seen: Json = json.loads(json.dumps(position))
    if position["winner"] is not None:
        return seen
    seen["seed"] = None
    seen["deck"] = len(position["deck"])
    seen["chests_aside"] = len(position["chests_aside"])
    seen["chests"] = dict.fromkeys(position["chests"])
    pending = seen["pending"]
    for number, player in enumerate(seen["players"]):
        player["cards"] = len(player["hand"])
        looked_at = (
            pending is not None
            and pending["kind"] == "steal"
            and pending["seat"] == seat
            and pending["from"] == number
        )
        if position["options"]["hands"] == "hidden" and number != seat and not looked_at:
            player["hand"] = None
    if pending is not None and pending["kind"] in ("share", "stack") and pending["seat"] != seat:
        pending["count"] = len(pending["cards"])
        pending["cards"] = None
    return seen
