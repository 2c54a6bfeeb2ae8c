"""Notices are fanned out, claimed and settled while the same people log in, are erased or change settings.

All of them lock players, then notices, then rows of the outbox, so they cannot deadlock.
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

from app.store.games.store import SqlGameStore, open_store
from app.store.people.notice_values import OutboxRow, SettledRow, Wishes
from app.store.people.notices import NoticeStore
from app.store.people.outbox import OutboxStore
from app.store.people.personal_data import PersonalDataStore
from app.store.people.players import Name, PeopleStore
from app.store.tables.games import games, heads, seats
from app.store.tables.people import outbox, players
from tests.databases import at_head, begin
from tests.store.samples import NOW, new_game
from tests.store.test_lock_order import TIMEOUT_SECONDS, count_deadlocks, is_locked, wait_for_lock

NOW_SECONDS = NOW // 1000
_numbers = itertools.count(1)


class People:
    """The stores of one worker, with people who have webhooks and play correspondence games."""

    def __init__(self, store: SqlGameStore) -> None:
        self.store = store
        self.people = PeopleStore(store.database)
        self.notices = NoticeStore(store.database)
        self.data = PersonalDataStore(store.database)
        self.outbox = OutboxStore(store.database)

    async def guest(self) -> tuple[str, str]:
        """Add a guest with notice settings; return id and session."""
        name = f"pirate{next(_numbers)}"
        player, session = await self.people.add_guest(Name(name, name, name, (name,)), "", NOW_SECONDS)
        hook = {"webhook": "https://example.org/", "webhook_key": "k"}
        await self.notices.save_contact_settings(
            player.id, email=None, confirm=None, language="en", now=NOW_SECONDS, **hook
        )
        return player.id, session

    async def game(self, *people: str) -> str:
        """Add a running correspondence game that waits for all of them; return its id."""
        row = await new_game(self.store, clock={"kind": "days", "days": 3})
        head = {"to_act": ",".join(map(str, range(len(people)))), "deadline": NOW + 86_400_000}
        seated = [
            {"game": row.id, "seat": seat, "person": person, "name": "x", "colour": "red"}
            for seat, person in enumerate(people)
        ]
        async with begin(self.store.database) as conn:
            await conn.execute(
                update(games).where(games.c.id == row.id).values(status="running", started_at=1)
            )
            await conn.execute(update(heads).where(heads.c.game == row.id).values(**head))
            await conn.execute(insert(seats), seated)
        return row.id

    async def players_of_rows(self) -> set[str]:
        return {row.player for row in await self.people.database.fetch_rows(select(outbox.c.player))}


@pytest.fixture
async def crew(postgres_url: str) -> AsyncIterator[People]:
    await at_head(postgres_url)
    async with open_store(postgres_url, lambda seconds, entries: None) as opened:
        yield People(opened)


@pytest.fixture
async def rival(crew: People, postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection of another worker."""
    connection = await asyncpg.connect(make_url(postgres_url).set(drivername="postgresql").render_as_string())
    yield connection
    await connection.close()


async def fan_out(crew: People, player: str, game: str) -> None:
    await crew.outbox.fan_out(game, 1, NOW_SECONDS)


async def settle_new_row(crew: People, player: str, game: str) -> None:
    await crew.outbox.settle(player, "letter", [SettledRow("", game, OutboxRow("turn"), NOW_SECONDS + 60)])


@pytest.mark.parametrize("write", [fan_out, settle_new_row])
async def test_adding_outbox_rows_locks_the_player_first(
    crew: People, rival: asyncpg.Connection, write: Callable[[People, str, str], Coroutine[Any, Any, None]]
) -> None:
    player, _ = await crew.guest()
    game = await crew.game(player)
    async with rival.transaction():  # as a log-in, an erasure or a change of settings
        await rival.fetch("SELECT 1 FROM players WHERE id = $1 FOR UPDATE", player)
        writing = asyncio.create_task(write(crew, player, game))
        await wait_for_lock(rival)
        assert not await is_locked(rival, f"SELECT 1 FROM notices WHERE player = '{player}' FOR UPDATE")
    await asyncio.wait_for(writing, TIMEOUT_SECONDS)
    assert await crew.players_of_rows() == {player}


async def test_erasure_locks_players_in_lock_order(crew: People, rival: asyncpg.Connection) -> None:
    first, last = "B" * 20, "a" * 20  # the database would sort them the other way round
    row = {"skeleton": "", "is_account": False, "is_bot": False, "made_at": 0, "seen_at": 0}
    await crew.people.database.write(
        lambda conn: conn.execute(
            insert(players), [{"id": player, "name": "x", **row} for player in (last, first)]
        )
    )
    async with rival.transaction():
        await rival.fetch("SELECT 1 FROM players WHERE id = $1 FOR UPDATE", first)
        erasing = asyncio.create_task(crew.data.begin_erasure([last, first], NOW_SECONDS))
        await wait_for_lock(rival)
        assert not await is_locked(rival, f"SELECT 1 FROM players WHERE id = '{last}' FOR UPDATE")
    await asyncio.wait_for(erasing, TIMEOUT_SECONDS)


async def test_notices_log_ins_erasures_and_settings_do_not_deadlock(
    crew: People, rival: asyncpg.Connection
) -> None:
    regulars = [(await crew.guest())[0] for _ in range(3)]
    done = asyncio.Event()

    async def notify() -> None:
        while not done.is_set():
            for game in [row.id for row in await crew.people.database.fetch_rows(select(games.c.id))][-8:]:
                await crew.outbox.fan_out(game, 1, NOW_SECONDS)

    async def send() -> None:
        while not done.is_set():
            for player in await crew.outbox.claim_outbox("letter", NOW_SECONDS, 90, 8, ()):
                person = await crew.outbox.read_recipient(player, NOW_SECONDS)
                rows = (
                    []
                    if person is None
                    else [SettledRow("", item.game, OutboxRow(), NOW_SECONDS) for item in person.pending]
                )
                await crew.outbox.settle(player, "letter", rows)

    async def change_settings() -> None:
        while not done.is_set():
            for player in regulars:
                await crew.notices.save_wishes(player, Wishes(), "en", NOW_SECONDS)

    async def come_and_go() -> list[str]:
        erased = []
        for number in range(8):
            (guest, session), (account, _) = await crew.guest(), await crew.guest()
            await crew.game(guest, account, *regulars[: number % 3 + 1])
            await crew.people.database.execute_write(
                update(players).where(players.c.id == account).values(is_account=True)
            )
            await crew.people.open_session(
                account, "", NOW_SECONDS, max_sessions=5, instead_of=session, claims=guest
            )
            if number % 2:
                await crew.data.begin_erasure([account], NOW_SECONDS)
                erased += [guest, account]
        return erased

    background = [asyncio.create_task(work()) for work in (notify, notify, send, send, change_settings)]
    async with asyncio.timeout(4 * TIMEOUT_SECONDS):
        groups = await asyncio.gather(come_and_go(), come_and_go())
        done.set()
        await asyncio.gather(*background)
    assert await count_deadlocks(rival) == 0
    erased = {player for group in groups for player in group}
    assert len(erased) == 16
    assert erased.isdisjoint(await crew.players_of_rows())
