"""`cartagena admin`: what only the operator may do, on the database itself; every deed is in the audit log.

A running server takes note within a few seconds: bans shut people out and close their sockets, a
closed room says good-bye to whoever is in it.
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import ipaddress
import json
import re
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from app.play.ports import StoreUnavailable
from app.settings import BadSettings, Settings, settings_from
from app.store.engine import make_engine
from app.store.games.queue_failures import QueueFailures
from app.store.games.store import open_store
from app.store.people.admin import AdminStore
from app.store.people.data import DataStore
from app.store.people.players import PeopleStore
from app.store.people.pushes import PushStore
from app.store.people.social import SocialStore

_SPAN = re.compile(r"(\d+)([hdw])")
_GREATEST = 2**31 - 1
_SECONDS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


class NotDone(Exception):
    """The operator asked for something that is not there; the text is a sentence."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of the operator."""
    parser.set_defaults(run=run)
    parser.add_argument("--database", default=None, help="as for serve (or CARTAGENA_DATABASE)")
    parser.add_argument("--actor", default=None, help="who is noted in the audit log (your user name)")
    parser.add_argument("--json", action="store_true", help="answer in JSON, one object a line")
    commands = parser.add_subparsers(dest="deed", required=True, metavar="COMMAND")

    def command(name: str, sentence: str, deed: Deed) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=sentence, description=sentence)
        made.set_defaults(do=deed)
        return made

    rooms = command("rooms", "list rooms, the last touched first", _rooms)
    rooms.add_argument("--status", choices=("open", "running", "finished", "aborted", "closed"))
    rooms.add_argument("--limit", type=_number, default=50)
    close = command("close", "close a room; a running game ends without a winner", _close)
    close.add_argument("room")
    close.add_argument("--reason", required=True)
    people = command("people", "find people by id or by a part of their name", _people)
    people.add_argument("words")
    people.add_argument("--limit", type=_number, default=50)
    ban = command("ban", "shut out a player, an address or a network", _ban)
    ban.add_argument("who", help="a player's id, 203.0.113.9 or 203.0.113.0/24")
    ban.add_argument("--reason", required=True)
    ban.add_argument("--for", dest="span", help="12h, 7d or 4w; for ever when left out")
    command("bans", "list the bans in force", _bans)
    unban = command("unban", "lift a ban", _unban)
    unban.add_argument("number", type=_number)
    chat = command("chat", "show a room's chat with the numbers of its lines", _chat)
    chat.add_argument("room")
    delete = command("delete-chat", "delete chat lines of a room, by number or by person", _delete_chat)
    delete.add_argument("room")
    delete.add_argument("lines", type=_number, nargs="*")
    delete.add_argument("--person")
    delete.add_argument("--reason", required=True)
    reports = command("reports", "list what people reported", _reports)
    reports.add_argument("--all", action="store_true", help="settled ones too")
    settle = command("settle", "mark a report as settled", _settle)
    settle.add_argument("number", type=_number)
    settle.add_argument("--words", default="")
    erase = command("erase", "forget a player, as they could themselves", _erase)
    erase.add_argument("player")
    erase.add_argument("--reason", required=True)
    command(
        "push-keys",
        "the keys that push services know this server by, and how many browsers each serves",
        _keys,
    )
    rotate = command("rotate-push-key", "make a new key for browsers that subscribe from now on", _rotate)
    rotate.add_argument(
        "--drop-old", action="store_true", help="end the old keys and whoever subscribed with them"
    )
    queues = command("queues", "list rows of background queues that failed, those set aside first", _queues)
    queues.add_argument("--limit", type=_number, default=50)
    queues.add_argument(
        "--retry", nargs=2, metavar=("QUEUE", "KEY"), help="put this row back, as if it had never failed"
    )
    audit = command("audit", "what operators did, the last deed first", _audit)
    audit.add_argument("--limit", type=_number, default=50)


def _number(text: str) -> int:
    """A number that a database can hold; argparse tells whoever gave another one."""
    number = int(text)
    if not 0 <= number <= _GREATEST:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {_GREATEST}")
    return number


def run(arguments: argparse.Namespace) -> int:
    """Does one deed; 1 when it could not be done, 2 when the settings are wrong."""
    try:
        for given in vars(arguments).values():
            if isinstance(given, str) and any("\ud800" <= letter <= "\udfff" for letter in given):
                raise NotDone(f"{given!r} is not UTF-8; write it anew.")
        settings = settings_from(arguments)
        return asyncio.run(_run(settings, arguments))
    except BadSettings as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 2
    except NotDone as problem:
        print(f"cartagena: {problem}", file=sys.stderr)
        return 1
    except (StoreUnavailable, SQLAlchemyError, OSError) as problem:
        print(f"cartagena: the database cannot be used ({type(problem).__name__}).", file=sys.stderr)
        return 1


class Desk:
    """What a deed works with."""

    def __init__(self, settings: Settings, arguments: argparse.Namespace, stack: AsyncExitStack) -> None:
        engine = make_engine(settings.database_url)
        stack.push_async_callback(engine.dispose)
        self.settings = settings
        self.engine = engine
        self.stack = stack
        self.asked = arguments
        self.actor: str = arguments.actor or getpass.getuser()
        self.now = int(time.time())
        self.admin = AdminStore(engine)
        self.social = SocialStore(engine)
        self.people = PeopleStore(engine)
        self.data = DataStore(engine)
        self.pushes = PushStore(engine)

    def show(self, rows: Sequence[dict[str, Any]], *columns: str) -> None:
        """A table for people, or a line of JSON each."""
        if self.asked.json:
            for row in rows:
                print(
                    json.dumps({column: row[column] for column in columns}, ensure_ascii=False, default=str)
                )
            return
        lines = [list(columns)] + [[_shown(column, row[column]) for column in columns] for row in rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
        for line in lines:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


Deed = Callable[[Desk], Awaitable[None]]


async def _run(settings: Settings, arguments: argparse.Namespace) -> int:
    async with AsyncExitStack() as stack:
        deed: Deed = arguments.do
        await deed(Desk(settings, arguments, stack))
    return 0


async def _rooms(desk: Desk) -> None:
    rows = await desk.admin.rooms(desk.asked.status, desk.asked.limit)
    desk.show(rows, "id", "status", "preset", "seq", "updated_at", "seats")


async def _close(desk: Desk) -> None:
    from app.bots.pool import BotPool
    from app.web.game_server import open_game_server  # most deeds need no rooms, and are done sooner without
    from app.web.metrics import Metrics

    counts = Metrics()
    store = await desk.stack.enter_async_context(
        open_store(desk.settings.database_url, counts.committed, desk.engine)
    )
    game_server = await desk.stack.enter_async_context(
        open_game_server(
            desk.settings, store, counts, names=desk.people.names, bot=BotPool(), background=False
        )
    )
    if not await game_server.close_room(desk.asked.room, desk.asked.reason):
        raise NotDone("There is no such room.")
    await desk.social.note(
        desk.actor, "room closed", desk.asked.room, {"reason": desk.asked.reason}, desk.now
    )
    print("Closed.")


async def _people(desk: Desk) -> None:
    rows = await desk.admin.people(desk.asked.words, desk.asked.limit)
    desk.show(rows, "id", "name", "is_account", "claimed_by", "made_at", "seen_at", "deleted_at")


async def _ban(desk: Desk) -> None:
    asked = desk.asked
    until = desk.now + _seconds(asked.span) if asked.span else None
    player: str | None = None
    address: str | None = None
    try:
        address = str(ipaddress.ip_network(asked.who, strict=False))
    except ValueError:
        found = await desk.people.player(asked.who, desk.now)
        if found is None:
            raise NotDone("There is no such player, and it is no address either.") from None
        player = found.id
    number = await desk.social.ban(
        desk.actor, player=player, address=address, reason=asked.reason, until=until, now=desk.now
    )
    print(f"Ban {number} is in force.")


async def _bans(desk: Desk) -> None:
    desk.show(await desk.social.bans(desk.now), "id", "player", "address", "reason", "at", "until")


async def _unban(desk: Desk) -> None:
    if not await desk.social.unban(desk.actor, desk.asked.number, desk.now):
        raise NotDone("There is no such ban.")
    print("Lifted.")


async def _chat(desk: Desk) -> None:
    desk.show(
        await desk.admin.chat(desk.asked.room), "n", "at", "channel", "person", "name", "text", "is_deleted"
    )


async def _delete_chat(desk: Desk) -> None:
    asked = desk.asked
    if bool(asked.lines) == bool(asked.person):
        raise NotDone("Name the lines by their numbers, or a person with --person.")
    number = await desk.admin.delete_chat(
        desk.actor, asked.room, asked.lines, asked.person, asked.reason, desk.now
    )
    if not number:
        raise NotDone("There are no such lines.")
    print(f"Deleted: {number}.")


async def _reports(desk: Desk) -> None:
    rows = await desk.social.open_reports(desk.asked.all)
    desk.show(rows, "id", "at", "reason", "reported", "reporter", "room", "words", "settled_at")


async def _settle(desk: Desk) -> None:
    if not await desk.social.settle_report(desk.actor, desk.asked.number, desk.asked.words, desk.now):
        raise NotDone("There is no such open report.")
    print("Settled.")


async def _erase(desk: Desk) -> None:
    found = await desk.people.player(desk.asked.player, desk.now)
    if found is None:
        raise NotDone("There is no such player.")
    await desk.data.erase((found.id, *found.aliases), desk.now)
    await desk.social.note(desk.actor, "player erased", found.id, {"reason": desk.asked.reason}, desk.now)
    print("Forgotten.")


async def _keys(desk: Desk) -> None:
    await desk.pushes.newest_key(desk.now)
    desk.show(await desk.pushes.key_counts(), "number", "public", "made_at", "browsers", "refused")


async def _rotate(desk: Desk) -> None:
    key = await desk.pushes.rotate_key(desk.now, drop_old=desk.asked.drop_old)
    detail = {"drop_old": desk.asked.drop_old}
    await desk.social.note(desk.actor, "push key rotated", str(key.number), detail, desk.now)
    print(f"Key {key.number} is given to browsers from now on.")


async def _queues(desk: Desk) -> None:
    failures = QueueFailures(desk.engine, desk.engine)
    if desk.asked.retry is None:
        rows = [msgspec.structs.asdict(each) for each in await failures.list_failures(desk.asked.limit)]
        for row in rows:
            row["retry_at"] = None if row["set_aside_at"] is not None else row["retry_at"]
        if not rows and not desk.asked.json:
            print("No queue has a failed row.")
            return
        desk.show(rows, "queue", "key", "attempts", "error", "first_at", "retry_at", "set_aside_at")
        return
    queue, key = desk.asked.retry
    if not await failures.clear_failure(queue, key):
        raise NotDone("There is no such failed row; `cartagena admin queues` lists them.")
    await desk.social.note(desk.actor, "queue row retried", queue, {"key": key}, desk.now)
    print("Put back. A running server processes it within its queue's interval.")


async def _audit(desk: Desk) -> None:
    desk.show(await desk.social.audit(desk.asked.limit), "id", "at", "actor", "deed", "subject", "detail")


def _seconds(span: str) -> int:
    found = _SPAN.fullmatch(span)
    if found is None or len(found[1]) > 4:
        raise NotDone("Write how long as 12h, 7d or 4w; leave it out for ever.")
    return int(found[1]) * _SECONDS[found[2]]


def _shown(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if column in ("at", "until") or column.endswith("_at"):
        seconds = value / 1000 if value > 10**11 else value  # games count milliseconds
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    # A terminal obeys control characters; what people wrote must not.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
