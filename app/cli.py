"""The `cartagena` command line. Each subcommand is defined in the module that implements it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

from app import __version__

# Command → module, function that adds the arguments and `run` to a parser, and help text. A module is imported only
# for its own command, so that `cartagena engine` does not load the web server and `--help` loads nothing.
_COMMANDS: dict[str, tuple[str, str, str]] = {
    "serve": ("app.serve", "add_arguments", "run the server"),
    "admin": ("app.admin", "add_arguments", "administer a server: rooms, bans, reports, audit log"),
    "ratings": (
        "app.rating_commands",
        "add_arguments",
        "rebuild or check the ratings, or recompute the public file",
    ),
    "bot": ("app.client.play", "add_arguments", "connect a program to a seat"),
    "engine": ("app.commands", "add_engine_arguments", "answer JSON requests about the rules, one per line"),
    "rules": ("app.commands", "add_catalogue_arguments", "list all options and presets"),
    "replay": ("app.commands", "add_replay_arguments", "replay a recorded game, action by action"),
    "verify": (
        "app.commands",
        "add_verify_arguments",
        "recompute the commitment, board and every card of a record",
    ),
    "picture": ("app.commands", "add_picture_arguments", "draw a position as text, or parse a drawing"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="cartagena", description="Cartagena online.")
    parser.add_argument("--version", action="version", version=f"cartagena {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (module_name, function, help_text) in _COMMANDS.items():
        command = commands.add_parser(name, help=help_text, description=help_text)
        if words[:1] == [name]:
            getattr(_import_without_gc(module_name), function)(command)
    parsed = parser.parse_args(words)
    try:
        code = int(parsed.run(parsed))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130  # the shell's exit code for SIGINT
    except BrokenPipeError:
        # The reader has closed the pipe (`cartagena replay … | head`). Without this, Python would report the failed
        # flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _import_without_gc(module_name: str) -> ModuleType:
    """Import a module with garbage collection off, and exclude what it created from later collections.

    Imported objects live until the process ends. Collecting while they are created finds nothing and takes a fifth of
    the server's start-up time.
    """
    gc.disable()
    try:
        return import_module(module_name)
    finally:
        gc.freeze()
        gc.enable()


if __name__ == "__main__":
    sys.exit(main())
