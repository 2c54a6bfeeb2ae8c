"""`cartagena picture`: a position drawn as text, or a drawing read back."""

from __future__ import annotations

import argparse

import orjson

from app import rules
from app.commands.files import CommandError, guarded, read, read_json, seat_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("position", help="a file with a position (or drawing), or - for standard input")
    parser.add_argument("--seat", type=int, help="draw only what this seat sees")
    parser.add_argument("--json", action="store_true", help="read a drawing and print the position as JSON")


@guarded
def run(asked: argparse.Namespace) -> None:
    if asked.json:
        try:
            text = read(asked.position).decode("utf-8")
        except UnicodeDecodeError:
            raise CommandError(f"{asked.position} is not a text.") from None
        print(orjson.dumps(rules.position_to_json(rules.parse_drawing(text))).decode())
        return
    position = rules.position_from_json(read_json(asked.position))
    seat = seat_of(asked.seat, position.options.players)
    print(rules.draw(position) if seat is None else rules.draw_view(rules.view(position, seat)), end="")
