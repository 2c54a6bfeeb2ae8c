"""What every operator command works with: settings, stores, and printing of rows."""

from __future__ import annotations

import argparse
import getpass
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any

from app.settings import Settings
from app.store.database import open_database
from app.store.people.admin import AdminStore
from app.store.people.personal_data import PersonalDataStore
from app.store.people.players import PeopleStore
from app.store.people.pushes import PushStore
from app.store.people.social import SocialStore


class CommandFailed(Exception):
    """The command cannot be carried out; the message says why."""


class AdminContext:
    """Everything a command works with."""

    def __init__(self, settings: Settings, arguments: argparse.Namespace, stack: AsyncExitStack) -> None:
        database = open_database(settings.database_url)
        stack.push_async_callback(database.close)
        self.settings = settings
        self.database = database
        self.stack = stack
        self.arguments = arguments
        self.actor: str = arguments.actor or getpass.getuser()
        self.now = int(time.time())
        self.admin = AdminStore(database)
        self.social = SocialStore(database)
        self.people = PeopleStore(database)
        self.data = PersonalDataStore(database)
        self.pushes = PushStore(database)

    def show(self, rows: Sequence[dict[str, Any]], *columns: str) -> None:
        """Print the rows as a table, or as one JSON object per line."""
        if self.arguments.json:
            for row in rows:
                print(
                    json.dumps({column: row[column] for column in columns}, ensure_ascii=False, default=str)
                )
            return
        lines = [list(columns)] + [[_format_cell(column, row[column]) for column in columns] for row in rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
        for line in lines:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


AdminCommand = Callable[[AdminContext], Awaitable[None]]


def _format_cell(column: str, value: Any) -> str:
    if value is None:
        return "-"
    if column in ("at", "until") or column.endswith("_at"):
        seconds = value / 1000 if value > 10**11 else value  # games store milliseconds
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    # Control characters in people's text must not reach the terminal.
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
