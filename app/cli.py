"""`cartagena`: the command line; each command is a function of the part that owns it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from app import __version__

# Command → the module and its function that readies a parser, with its arguments and what is to `run`. The module
# is imported only when it is asked for: so the engine starts without a web server, and help without anything.
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "serve": ("app.serve", "add_arguments", "open a house of tables on this machine"),
    "admin": ("app.admin", "add_arguments", "what only the operator may do: rooms, bans, reports, audit"),
    "bot": ("app.client.play", "add_arguments", "let a program of yours play a seat"),
    "engine": ("app.commands", "engine", "answer one JSON request a line, for programs"),
    "rules": ("app.commands", "catalogue", "list every option and preset"),
    "replay": ("app.commands", "replay", "play a recorded game again, action by action"),
    "verify": ("app.commands", "verify", "recompute commitment, board and every card of a record"),
    "picture": ("app.commands", "picture", "draw a position as text, or read a drawing back"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="cartagena", description="Cartagena online.")
    parser.add_argument("--version", action="version", version=f"cartagena {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module_name, function, sentence) in _COMMANDS.items():
        command = commands.add_parser(name, help=sentence, description=sentence)
        if words[:1] == [name]:
            getattr(_imported(module_name), function)(command)
    asked = parser.parse_args(words)
    try:
        code = int(asked.run(asked))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130  # as a shell counts it: the person at the keyboard wanted it to stop
    except BrokenPipeError:
        # Whoever read the answer has heard enough (`cartagena replay … | head`). Python would try to flush the
        # rest at its end, and say so.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _imported(module_name: str) -> ModuleType:
    """What is imported stays to the end: a collector that looks through it again and again while it grows,
    and never finds anything, takes a fifth of the time in which a server starts.
    """
    gc.disable()
    try:
        return import_module(module_name)
    finally:
        gc.freeze()
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
