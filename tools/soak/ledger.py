"""The ledger: reads the log directly from the database and compares it with what every client received."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx
import msgspec
import orjson

from app.play.log.entries import Entry
from app.play.log.fold import fold
from app.play.log.table import Table
from app.play.ports import StoreUnavailable
from app.play.room.audience_frames import table_block, view_json
from app.rules import Event
from app.store.games.store import SqlGameStore, open_store
from tools.soak.client import Notes, SoakClient

Json = dict[str, Any]
Answer = TypeVar("Answer")
_TRIES = 20  # of at most ten seconds each
_SETTLING, _MOMENT = 400, 0.05  # attempts and seconds until the log and all clients are at the same version


@dataclass
class Tally:
    """What was checked, and the errors found."""

    entries: int = 0
    acknowledged: int = 0
    shown: int = 0
    refused: int = 0
    views: int = 0
    lines: int = 0
    credits: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        for name in ("entries", "acknowledged", "shown", "refused", "views", "lines", "credits"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.wrong += other.wrong

    @property
    def checked(self) -> str:
        """Summary of what was compared with the log."""
        return (
            f"{self.acknowledged} acknowledged commands, {self.lines} chat lines, {self.shown} frames, "
            f"{self.views} views, {self.credits} credits"
        )

    def __str__(self) -> str:
        return f"{self.entries} entries, {self.checked}, {self.refused} refusals, {len(self.wrong)} wrong"


async def asked(question: Callable[[], Awaitable[Answer]]) -> Answer:
    """Query the database directly, retrying because a busy machine may be slow to answer."""
    for _ in range(_TRIES):
        try:
            return await question()
        except StoreUnavailable:
            continue
    return await question()


class Book:
    """One game's log as read so far; entries must never change or vanish."""

    def __init__(self, store: SqlGameStore, game: str, *, may_be_older: bool = False) -> None:
        self.store = store
        self.game = game
        self.may_be_older = may_be_older
        self.entries: list[Entry] = []
        self.events: dict[int, tuple[Event, ...]] = {}
        self.table: Table | None = None
        self.commands: dict[str, list[int]] = {}

    async def read(self, tally: Tally) -> None:
        row = await asked(lambda: self.store.log.read_game(self.game))
        found = await asked(lambda: self.store.log.read_entries(self.game))
        if row is None:
            tally.wrong.append(f"{self.game} is gone")
            return
        if found[: len(self.entries)] != self.entries:
            tally.wrong.append(f"{self.game}: the log was changed after it was read")
        if [entry.seq for entry in found] != list(range(1, len(found) + 1)):
            tally.wrong.append(f"{self.game}: the log's numbers have gaps")
        after = await asked(lambda: self.store.log.read_game(self.game))
        # Play may continue during the read, so the log's length lies between the heads before and after it.
        if after is None or not row.seq <= len(found) <= after.seq:
            heads = f"{row.seq} and then {after and after.seq}"
            tally.wrong.append(f"{self.game}: the head says {heads}, the log has {len(found)}")
        new = found[len(self.entries) :]
        self.entries = found
        self.table = self.table or Table.from_row(row)
        for entry in new:
            self.events[entry.seq] = fold(self.table, entry)
            if entry.command is not None:
                self.commands.setdefault(entry.command, []).append(entry.seq)
            tally.credits += entry.kind == "credited"
        tally.entries += len(new)
        tally.wrong += [
            f"{self.game}: command {command} is in the log {len(seqs)} times"
            for command, seqs in self.commands.items()
            if len(seqs) != 1
        ]

    async def check_notes(self, client: SoakClient, noted: Notes, tally: Tally) -> None:
        """Check that acknowledged commands are stored once, refused ones are not, and frames match the log.

        The notes must have been taken before the log was read: later frames may belong to later entries.
        """
        assert self.table is not None
        who = f"{self.game} seat {client.seat}"
        for command, seq in noted.acked.items():
            tally.acknowledged += 1
            if self.commands.get(command) != [seq]:
                tally.wrong.append(
                    f"{who}: {command} was acknowledged at {seq}, but is at {self.commands.get(command)}"
                )
        for command, code in noted.refused.items():
            tally.refused += 1
            if command in self.commands:
                tally.wrong.append(f"{who}: {command} was refused with {code} and is in the log")
        for seq, kind, events in noted.shown:
            tally.shown += 1
            if seq not in self.events:
                tally.wrong.append(f"{who}: received {seq}, which is not in the log")
            elif kind == "events":
                meant = self.table.rules.events_for(self.events[seq], client.seat, self.table.options)
                if events != orjson.loads(orjson.dumps(meant)):
                    tally.wrong.append(f"{who}: received something other than the log's {seq}")
        if noted.seq > len(self.entries):
            tally.wrong.append(f"{who}: is at version {noted.seq}, the log ends at {len(self.entries)}")
        if noted.lines:
            await self._check_lines(noted.lines, who, tally)
        tally.wrong += [f"{who}: {problem}" for problem in client.problems]
        client.problems = []

    async def _check_lines(self, lines: dict[str, int], who: str, tally: Tally) -> None:
        stored: dict[str, list[int]] = {}
        for line in await asked(lambda: self.store.chat.read_lines(self.game, 0, 100_000)):
            stored.setdefault(line.command, []).append(line.n)
        for command, number in lines.items():
            tally.lines += 1
            if stored.get(command) != [number]:
                tally.wrong.append(
                    f"{who}: line {command} acknowledged as {number}, is {stored.get(command)}"
                )

    def check_view(self, client: SoakClient, tally: Tally) -> None:
        """Check that the view folded from events equals the view folded from the log.

        A worker of an older release (`may_be_older`) sends only the fields it knows.
        """
        assert self.table is not None
        tally.views += 1
        who = f"{self.game} seat {client.seat}"
        if client.seq != len(self.entries):
            tally.wrong.append(f"{who}: stands at {client.seq}, the log at {len(self.entries)}")
        if _text(client.view) != _text(view_json(self.table, client.seat)):
            tally.wrong.append(f"{who}: the view at {client.seq} is not the log's")
        meant = msgspec.to_builtins(table_block(self.table))
        if self.may_be_older:
            meant = {name: value for name, value in meant.items() if name in client.table}
        if _text(_nameless(client.table)) != _text(_nameless(meant)):
            tally.wrong.append(f"{who}: the table block at {client.seq} is not the log's")
        if _deadlines(client.clock) != _deadlines(
            msgspec.to_builtins(self.table.clocks.to_frame()) if self.table.clocks else None
        ):
            tally.wrong.append(f"{who}: the clock at {client.seq} is not the log's")

    async def check_fresh(self, client: SoakClient, tally: Tally, http: httpx.AsyncClient) -> None:
        """Check that a freshly fetched view equals the folded one."""
        for _ in range(_SETTLING):
            answer = await http.get(
                f"{client.base}/api/v1/games/{self.game}",
                headers={"Cookie": client.cookie, "Origin": client.base},
            )
            fresh = answer.json()
            if fresh.get("seq") == client.seq:
                break
            await asyncio.sleep(_MOMENT)  # a frame was still on its way
        if fresh.get("seq") != client.seq or _text(fresh.get("view")) != _text(client.view):
            tally.wrong.append(
                f"{self.game} seat {client.seat}: a fresh view at {client.seq} differs: {answer.status_code}"
            )

    async def settle(self, clients: list[SoakClient], tally: Tally) -> None:
        """Read until the log and all clients are at the same version: a clock may be credited while clients rest.

        There must be no await between this and the comparison.
        """
        for _ in range(_SETTLING):
            await self.read(tally)
            if all(client.seq == len(self.entries) for client in clients):
                return
            await asyncio.sleep(_MOMENT)


def _nameless(table: Json | None) -> Json:
    """Remove names and the title, which are stored with people and not in the log."""
    shown = dict(table or {})
    shown["seats"] = [{**seat, "name": None} for seat in shown.get("seats", ())]
    return {**shown, "title": ""}


def _text(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _deadlines(clock: Json | None) -> dict[int, int]:
    """Return when the running clocks end, which does not depend on how often a client was told."""
    return {} if clock is None else {seat: clock["at"] + clock["left"][seat] for seat in clock["running"]}


async def check_all(
    books: Iterable[tuple[Book, list[SoakClient]]], http: httpx.AsyncClient | None = None, *, views: bool
) -> Tally:
    """Check every table: its log, its clients' notes and, at rest, their views."""
    tally = Tally()
    for book, clients in books:
        noted = [client.take_notes() for client in clients]
        await book.read(tally)
        for client, notes in zip(clients, noted, strict=True):
            await book.check_notes(client, notes, tally)
        if views:
            await book.settle(clients, tally)
            for client in clients:
                book.check_view(client, tally)
            if http is not None:
                for client in clients:
                    await book.check_fresh(client, tally, http)
    return tally


@asynccontextmanager
async def reading(database_url: str) -> AsyncIterator[SqlGameStore]:
    """Open the database directly, bypassing the server."""
    async with open_store(database_url, lambda seconds, rows: None) as store:
        yield store
