"""`cartagena admin`: operator commands that work on the database directly. Every change is written to the audit log.

A running server applies changes within a few seconds: it refuses banned people, closes their sockets, and
disconnects everyone in a closed room.
"""

from __future__ import annotations

import argparse
import asyncio
import ipaddress
import re
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from app.admin_context import AdminCommand, AdminContext, CommandFailed
from app.play.ports import StoreUnavailable
from app.settings import BadSettings, Settings, settings_from
from app.store.database import get_sqlite_file, is_sqlite
from app.store.file_lock import FileInUse, lock_database_file
from app.store.games.queue_failures import SqlFailures
from app.store.games.store import open_store
from app.store.ratings.suspects import SuspectFinder
from app.store.sqlite_backup import BackupFailed, back_up, restore

_DURATION = re.compile(r"(\d+)([hdw])")
_MAX_NUMBER = 2**31 - 1
_UNIT_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operator's commands to a parser."""
    parser.set_defaults(run=run)
    parser.add_argument("--database", default=None, help="database URL, as for serve (CARTAGENA_DATABASE)")
    parser.add_argument("--actor", default=None, help="name for the audit log (default: your user name)")
    parser.add_argument("--json", action="store_true", help="print JSON, one object per line")
    commands = parser.add_subparsers(dest="deed", required=True, metavar="COMMAND")

    def command(name: str, help_text: str, run_command: AdminCommand) -> argparse.ArgumentParser:
        subparser = commands.add_parser(name, help=help_text, description=help_text)
        subparser.set_defaults(run_command=run_command)
        return subparser

    rooms = command("rooms", "list rooms, most recently changed first", _rooms)
    rooms.add_argument("--status", choices=("open", "running", "finished", "aborted", "closed"))
    rooms.add_argument("--limit", type=_parse_number, default=50)
    close = command("close", "close a room; a running game ends without a winner", _close)
    close.add_argument("room")
    close.add_argument("--reason", required=True)
    people = command("people", "find people by id or part of their name", _people)
    people.add_argument("words")
    people.add_argument("--limit", type=_parse_number, default=50)
    ban = command("ban", "ban a player, an address or a network", _ban)
    ban.add_argument("who", help="player id, or address or network such as 203.0.113.9 or 203.0.113.0/24")
    ban.add_argument("--reason", required=True)
    ban.add_argument("--for", dest="span", help="duration such as 12h, 7d or 4w (default: permanent)")
    command("bans", "list active bans", _bans)
    unban = command("unban", "lift a ban", _unban)
    unban.add_argument("number", type=_parse_number)
    chat = command("chat", "show a room's chat with line numbers", _chat)
    chat.add_argument("room")
    delete = command("delete-chat", "delete chat lines of a room, by number or by author", _delete_chat)
    delete.add_argument("room")
    delete.add_argument("lines", type=_parse_number, nargs="*")
    delete.add_argument("--person")
    delete.add_argument("--reason", required=True)
    reports = command("reports", "list reports by players", _reports)
    reports.add_argument("--all", action="store_true", help="include settled reports")
    settle = command("settle", "mark a report as settled", _settle)
    settle.add_argument("number", type=_parse_number)
    settle.add_argument("--words", default="")
    erase = command("erase", "erase a player's personal data, as the player could", _erase)
    erase.add_argument("player")
    erase.add_argument("--reason", required=True)
    command(
        "push-keys",
        "list the server's web push keys and how many browsers use each",
        _keys,
    )
    rotate = command("rotate-push-key", "create a new web push key for new subscriptions", _rotate)
    rotate.add_argument(
        "--drop-old", action="store_true", help="delete the old keys and the subscriptions that use them"
    )
    queues = command("queues", "list failed rows of background queues, those set aside first", _queues)
    queues.add_argument("--limit", type=_parse_number, default=50)
    queues.add_argument(
        "--retry",
        nargs=2,
        metavar=("QUEUE", "KEY"),
        help="clear this row's failures so that it is processed again",
    )
    suspects = command(
        "suspects", "list pairs whose rated games of the last 30 days are worth a look", _suspects
    )
    suspects.add_argument("--limit", type=_parse_number, default=50)
    backup = command(
        "backup", "back up the SQLite database while the server runs, and delete old backups", _backup
    )
    backup.add_argument("--folder", default="backups", help="where backups are kept (default: %(default)s)")
    backup.add_argument(
        "--days", type=_parse_number, default=14, help="for how many days (default: %(default)s)"
    )
    restore = command(
        "restore", "replace the SQLite database by a backup; the server must be stopped", _restore
    )
    restore.add_argument("file")
    audit = command("audit", "show the audit log, newest entry first", _audit)
    audit.add_argument("--limit", type=_parse_number, default=50)


def _parse_number(text: str) -> int:
    """Parse a number that fits into a database column."""
    number = int(text)
    if not 0 <= number <= _MAX_NUMBER:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {_MAX_NUMBER}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Run one command. Return 1 if it failed, 2 if the settings are invalid."""
    try:
        for value in vars(arguments).values():
            if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
                raise CommandFailed(f"{value!r} is not valid UTF-8.")
        settings = settings_from(arguments)
        return asyncio.run(_run(settings, arguments))
    except BadSettings as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 2
    except CommandFailed as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    except (StoreUnavailable, SQLAlchemyError, OSError) as problem:
        print(f"cartagena: cannot use the database ({type(problem).__name__}).", file=sys.stderr)
        return 1


async def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    async with AsyncExitStack() as stack:
        run_command: AdminCommand = arguments.run_command
        await run_command(AdminContext(settings, arguments, stack))
    return 0


async def _rooms(context: AdminContext) -> None:
    rows = await context.admin.list_rooms(context.arguments.status, context.arguments.limit)
    context.show(rows, "id", "status", "preset", "seq", "updated_at", "seats")


async def _close(context: AdminContext) -> None:
    from app.bots.pool import BotPool
    from app.web.game_server import open_game_server  # slow to import, and few commands need it
    from app.web.metrics import Metrics

    counts = Metrics()
    store = await context.stack.enter_async_context(
        open_store(context.settings.database_url, counts.count_commit, context.database)
    )
    game_server = await context.stack.enter_async_context(
        open_game_server(
            context.settings, store, counts, names=context.people.read_names, bot=BotPool(), background=False
        )
    )
    if not await game_server.close_room(context.arguments.room, context.arguments.reason):
        raise CommandFailed("there is no such room.")
    await context.social.add_audit_entry(
        context.actor,
        "room closed",
        context.arguments.room,
        {"reason": context.arguments.reason},
        context.now,
    )
    print("Room closed.")


async def _people(context: AdminContext) -> None:
    rows = await context.admin.find_people(context.arguments.words, context.arguments.limit)
    context.show(rows, "id", "name", "is_account", "claimed_by", "made_at", "seen_at", "deleted_at")


async def _ban(context: AdminContext) -> None:
    arguments = context.arguments
    until = context.now + _parse_duration(arguments.span) if arguments.span else None
    player: str | None = None
    address: str | None = None
    try:
        address = str(ipaddress.ip_network(arguments.who, strict=False))
    except ValueError:
        found = await context.people.find_player(arguments.who, context.now)
        if found is None:
            raise CommandFailed("this is neither a player's id nor an address.") from None
        player = found.id
    number = await context.social.ban(
        context.actor, player=player, address=address, reason=arguments.reason, until=until, now=context.now
    )
    print(f"Ban {number} is in force.")


async def _bans(context: AdminContext) -> None:
    context.show(
        await context.social.list_bans(context.now), "id", "player", "address", "reason", "at", "until"
    )


async def _unban(context: AdminContext) -> None:
    if not await context.social.unban(context.actor, context.arguments.number, context.now):
        raise CommandFailed("there is no such ban.")
    print("Ban lifted.")


async def _chat(context: AdminContext) -> None:
    context.show(
        await context.admin.read_chat(context.arguments.room),
        "n",
        "at",
        "channel",
        "person",
        "name",
        "text",
        "is_deleted",
    )


async def _delete_chat(context: AdminContext) -> None:
    arguments = context.arguments
    if bool(arguments.lines) == bool(arguments.person):
        raise CommandFailed("give either line numbers or --person.")
    number = await context.admin.delete_chat(
        context.actor, arguments.room, arguments.lines, arguments.person, arguments.reason, context.now
    )
    if not number:
        raise CommandFailed("there are no such lines.")
    print(f"Deleted {number} lines.")


async def _reports(context: AdminContext) -> None:
    rows = await context.social.list_reports(context.arguments.all)
    context.show(rows, "id", "at", "reason", "reported", "reporter", "room", "words", "settled_at")


async def _settle(context: AdminContext) -> None:
    if not await context.social.settle_report(
        context.actor, context.arguments.number, context.arguments.words, context.now
    ):
        raise CommandFailed("there is no such open report.")
    print("Report settled.")


async def _erase(context: AdminContext) -> None:
    found = await context.people.find_player(context.arguments.player, context.now)
    if found is None:
        raise CommandFailed("there is no such player.")
    await context.data.erase(found.ids, context.now)
    await context.social.add_audit_entry(
        context.actor, "player erased", found.id, {"reason": context.arguments.reason}, context.now
    )
    print("Player erased.")


async def _keys(context: AdminContext) -> None:
    await context.pushes.get_newest_key(context.now)
    context.show(await context.pushes.count_key_uses(), "number", "public", "made_at", "browsers", "refused")


async def _rotate(context: AdminContext) -> None:
    key = await context.pushes.rotate_key(context.now, drop_old=context.arguments.drop_old)
    detail = {"drop_old": context.arguments.drop_old}
    await context.social.add_audit_entry(
        context.actor, "push key rotated", str(key.number), detail, context.now
    )
    print(f"Key {key.number} is used for new subscriptions from now on.")


async def _queues(context: AdminContext) -> None:
    failures = SqlFailures(context.database)
    if context.arguments.retry is None:
        rows = [
            msgspec.structs.asdict(failure) for failure in await failures.read_all(context.arguments.limit)
        ]
        for row in rows:
            row["retry_at"] = None if row["set_aside_at"] is not None else row["retry_at"]
        if not rows and not context.arguments.json:
            print("No queue has failed rows.")
            return
        context.show(rows, "queue", "key", "attempts", "error", "first_at", "retry_at", "set_aside_at")
        return
    queue, key = context.arguments.retry
    if not await failures.clear(queue, key):
        raise CommandFailed("there is no such failed row; `cartagena admin queues` lists them.")
    await context.social.add_audit_entry(context.actor, "queue row retried", queue, {"key": key}, context.now)
    print("Cleared. A running server processes the row within its queue's poll interval.")


async def _suspects(context: AdminContext) -> None:
    found = await SuspectFinder(context.database).find(context.now * 1000, context.arguments.limit)
    if not found and not context.arguments.json:
        print("No pair stands out.")
        return
    rows = [{**pair._asdict(), "reasons": "; ".join(pair.list_reasons())} for pair in found]
    context.show(rows, "one", "one_name", "other", "other_name", "games", "reasons")


async def _audit(context: AdminContext) -> None:
    context.show(
        await context.social.list_audit_entries(context.arguments.limit),
        "id",
        "at",
        "actor",
        "deed",
        "subject",
        "detail",
    )


def _find_sqlite_file(context: AdminContext) -> Path:
    if not is_sqlite(context.settings.database_url):
        raise CommandFailed("this is for SQLite; docs/deploy.md says how to back up PostgreSQL.")
    return Path(get_sqlite_file(context.settings.database_url))


async def _backup(context: AdminContext) -> None:
    file, arguments = _find_sqlite_file(context), context.arguments
    try:
        backup = await asyncio.to_thread(back_up, file, Path(arguments.folder), arguments.days, context.now)
    except BackupFailed as problem:
        raise CommandFailed(f"{problem}.") from None
    print(f"Wrote {backup} ({backup.stat().st_size / 1e6:.1f} MB).")


async def _restore(context: AdminContext) -> None:
    file = _find_sqlite_file(context)
    try:
        with lock_database_file(context.settings.database_url, wait_seconds=0):
            kept = await asyncio.to_thread(restore, file, Path(context.arguments.file), context.now)
    except FileInUse:
        raise CommandFailed("a server is using the database; stop it first.") from None
    except BackupFailed as problem:
        raise CommandFailed(f"{problem}.") from None
    print(f"Restored {context.arguments.file}." + (f" The database of before is {kept}." if kept else ""))


def _parse_duration(span: str) -> int:
    found = _DURATION.fullmatch(span)
    if found is None or len(found[1]) > 4:
        raise CommandFailed("--for takes a duration such as 12h, 7d or 4w.")
    return int(found[1]) * _UNIT_SECONDS[found[2]]
