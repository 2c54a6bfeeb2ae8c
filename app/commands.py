"""The commands on rules and records: each adds its arguments to a parser and says what runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from app import rules
from app.engine_lines import serve_lines

_MOST_BYTES = 64 * 1024 * 1024


class CommandError(Exception):
    """Something the person at the command line can put right."""


def _guarded(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """A refusal becomes one sentence on standard error and the exit code 1."""

    def run(asked: argparse.Namespace) -> int:
        try:
            command(asked)
        except (rules.RuleError, CommandError) as refusal:
            print(f"cartagena: {refusal}", file=sys.stderr)
            return 1
        return 0

    return run


def _read(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(_MOST_BYTES)
        with Path(name).open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as wrong:
        raise CommandError(f"{name} cannot be read: {wrong.strerror}.") from None


def _read_json(name: str) -> object:
    try:
        return orjson.loads(_read(name))
    except orjson.JSONDecodeError as wrong:
        raise CommandError(f"{name} is not JSON: {wrong}.") from None


def _seat_of(asked: int | None, players: int) -> int | None:
    if asked is not None and not 0 <= asked < players:
        raise rules.BadSeat("no_such_seat", "This table has the seats 0 to {n}.", n=players - 1)
    return asked


def engine(parser: argparse.ArgumentParser) -> None:
    """`cartagena engine`: the rules for programs, a JSON line in and a JSON line out."""
    parser.set_defaults(run=_engine)


def _engine(asked: argparse.Namespace) -> int:
    try:
        serve_lines(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Whoever read our answers has gone; what is still buffered goes nowhere, without a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def catalogue(parser: argparse.ArgumentParser) -> None:
    """`cartagena rules`: the option catalogue, for people or as JSON."""
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(run=_catalogue)


@_guarded
def _catalogue(asked: argparse.Namespace) -> None:
    if asked.json:
        print(orjson.dumps(rules.catalogue_to_json(), option=orjson.OPT_INDENT_2).decode())
        return
    for spec in rules.CATALOGUE:
        print(f"{spec.name}: {spec.range_text()}\n    {spec.sentence}")
        for value, sentence in spec.choices:
            print(f"      {value}: {sentence}")
        if spec.excludes:
            print(f"    {spec.excludes}")
    print("\nRefused together:")
    for conflict in rules.CONFLICTS:
        print(f"    {conflict.why.value}")


def replay(parser: argparse.ArgumentParser) -> None:
    """`cartagena replay`: a recorded game once more, as everything or as one seat saw it."""
    parser.add_argument("record", help="a file with a record, or - for standard input")
    parser.add_argument("--step", type=int, help="show only the position after this many actions")
    parser.add_argument("--seat", type=int, help="through the eyes of one seat")
    parser.set_defaults(run=_replay)


@_guarded
def _replay(asked: argparse.Namespace) -> None:
    record = rules.record_from_json(_read_json(asked.record))
    seat = _seat_of(asked.seat, record.options.players)
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


def verify(parser: argparse.ArgumentParser) -> None:
    """`cartagena verify`: recompute the commitment, the board and every card of a record."""
    parser.add_argument("record", help="a file with a record, or - for standard input")
    parser.add_argument(
        "--scheme",
        type=int,
        choices=(1, 2, 3),
        help="the scheme of its table; needed for a record of scheme 1",
    )
    parser.set_defaults(run=_verify)


@_guarded
def _verify(asked: argparse.Namespace) -> None:
    record = rules.record_from_json(_read_json(asked.record))
    last = rules.verify(record, scheme=asked.scheme)
    print(f"commitment: holds ({record.commitment})")
    if record.scheme == 1:
        print("scheme:     1, every player's nonce was known as soon as they sat down")
    elif record.scheme == 3:
        print(
            f"scheme:     3, the deal of {record.deal}: the seed follows from the server's seed and the day"
        )
    else:
        sealed = sum(seal is not None for seal in record.seals)
        print(f"scheme:     2, sealed: {sealed} nonces fit the seals that were frozen before any was opened")
        print(f"void:       {len(record.void_rounds)} void rounds before it, no nonce of theirs used again")
    print(f"seed:       {record.seed}")
    if record.scheme != 3:
        bots = sum(bot is not None for _, bot in record.players)
        print(f"bots:       {bots}, the nonce of each follows from the server's seed")
    print(f"actions:    {len(record.moves)}, each of them legal")
    print(f"cards:      dealt, drawn and shuffled as the seed says ({last.shuffles} reshuffles)")
    who = "nobody" if last.winner is None else f"seat {last.winner} ({record.players[last.winner][0]})"
    print(f"winner:     {who}, {record.reason}")


def picture(parser: argparse.ArgumentParser) -> None:
    """`cartagena picture`: a position drawn as text, or a drawing read back."""
    parser.add_argument("position", help="a file with a position (or drawing), or - for standard input")
    parser.add_argument("--seat", type=int, help="draw only what this seat sees")
    parser.add_argument("--json", action="store_true", help="read a drawing and print the position as JSON")
    parser.set_defaults(run=_picture)


@_guarded
def _picture(asked: argparse.Namespace) -> None:
    if asked.json:
        try:
            text = _read(asked.position).decode("utf-8")
        except UnicodeDecodeError:
            raise CommandError(f"{asked.position} is not a text.") from None
        print(orjson.dumps(rules.position_to_json(rules.parse_drawing(text))).decode())
        return
    position = rules.position_from_json(_read_json(asked.position))
    seat = _seat_of(asked.seat, position.options.players)
    print(rules.draw(position) if seat is None else rules.draw_view(rules.view(position, seat)), end="")
