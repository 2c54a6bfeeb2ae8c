"""Fan-out, claims and settling of notices beside log-ins, erasures and changes of settings of the same people.

All of them lock players, then notices, then rows of the outbox: none waits for one that waits for it.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import asyncpg
import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.engine import make_url

from app.notify.ports import Pushed, Settled, Wishes
from app.store.games.store import SqlGameStore, open_store
from app.store.games.tables import games, heads, seats
from app.store.people.data import DataStore
from app.store.people.notices import NoticeStore
from app.store.people.outbox import OutboxStore
from app.store.people.players import Name, PeopleStore
from app.store.people.tables import outbox, players
from tests.databases import at_head
from tests.store.samples import NOW, new_game
from tests.store.test_lock_order import SECONDS, count_deadlocks, is_locked, wait_for_lock

SECOND = NOW // 1000
_numbers = itertools.count(1)


class People:
    """The stores of one worker, and people with webhooks at games over days."""

    def __init__(self, store: SqlGameStore) -> None:
        self.store = store
        self.people = PeopleStore(store.engine)
        self.notices = NoticeStore(store.engine)
        self.data = DataStore(store.engine)
        self.outbox = OutboxStore(store.engine)

    async def guest(self) -> tuple[str, str]:
        """Return the id and the session of a person who wants notices."""
        name = f"pirate{next(_numbers)}"
        player, session = await self.people.add_guest(Name(name, name, name, (name,)), "", SECOND)
        hook = {"webhook": "https://example.org/", "webhook_key": "k"}
        await self.notices.set_notice(player.id, email=None, confirm=None, language="en", now=SECOND, **hook)
        return player.id, session

    async def game(self, *people: str) -> str:
        """Return a running game over days that waits for all of them."""
        row = await new_game(self.store, clock={"kind": "days", "days": 3})
        head = {"to_act": ",".join(map(str, range(len(people)))), "deadline": NOW + 86_400_000}
        seated = [
            {"game": row.id, "seat": seat, "person": person, "name": "x", "colour": "red"}
            for seat, person in enumerate(people)
        ]
        async with self.store.writing() as run:
            await run.execute(
                update(games).where(games.c.id == row.id).values(status="running", started_at=1)
            )
            await run.execute(update(heads).where(heads.c.game == row.id).values(**head))
            await run.execute(insert(seats), seated)
        return row.id

    async def players_of_rows(self) -> set[str]:
        return {row.player for row in await self.people.rows(select(outbox.c.player))}


@pytest.fixture
async def crew(postgres_url: str) -> AsyncIterator[People]:
    await at_head(postgres_url)
    async with open_store(postgres_url, lambda seconds, entries: None) as opened:
        yield People(opened)


@pytest.fixture
async def rival(crew: People, postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    """Another worker's connection."""
    connection = await asyncpg.connect(make_url(postgres_url).set(drivername="postgresql").render_as_string())
    yield connection
    await connection.close()


async def fan_out(crew: People, player: str, game: str) -> None:
    await crew.outbox.fan_out(game, 1, SECOND)


async def settle_new_row(crew: People, player: str, game: str) -> None:
    await crew.outbox.settle(player, "letter", [Settled("", game, Pushed("turn"), SECOND + 60)], SECOND)


@pytest.mark.parametrize("write", [fan_out, settle_new_row])
async def test_who_adds_rows_to_the_outbox_waits_for_the_player_first(
    crew: People, rival: asyncpg.Connection, write: Callable[[People, str, str], Coroutine[Any, Any, None]]
) -> None:
    player, _ = await crew.guest()
    game = await crew.game(player)
    async with rival.transaction():  # as a log-in, an erasure or a change of settings
        await rival.fetch("SELECT 1 FROM players WHERE id = $1 FOR UPDATE", player)
        writing = asyncio.create_task(write(crew, player, game))
        await wait_for_lock(rival)
        assert not await is_locked(rival, f"SELECT 1 FROM notices WHERE player = '{player}' FOR UPDATE")
    await asyncio.wait_for(writing, SECONDS)
    assert await crew.players_of_rows() == {player}


async def test_an_erasure_locks_people_in_the_order_of_everything_else(
    crew: People, rival: asyncpg.Connection
) -> None:
    first, last = "B" * 20, "a" * 20  # the database would sort them the other way round
    row = {"skeleton": "", "is_account": False, "is_bot": False, "made_at": 0, "seen_at": 0}
    await crew.people.write(
        lambda run: run.execute(insert(players), [{"id": each, "name": "x", **row} for each in (last, first)])
    )
    async with rival.transaction():
        await rival.fetch("SELECT 1 FROM players WHERE id = $1 FOR UPDATE", first)
        erasing = asyncio.create_task(crew.data.begin_erasure([last, first], SECOND))
        await wait_for_lock(rival)
        assert not await is_locked(rival, f"SELECT 1 FROM players WHERE id = '{last}' FOR UPDATE")
    await asyncio.wait_for(erasing, SECONDS)


async def test_notices_beside_log_ins_erasures_and_settings_do_not_deadlock(
    crew: People, rival: asyncpg.Connection
) -> None:
    regulars = [(await crew.guest())[0] for _ in range(3)]
    done = asyncio.Event()

    async def notify() -> None:
        while not done.is_set():
            for game in [row.id for row in await crew.people.rows(select(games.c.id))][-8:]:
                await crew.outbox.fan_out(game, 1, SECOND)

    async def send() -> None:
        while not done.is_set():
            for player in await crew.outbox.claim_outbox("letter", SECOND, 90, 8, ()):
                person = await crew.outbox.recipient(player, SECOND)
                rows = (
                    []
                    if person is None
                    else [Settled("", item.game, Pushed(), SECOND) for item in person.waiting]
                )
                await crew.outbox.settle(player, "letter", rows, SECOND)

    async def change_settings() -> None:
        while not done.is_set():
            for player in regulars:
                await crew.notices.set_wishes(player, Wishes(), "en", SECOND)

    async def come_and_go() -> list[str]:
        erased = []
        for number in range(8):
            (guest, session), (account, _) = await crew.guest(), await crew.guest()
            await crew.game(guest, account, *regulars[: number % 3 + 1])
            await crew.people.change(update(players).where(players.c.id == account).values(is_account=True))
            await crew.people.open_session(account, "", SECOND, most=5, instead_of=session, claims=guest)
            if number % 2:
                await crew.data.begin_erasure([account], SECOND)
                erased += [guest, account]
        return erased

    background = [asyncio.create_task(each()) for each in (notify, notify, send, send, change_settings)]
    async with asyncio.timeout(4 * SECONDS):
        groups = await asyncio.gather(come_and_go(), come_and_go())
        done.set()
        await asyncio.gather(*background)
    assert await count_deadlocks(rival) == 0
    erased = {player for group in groups for player in group}
    assert len(erased) == 16
    assert erased.isdisjoint(await crew.players_of_rows())
