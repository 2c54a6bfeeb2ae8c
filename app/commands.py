"""Commands that work on rules and records without a server. Each adds its arguments and its handler to a parser."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from app import rules
from app.engine_lines import serve_lines

_MAX_INPUT_BYTES = 64 * 1024 * 1024


class CommandError(Exception):
    """A user error; the message says what to change."""


def _report_refusals(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """Turn a refusal into a message on standard error and exit code 1."""

    def run(arguments: argparse.Namespace) -> int:
        try:
            command(arguments)
        except (rules.RuleError, CommandError) as refusal:
            print(f"cartagena: {refusal}", file=sys.stderr)
            return 1
        return 0

    return run


def _read(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(_MAX_INPUT_BYTES)
        with Path(name).open("rb") as file:
            return file.read(_MAX_INPUT_BYTES)
    except OSError as error:
        raise CommandError(f"cannot read {name}: {error.strerror}.") from None


def _read_json(name: str) -> object:
    try:
        return orjson.loads(_read(name))
    except orjson.JSONDecodeError as error:
        raise CommandError(f"{name} is not valid JSON: {error}.") from None


def _check_seat(seat: int | None, players: int) -> int | None:
    if seat is not None and not 0 <= seat < players:
        raise rules.BadSeat(
            "no_such_seat", "The seats at this table are numbered from 0 to {n}.", n=players - 1
        )
    return seat


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Set up `cartagena engine`: the rules for programs, one JSON line in, one JSON line out."""
    parser.set_defaults(run=_engine)


def _engine(arguments: argparse.Namespace) -> int:
    try:
        serve_lines(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # The reader has closed the pipe. Send what is still buffered to /dev/null, so that no traceback appears.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def add_catalogue_arguments(parser: argparse.ArgumentParser) -> None:
    """Set up `cartagena rules`: the option catalogue as text or JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.set_defaults(run=_catalogue)


@_report_refusals
def _catalogue(arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(orjson.dumps(rules.catalogue_to_json(), option=orjson.OPT_INDENT_2).decode())
        return
    for spec in rules.CATALOGUE:
        print(f"{spec.name}: {spec.describe_range()}\n    {spec.sentence}")
        for choice in spec.choices:
            print(f"      {choice.value}: {choice.sentence}")
        if spec.excludes:
            print(f"    {spec.excludes}")
    print("\nCombinations that are refused:")
    for conflict in rules.CONFLICTS:
        print(f"    {conflict.why.value}")


def add_replay_arguments(parser: argparse.ArgumentParser) -> None:
    """Set up `cartagena replay`: a recorded game, with every card or as one seat saw it."""
    parser.add_argument("record", help="record file, or - for standard input")
    parser.add_argument("--step", type=int, help="show only the position after this many actions")
    parser.add_argument("--seat", type=int, help="show only what this seat could see")
    parser.set_defaults(run=_replay)


@_report_refusals
def _replay(arguments: argparse.Namespace) -> None:
    record = rules.record_from_json(_read_json(arguments.record))
    seat = _check_seat(arguments.seat, record.options.players)
    last = len(record.moves)
    if arguments.step is not None and not 0 <= arguments.step <= last:
        raise CommandError(f"this record has steps 0 to {last}.")
    for step, (position, events) in enumerate(rules.replay(record)):
        if arguments.step is not None and step != arguments.step:
            continue
        if step:
            move = record.moves[step - 1]
            print(f"{step}. {rules.SEAT_LETTERS[move.seat]} {_move_text(move, seat)}")
            for event in _events_json(events, seat, record.options):
                print("   ", orjson.dumps(event).decode())
        if arguments.step is not None or step in (0, last):
            print(
                rules.position_to_diagram(position)
                if seat is None
                else rules.view_to_diagram(rules.view(position, seat))
            )


def _events_json(
    events: tuple[rules.Event, ...], seat: int | None, options: rules.Options
) -> list[dict[str, object]]:
    if seat is None:
        return [rules.event_to_json(event) for event in events]
    return rules.events_for(events, seat, options)


def _move_text(move: rules.Move, seat: int | None) -> str:
    """Return the action as text; to other seats, a secret answer is only its type."""
    if seat is not None and seat != move.seat and move.action.is_secret:
        return move.action.type
    return rules.action_to_text(move.action)


def add_verify_arguments(parser: argparse.ArgumentParser) -> None:
    """Set up `cartagena verify`: recompute the commitment, the board and every card of a record."""
    parser.add_argument("record", help="record file, or - for standard input")
    parser.add_argument(
        "--scheme",
        type=int,
        choices=(1, 2, 3),
        help="the table's scheme; required for records of scheme 1",
    )
    parser.set_defaults(run=_verify)


@_report_refusals
def _verify(arguments: argparse.Namespace) -> None:
    record = rules.record_from_json(_read_json(arguments.record))
    last = rules.verify(record, scheme=arguments.scheme)
    print(f"commitment: matches ({record.commitment})")
    if record.scheme == 1:
        print("scheme:     1, every nonce was visible from the moment its player sat down")
    elif record.scheme == 3:
        print(
            f"scheme:     3, the deal of {record.deal}: the seed is derived from the server's seed and the day"
        )
    else:
        sealed = sum(seal is not None for seal in record.seals)
        print(f"scheme:     2, sealed: {sealed} nonces match the seals frozen before any was opened")
        print(
            f"void:       {len(record.void_rounds)} void rounds before it; none of their nonces was used again"
        )
    print(f"seed:       {record.seed}")
    if record.scheme != 3:
        bots = sum(bot is not None for _, bot in record.players)
        print(f"bots:       {bots}, each nonce derived from the server's seed")
    print(f"actions:    {len(record.moves)}, all legal")
    print(f"cards:      dealt, drawn and shuffled as the seed determines ({last.shuffles} reshuffles)")
    who = "none" if last.winner is None else f"seat {last.winner} ({record.players[last.winner][0]})"
    print(f"winner:     {who}, {record.reason}")


def add_picture_arguments(parser: argparse.ArgumentParser) -> None:
    """Set up `cartagena picture`: draw a position as text, or parse a drawing."""
    parser.add_argument("position", help="position file (with --json a drawing), or - for standard input")
    parser.add_argument("--seat", type=int, help="draw only what this seat sees")
    parser.add_argument("--json", action="store_true", help="read a drawing and print its position as JSON")
    parser.set_defaults(run=_picture)


@_report_refusals
def _picture(arguments: argparse.Namespace) -> None:
    if arguments.json:
        try:
            text = _read(arguments.position).decode("utf-8")
        except UnicodeDecodeError:
            raise CommandError(f"{arguments.position} is not UTF-8 text.") from None
        print(orjson.dumps(rules.position_to_json(rules.position_from_diagram(text))).decode())
        return
    position = rules.position_from_json(_read_json(arguments.position))
    seat = _check_seat(arguments.seat, position.options.players)
    print(
        rules.position_to_diagram(position)
        if seat is None
        else rules.view_to_diagram(rules.view(position, seat)),
        end="",
    )
