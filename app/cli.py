"""`cartagena`: the command line; each command is a function of the part that owns it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from app import __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Find the command and run it; imports wait until then, so that each command starts fast."""
    parser = argparse.ArgumentParser(prog="cartagena", description="Cartagena online.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    words = list(sys.argv[1:] if arguments is None else arguments)

    serve = commands.add_parser("serve", help="open a table on this machine")
    if words[:1] == ["serve"]:
        from app.serve import add_arguments, run

        add_arguments(serve)
        serve.set_defaults(run=run)
    asked = parser.parse_args(words)
    return int(asked.run(asked))


if __name__ == "__main__":
    sys.exit(main())
