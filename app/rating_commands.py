"""`cartagena ratings`: rebuild all ratings, check that a rebuild would change nothing, or recompute the public file."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from app.play.log.reading import fold_result, read_whole_log
from app.play.ports import StoreUnavailable
from app.ratings.public_file import PublicFileError, verify_lines
from app.settings import BadSettings, Settings, settings_from
from app.store.database import open_database
from app.store.games.store import SqlGameStore, open_store
from app.store.ratings.projection import LeaseLost, RatingProjection
from app.store.ratings.rebuild import Rebuild, RebuildReport, WriterBusy

_PAGES_PER_LINE = 50
_GZIP_MAGIC = b"\x1f\x8b"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the commands to a parser."""
    commands = parser.add_subparsers(dest="deed", required=True, metavar="COMMAND")
    for name, help_text in (
        ("rebuild", "compute all ratings again from the finished games; the server may run"),
        ("check", "compare the ratings with a rebuild in memory; exit with 1 if they differ"),
    ):
        command = commands.add_parser(name, help=help_text, description=help_text)
        command.add_argument(
            "--database", default=None, help="database URL, as for serve (CARTAGENA_DATABASE)"
        )
        command.set_defaults(run=_run_on_database, writes=name == "rebuild")
    help_text = "recompute the public file of ratings, without a database; exit with 1 if a figure differs"
    verify = commands.add_parser("verify", help=help_text, description=help_text)
    verify.add_argument("file", help="the downloaded file, gzipped or not, or - for standard input")
    verify.set_defaults(run=_verify)


# -- on a database -----------------------------------------------------------------------------------


def _run_on_database(arguments: argparse.Namespace) -> int:
    try:
        report = asyncio.run(_rebuild(settings_from(arguments), writes=arguments.writes))
    except BadSettings as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 2
    except WriterBusy:
        print("cartagena: another rebuild or check is running; try again when it has ended.", file=sys.stderr)
        return 1
    except LeaseLost:
        print("cartagena: the run was interrupted for too long; start it again.", file=sys.stderr)
        return 1
    except (StoreUnavailable, SQLAlchemyError, OSError) as problem:
        print(f"cartagena: cannot use the database ({type(problem).__name__}).", file=sys.stderr)
        return 1
    for line in _describe(report, writes=arguments.writes):
        print(line)
    return 0 if arguments.writes or report.is_right else 1


async def _rebuild(settings: Settings, *, writes: bool) -> RebuildReport:
    async with AsyncExitStack() as stack:
        database = open_database(settings.database_url)
        stack.push_async_callback(database.close)
        store = await stack.enter_async_context(
            open_store(settings.database_url, lambda seconds, entries: None, database)
        )
        projection = RatingProjection(database, secrets.token_hex(8), is_command=True)
        run = Rebuild(
            projection,
            lambda game: _read_result(store, game),
            _now_ms,
            writes=writes,
            on_page=_Progress().on_page,
        )
        return await run.run()


async def _read_result(store: SqlGameStore, game: str) -> dict[str, Any]:
    row = await store.log.read_game(game)
    return {} if row is None else fold_result(row, await read_whole_log(store.log, game))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


class _Progress:
    """Prints a line now and then, on a terminal only."""

    def __init__(self) -> None:
        self._pages = 0

    def on_page(self, report: RebuildReport) -> None:
        self._pages += 1
        if self._pages % _PAGES_PER_LINE == 0 and sys.stderr.isatty():
            print(f"{report.games} games ...", file=sys.stderr)


def _describe(report: RebuildReport, *, writes: bool) -> Iterator[str]:
    yield f"{report.games} games were counted."
    if report.pending:
        yield f"{report.pending} games wait for the server, which has not taken them in yet."
    for line in report.unreadable:
        yield f"A game cannot be read and does not count: {line}"
    if report.is_right:
        yield "All ratings are right."
        return
    verb = "were corrected" if writes else "differ"
    yield (
        f"{report.different} games, {report.standings} ratings and {report.orphans} rows without a game {verb}."
    )
    if not writes:
        yield "`cartagena ratings rebuild` corrects them."


# -- on the public file ------------------------------------------------------------------------------


def _verify(arguments: argparse.Namespace) -> int:
    try:
        found = verify_lines(_read_lines(arguments.file))
    except (PublicFileError, OSError, EOFError) as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    print(
        f"{found.games} games were recomputed, {found.void} of them without effect; "
        f"{found.people} ratings follow from them."
    )
    return 0


def _read_lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, unpacked if it is gzipped."""
    with sys.stdin.buffer if name == "-" else Path(name).open("rb") as file:
        stream = io.BufferedReader(file)  # type: ignore[type-var]
        if stream.peek(2)[:2] != _GZIP_MAGIC:
            yield from stream
            return
        with gzip.open(stream) as unpacked:
            yield from unpacked
