"""The playthrough text of a record: after each action its diagram, its events and the views of all audiences.

Only changed lines of the diagram are repeated. For each audience there is a fingerprint of its view, its JSON of an
event where it differs from the spectators', and at intervals the whole view.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from app import rules

FULL_VIEW_INTERVAL = 40
"""Actions between whole views, which are also written at the start and at the end."""


def playthrough(record: rules.Record) -> str:
    return "\n".join(_playthrough_lines(record)) + "\n"


def _playthrough_lines(record: rules.Record) -> Iterator[str]:
    previous_lines: list[str] = []
    last = len(record.moves)
    for number, (position, events) in enumerate(rules.replay(record)):
        if number:
            move = record.moves[number - 1]
            yield f"# {number} {rules.SEAT_LETTERS[move.seat]}: {rules.action_to_text(move.action)}"
        else:
            yield "# start"
        lines = _diagram_lines(position)
        yield from (line for line in lines if line not in previous_lines)
        previous_lines = lines
        yield from _event_lines(events, position)
        audiences = [None, *range(position.options.players)]
        views = {audience_name(one): rules.view(position, one) for one in audiences}
        yield "views " + " ".join(f"{who}={fingerprint(view)}" for who, view in views.items())
        if number in (0, last) or number % FULL_VIEW_INTERVAL == 0:
            yield from (f"view {who} {compact(view)}" for who, view in views.items() if number < last)
            if number == last:
                yield f"view all {compact(views['spectator'])}"


def _diagram_lines(position: rules.Position) -> list[str]:
    """Return the diagram with the deck replaced by a fingerprint, because it is long and changes often."""
    lines = rules.position_to_diagram(position).splitlines()
    for at, line in enumerate(lines):
        if line.startswith("deck "):
            lines[at] = f"deck {len(line.split()) - 1} {fingerprint(line)}"
    return lines


def _event_lines(events: tuple[rules.Event, ...], position: rules.Position) -> Iterator[str]:
    options = position.options
    seen = rules.events_for(events, None, options)
    for event, public in zip(events, seen, strict=True):
        if public["type"] == "game_won":
            # The whole view below contains everything that the event reveals.
            public = {key: public[key] for key in ("type", "seat", "reason")}
        yield f"event {compact(public)}"
        for seat in range(options.players):
            (own,) = rules.events_for([event], seat, options)
            if own != public and own["type"] != "game_won":
                yield f"event {audience_name(seat)} {compact(own)}"
        if "to_full_json" in type(event).__dict__:
            yield f"event log {compact(rules.event_to_json(event))}"


def audience_name(audience: int | None) -> str:
    return "spectator" if audience is None else rules.SEAT_LETTERS[audience]


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def fingerprint(value: Any) -> str:
    return sha256(compact(value).encode()).hexdigest()[:10]
