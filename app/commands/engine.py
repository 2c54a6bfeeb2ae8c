"""`cartagena engine`: the rules for programs, a JSON line in and a JSON line out."""

from __future__ import annotations

import argparse
import os
import sys

from app.engine_lines import serve_lines

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none: everything stands in the requests."""


def run(asked: argparse.Namespace) -> int:
    try:
        serve_lines(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # Whoever read our answers has gone; what is still buffered goes nowhere, without a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
