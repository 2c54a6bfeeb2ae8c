"""`cartagena replay`: a recorded game once more, as everything or as one seat saw it."""

from __future__ import annotations

import argparse

import orjson

from app import rules
from app.commands.files import CommandError, guarded, read_json, seat_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", help="a file with a record, or - for standard input")
    parser.add_argument("--step", type=int, help="show only the position after this many actions")
    parser.add_argument("--seat", type=int, help="through the eyes of one seat")


@guarded
def run(asked: argparse.Namespace) -> None:
    record = rules.record_from_json(read_json(asked.record))
    seat = seat_of(asked.seat, record.options.players)
    last = len(record.moves)
    if asked.step is not None and not 0 <= asked.step <= last:
        raise CommandError(f"This record has the steps 0 to {last}.")
    for step, (position, events) in enumerate(rules.replay(record)):
        if asked.step is not None and step != asked.step:
            continue
        if step:
            move = record.moves[step - 1]
            print(f"{step}. {rules.SEAT_LETTERS[move.seat]} {_move_text(move, seat)}")
            for event in _events_json(events, seat, record.options):
                print("   ", orjson.dumps(event).decode())
        if asked.step is not None or step in (0, last):
            print(rules.draw(position) if seat is None else rules.draw_view(rules.view(position, seat)))


def _events_json(
    events: tuple[rules.Event, ...], seat: int | None, options: rules.Options
) -> list[dict[str, object]]:
    if seat is None:
        return [rules.event_to_json(event) for event in events]
    return rules.events_for(events, seat, options)


def _move_text(move: rules.Move, seat: int | None) -> str:
    """The action as text; an answer that others may not know stands only by its kind."""
    if seat is not None and seat != move.seat and move.action.is_secret:
        return move.action.type
    return rules.action_to_text(move.action)
