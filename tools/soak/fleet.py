"""A fleet: several tables under play at once, their people and their books; brought to rest and checked."""

from __future__ import annotations

import asyncio
import functools
from random import Random
from typing import Any

import httpx

from app.store.games import SqlGameStore
from tools.soak.deckhand import Deckhand, hire, open_table, plain_http
from tools.soak.ledger import Book, Tally, asked, check_all
from tools.soak.pauses import AsPages

CLOCK = {"kind": "bank", "seconds": 3600, "increment": 5}
_PRESETS = ("jamaica", "tortuga")
_LONGEST = 250  # entries; a game that random play does not end is resigned


class Crewed:
    """One table with the people at it; the last may only watch."""

    def __init__(
        self,
        book: Book,
        players: list[Deckhand],
        watchers: list[Deckhand],
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
    def hands(self) -> list[Deckhand]:
        return [*self.players, *self.watchers]

    @property
    def head(self) -> int:
        return max((hand.seq or 0 for hand in self.hands), default=0)


class Fleet:
    """Tables on one server (or on several with one database: `bases`)."""

    def __init__(
        self, bases: list[str], store: SqlGameStore, seed: int, *, may_be_older: bool = False
    ) -> None:
        self.bases = bases
        self.may_be_older = may_be_older
        self.store = store
        self.rng = Random(seed)
        self.http = plain_http()
        self.tables: list[Crewed] = []
        self.tally = Tally()
        self.finished = 0

    async def launch(self, tables: int, *, watchers: int = 1, as_pages: bool = False, **terms: Any) -> None:
        """`as_pages`: they come back as fast as the page does, where else they are in a hurry."""
        for _ in range(tables):
            crewed = await self.enlist(2 + len(self.tables) % 2, watchers=watchers, **terms)
            for hand in crewed.hands if as_pages else ():
                hand.pauses = AsPages(hand.rng)
            await begin(crewed, self.http)

    async def enlist(self, players: int, *, watchers: int = 1, **terms: Any) -> Crewed:
        """The people of one more table, spread over the workers; the table itself is not opened yet."""
        people = [
            await hire(self.bases[k % len(self.bases)], self.rng, self.http)
            for k in range(players + watchers)
        ]
        preset = _PRESETS[len(self.tables) % len(_PRESETS)]
        book = Book(self.store, "", may_be_older=self.may_be_older)
        wished = {"clock": CLOCK, "absence": 0, **terms}
        crewed = Crewed(book, people[:players], people[players:], preset, wished)
        self.tables.append(crewed)
        return crewed

    async def rest(self, seconds: float = 120.0) -> None:
        """Nobody begins anything; everything under way is answered; everybody has seen everything."""
        for hand in self.everybody:
            hand.is_resting = True
        for crewed in self.tables:
            for hand in crewed.hands:
                await hand.until(lambda hand: hand.greeted and not hand.pending, seconds)
            if crewed.bots:  # they stop when it is a person's turn
                await crewed.players[0].until(lambda hand: hand.is_over or hand.is_a_persons_turn, seconds)
            entries = functools.partial(self.store.entries, crewed.book.game)
            head = len(await asked(entries))
            for hand in crewed.hands:
                await hand.until(functools.partial(_is_at, head), seconds)

    async def moves(self, entries: int, seconds: float = 120.0) -> None:
        """At every table that still plays, so many more entries have been seen by a player."""
        marks = [(crewed.players[0], crewed.head) for crewed in self.tables]
        for hand, head in marks:
            try:
                await hand.until(functools.partial(_is_past, head + entries), seconds)
            except AssertionError as problem:
                raise AssertionError(f"play stands still: {problem}\n{self.describe()}") from None

    async def somebody_waits(self, seconds: int = 120) -> None:
        """Until a command is under way that is not answered."""
        for _ in range(seconds * 20):
            if any(hand.pending for hand in self.everybody):
                return
            await asyncio.sleep(0.05)
        raise AssertionError(f"nobody waits for an answer\n{self.describe()}")

    async def go_on(self) -> None:
        for hand in self.everybody:
            hand.is_resting = False
            await hand.stir()

    async def renew(self) -> None:
        """Tables whose game is over, or has become long, begin another. The books must have been checked."""
        for crewed in self.tables:
            if crewed.head > _LONGEST:
                await finish(crewed)
            if crewed.players[0].is_over:
                await self.settle(crewed)
                self.finished += 1
                await begin(crewed, self.http)

    async def settle(self, crewed: Crewed) -> None:
        for hand in crewed.hands:
            await hand.leave()
        self.tally.add(await check_all([(crewed.book, crewed.hands)], views=False))

    async def check(self, *, views: bool, fresh: bool = False) -> Tally:
        """All books; `views` when the fleet is at rest, `fresh` also over HTTP."""
        pairs = [(crewed.book, crewed.hands) for crewed in self.tables]
        tally = await check_all(pairs, self.http if fresh else None, views=views)
        self.tally.add(tally)
        return tally

    def describe(self) -> str:
        """Where everybody stands, for a failure's message."""
        return "\n".join(
            f"{hand.game} seat {hand.seat} seq {hand.seq} greeted {hand.greeted} choices {len(hand.choices)} "
            f"resting {hand.is_resting} pending {list(hand.pending.values())} clock {hand.clock}"
            for hand in self.everybody
        )

    @property
    def everybody(self) -> list[Deckhand]:
        return [hand for crewed in self.tables for hand in crewed.hands]

    async def close(self) -> None:
        await asyncio.gather(*(hand.leave() for hand in self.everybody))
        await self.http.aclose()


def _is_at(head: int, hand: Deckhand) -> bool:
    return (hand.seq or 0) >= head


def _is_past(head: int, hand: Deckhand) -> bool:
    return hand.is_over or (hand.seq or 0) >= head


async def begin(crewed: Crewed, http: httpx.AsyncClient) -> None:
    """A new table; everybody comes, sits down and begins to play."""
    players = crewed.players
    options = {"preset": crewed.preset, "players": len(players) + crewed.bots}
    game = await open_table(players[0], http, options, **crewed.terms)
    crewed.book = Book(crewed.book.store, game, may_be_older=crewed.book.may_be_older)
    for hand in crewed.hands:
        hand.is_resting = False
        hand.board(game, plays=hand in players)
    for hand in players:
        await hand.until(lambda hand: hand.greeted)
        await hand.command("sit", **hand.keeper.sit(hand.table))
        await hand.command("ready", ready=True)
    await players[0].until(lambda hand: all(seat["ready"] for seat in hand.table["seats"]))
    await players[0].command("start")
    for hand in crewed.hands:
        await hand.until(lambda hand: hand.table.get("status") != "open")


async def play_one(crewed: Crewed, http: httpx.AsyncClient, *, longest: int) -> None:
    """One game to its end, which is a resignation after so many entries at the latest."""
    await begin(crewed, http)
    await crewed.players[0].until(lambda hand: hand.is_over or (hand.seq or 0) > longest, 600)
    await finish(crewed)


async def finish(crewed: Crewed) -> None:
    """All but one resign, unless the game is over; a bot would go on for ever, so beside bots all do."""
    for hand in crewed.players[0 if crewed.bots else 1 :]:
        refused: str | None = "stale"  # a bot may have moved meanwhile
        while refused == "stale" and not hand.is_over:
            refused = await hand.command("act", version=hand.seq, action={"type": "resign"})
    for hand in crewed.hands:
        await hand.until(lambda hand: hand.is_over and not hand.pending)
