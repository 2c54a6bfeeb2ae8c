"""The playthrough of a record: after each action the picture, the events and what each audience got.

Of the picture only the lines that changed are repeated. Of each audience there is a fingerprint of its view,
its own telling of the events where that differs from the spectators', and at times the whole view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from app import rules

WHOLE_EVERY = 40
"""Whole views stand at the start, after every so many actions, and at the end."""


def playthrough(record: rules.Record) -> str:
    return "\n".join(_lines(record)) + "\n"


def _lines(record: rules.Record) -> Iterator[str]:
    drawn: list[str] = []
    last = len(record.moves)
    for number, (position, events) in enumerate(rules.replay(record)):
        if number:
            move = record.moves[number - 1]
            yield f"# {number} {rules.SEAT_LETTERS[move.seat]}: {rules.action_to_text(move.action)}"
        else:
            yield "# start"
        drawing = _picture(position)
        yield from (line for line in drawing if line not in drawn)
        drawn = drawing
        yield from _told(events, position)
        audiences = [None, *range(position.options.players)]
        views = {name(one): rules.view(position, one) for one in audiences}
        yield "views " + " ".join(f"{who}={fingerprint(view)}" for who, view in views.items())
        if number in (0, last) or number % WHOLE_EVERY == 0:
            yield from (f"view {who} {compact(view)}" for who, view in views.items() if number < last)
            if number == last:
                yield f"view all {compact(views['spectator'])}"


def _picture(position: rules.Position) -> list[str]:
    """The drawing; the deck's order as a fingerprint, for it is long and changes with every card."""
    lines = rules.draw(position).splitlines()
    for at, line in enumerate(lines):
        if line.startswith("deck "):
            lines[at] = f"deck {len(line.split()) - 1} {fingerprint(line)}"
    return lines


def _told(events: tuple[rules.Event, ...], position: rules.Position) -> Iterator[str]:
    options = position.options
    seen = rules.events_for(events, None, options)
    for event, public in zip(events, seen, strict=True):
        if public["type"] == "game_won":
            # All that it reveals stands in the whole view below.
            public = {key: public[key] for key in ("type", "seat", "reason")}
        yield f"event {compact(public)}"
        for seat in range(options.players):
            (own,) = rules.events_for([event], seat, options)
            if own != public and own["type"] != "game_won":
                yield f"event {name(seat)} {compact(own)}"
        if "in_full" in type(event).__dict__:
            yield f"event log {compact(rules.event_to_json(event))}"


def name(audience: int | None) -> str:
    return "spectator" if audience is None else rules.SEAT_LETTERS[audience]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def fingerprint(value: Any) -> str:
    return sha256(compact(value).encode()).hexdigest()[:10]
