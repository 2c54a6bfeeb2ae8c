"""A group of tables played at the same time, with their clients and ledgers; it can be paused and checked."""

from __future__ import annotations

import asyncio
import functools
from random import Random
from typing import Any

import httpx

from app.store.games.store import SqlGameStore
from tools.soak.client import SoakClient, new_client, open_table, plain_http
from tools.soak.ledger import Book, Tally, asked, check_all
from tools.soak.pauses import AsPages

CLOCK = {"kind": "bank", "seconds": 3600, "increment": 5}
_PRESETS = ("jamaica", "tortuga")
_LONGEST = 250  # entries; players resign from a longer game


class SoakTable:
    """A table with its clients; the last ones may only watch."""

    def __init__(
        self,
        book: Book,
        players: list[SoakClient],
        watchers: list[SoakClient],
        preset: str,
        terms: dict[str, Any],
    ) -> None:
        self.book = book
        self.preset = preset
        self.terms = terms
        self.bots = len(terms.get("bots", ()))
        self.players = players
        self.watchers = watchers

    @property
    def clients(self) -> list[SoakClient]:
        return [*self.players, *self.watchers]

    @property
    def head(self) -> int:
        return max((client.seq for client in self.clients), default=0)


class TableGroup:
    """Tables on one server, or on several with one database (`bases`)."""

    def __init__(
        self, bases: list[str], store: SqlGameStore, seed: int, *, may_be_older: bool = False
    ) -> None:
        self.bases = bases
        self.may_be_older = may_be_older
        self.store = store
        self.rng = Random(seed)
        self.http = plain_http()
        self.tables: list[SoakTable] = []
        self.tally = Tally()
        self.finished = 0

    async def launch(self, tables: int, *, watchers: int = 1, as_pages: bool = False, **terms: Any) -> None:
        """Open tables. `as_pages`: clients reconnect with the page's delays instead of at once."""
        for _ in range(tables):
            seated = await self.add_table(2 + len(self.tables) % 2, watchers=watchers, **terms)
            for client in seated.clients if as_pages else ():
                client.pauses = AsPages(client.rng)
            await begin(seated, self.http)

    async def add_table(self, players: int, *, watchers: int = 1, **terms: Any) -> SoakTable:
        """Create the clients of one more table, spread over the workers; the table is not opened yet."""
        people = [
            await new_client(self.bases[k % len(self.bases)], self.rng, self.http)
            for k in range(players + watchers)
        ]
        preset = _PRESETS[len(self.tables) % len(_PRESETS)]
        book = Book(self.store, "", may_be_older=self.may_be_older)
        wished = {"clock": CLOCK, "absence": 0, **terms}
        seated = SoakTable(book, people[:players], people[players:], preset, wished)
        self.tables.append(seated)
        return seated

    async def rest(self, seconds: float = 120.0) -> None:
        """Pause all players and wait until everything is answered and every client is up to date."""
        for client in self.everybody:
            client.is_resting = True
        for seated in self.tables:
            for client in seated.clients:
                await client.until(lambda client: client.greeted and not client.pending, seconds)
            if seated.bots:  # bots stop when it is a person's turn
                await seated.players[0].until(
                    lambda client: client.is_over or client.is_a_persons_turn, seconds
                )
            entries = functools.partial(self.store.log.read_entries, seated.book.game)
            head = len(await asked(entries))
            for client in seated.clients:
                await client.until(functools.partial(_is_at, head), seconds)

    async def moves(self, entries: int, seconds: float = 120.0) -> None:
        """Wait until a player at every running table has received this many more entries."""
        marks = [(seated.players[0], seated.head) for seated in self.tables]
        for client, head in marks:
            try:
                await client.until(functools.partial(_is_past, head + entries), seconds)
            except AssertionError as problem:
                raise AssertionError(f"play has stalled: {problem}\n{self.describe()}") from None

    async def somebody_waits(self, seconds: int = 120) -> None:
        """Wait until a command is pending."""
        for _ in range(seconds * 20):
            if any(client.pending for client in self.everybody):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"no command is pending\n{self.describe()}")

    async def go_on(self) -> None:
        for client in self.everybody:
            client.is_resting = False
            await client.stir()

    async def renew(self) -> None:
        """Start another game at tables whose game is over or long. The ledgers must have been checked."""
        for seated in self.tables:
            if seated.head > _LONGEST:
                await finish(seated)
            if seated.players[0].is_over:
                await self.settle(seated)
                self.finished += 1
                await begin(seated, self.http)

    async def settle(self, seated: SoakTable) -> None:
        for client in seated.clients:
            await client.leave()
        self.tally.add(await check_all([(seated.book, seated.clients)], views=False))

    async def check(self, *, views: bool, fresh: bool = False) -> Tally:
        """Check all ledgers; `views` requires the group to be at rest, `fresh` also compares over HTTP."""
        pairs = [(seated.book, seated.clients) for seated in self.tables]
        tally = await check_all(pairs, self.http if fresh else None, views=views)
        self.tally.add(tally)
        return tally

    def describe(self) -> str:
        """Describe every client's state, for a failure message."""
        return "\n".join(
            f"{client.game} seat {client.seat} seq {client.seq} greeted {client.greeted} choices {len(client.choices)} "
            f"resting {client.is_resting} pending {list(client.pending.values())} clock {client.clock}"
            for client in self.everybody
        )

    @property
    def everybody(self) -> list[SoakClient]:
        return [client for seated in self.tables for client in seated.clients]

    async def close(self) -> None:
        await asyncio.gather(*(client.leave() for client in self.everybody))
        await self.http.aclose()


def _is_at(head: int, client: SoakClient) -> bool:
    return client.seq >= head


def _is_past(head: int, client: SoakClient) -> bool:
    return client.is_over or client.seq >= head


async def begin(seated: SoakTable, http: httpx.AsyncClient) -> None:
    """Open a new table; all clients join, sit down and start to play."""
    players = seated.players
    options = {"preset": seated.preset, "players": len(players) + seated.bots}
    game = await open_table(players[0], http, options, **seated.terms)
    seated.book = Book(seated.book.store, game, may_be_older=seated.book.may_be_older)
    for client in seated.clients:
        client.is_resting = False
        client.join(game, plays=client in players)
    for client in players:
        await client.until(lambda client: client.greeted)
        await client.command("sit", **client.keeper.sit_fields(client.table))
        await client.command("ready", ready=True)
    await players[0].until(lambda client: all(seat["ready"] for seat in client.table["seats"]))
    await players[0].command("start")
    for client in seated.clients:
        await client.until(lambda client: client.table.get("status") != "open")


async def play_one(seated: SoakTable, http: httpx.AsyncClient, *, longest: int) -> None:
    """Play one game to its end; all but one player resign after this many entries."""
    await begin(seated, http)
    await seated.players[0].until(lambda client: client.is_over or client.seq > longest, 600)
    await finish(seated)


async def finish(seated: SoakTable) -> None:
    """Let all but one resign unless the game is over; with bots all resign, since a bot would continue."""
    for client in seated.players[0 if seated.bots else 1 :]:
        refused: str | None = "stale"  # a bot may have moved meanwhile
        while refused == "stale" and not client.is_over:
            refused = await client.command("act", version=client.seq, action={"type": "resign"})
    for client in seated.clients:
        await client.until(lambda client: client.is_over and not client.pending)
