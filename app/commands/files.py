"""What the commands read, and how a refusal reaches the person at the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import orjson

from app import rules

__all__ = ["CommandError", "guarded", "read", "read_json", "seat_of"]

_MOST_BYTES = 64 * 1024 * 1024


class CommandError(Exception):
    """Something the person at the command line can put right."""


def guarded(command: Callable[[argparse.Namespace], None]) -> Callable[[argparse.Namespace], int]:
    """A refusal becomes one sentence on standard error and the exit code 1."""

    def run(asked: argparse.Namespace) -> int:
        try:
            command(asked)
        except (rules.RuleError, CommandError) as refusal:
            print(f"cartagena: {refusal}", file=sys.stderr)
            return 1
        return 0

    return run


def read(name: str) -> bytes:
    try:
        if name == "-":
            return sys.stdin.buffer.read(_MOST_BYTES)
        with Path(name).open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError as wrong:
        raise CommandError(f"{name} cannot be read: {wrong.strerror}.") from None


def read_json(name: str) -> object:
    try:
        return orjson.loads(read(name))
    except orjson.JSONDecodeError as wrong:
        raise CommandError(f"{name} is not JSON: {wrong}.") from None


def seat_of(asked: int | None, players: int) -> int | None:
    if asked is not None and not 0 <= asked < players:
        raise rules.BadSeat("no_such_seat", "This table has the seats 0 to {n}.", n=players - 1)
    return asked
