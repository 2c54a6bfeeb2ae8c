"""Practice in the store: when puzzles come back, and the queue of games to search."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from sqlalchemy import insert, select, update

from app.play.queues import MAX_ATTEMPTS, compute_retry_delay_ms
from app.store.database import open_database
from app.store.games.queue_failures import SqlFailures
from app.store.people.mistakes import (
    DAY_SECONDS,
    INTERVAL_DAYS,
    MAX_OPEN_GUEST_SEARCHES,
    MAX_OPEN_SEARCHES,
    QUEUE,
    Mistake,
    MistakeStore,
    Search,
    search_key,
)
from app.store.tables.people import players
from app.store.tables.practice import mistake_searches, mistakes

NOW = 1_800_000_000
ANN, BO = "ann", "bo"


@pytest.fixture
async def store(migrated_url: str) -> AsyncIterator[MistakeStore]:
    database = open_database(migrated_url)
    row = {"made_at": NOW, "seen_at": NOW, "is_account": False, "is_bot": False}
    for player in (ANN, BO):
        await database.execute_write(insert(players).values(id=player, name=player, skeleton=player, **row))
    yield MistakeStore(database)
    await database.close()


def mistake(step: int, person: str = ANN) -> Mistake:
    return Mistake(person, "game", step, 0, 7000, 5000, NOW, NOW, 0, 0)


async def test_a_puzzle_comes_back_after_longer_and_longer_times(store: MistakeStore) -> None:
    await store.finish(Search(ANN, "game"), [mistake(4), mistake(9)], NOW)
    assert [each.step for each in await store.list_due(ANN, NOW, 10)] == [4, 9]
    assert await store.list_due(BO, NOW, 10) == []
    now = NOW
    for days in INTERVAL_DAYS:
        found = await store.find(ANN, "game", 4)
        assert found is not None
        await store.record_try(found, now, is_right=True)
        await store.record_try(found, now + 60, is_right=False)  # not due: it does not count
        assert [each.step for each in await store.list_due(ANN, now, 10)] == [9]
        now += days * DAY_SECONDS
        assert [each.step for each in await store.list_due(ANN, now, 10)] == [9, 4]
    found = await store.find(ANN, "game", 4)
    assert found is not None
    assert (found.stage, found.tries) == (3, 3)
    await store.record_try(found, now, is_right=True)
    overview = await store.read_overview(ANN, now)
    assert (overview.due, overview.waiting, overview.done) == (1, 0, 1)


async def test_a_puzzle_that_was_not_solved_begins_again(store: MistakeStore) -> None:
    await store.finish(Search(ANN, "game"), [mistake(4)], NOW)
    first = await store.find(ANN, "game", 4)
    assert first is not None
    await store.record_try(first, NOW, is_right=True)
    later = NOW + DAY_SECONDS
    second = await store.find(ANN, "game", 4)
    assert second is not None
    await store.record_try(second, later, is_right=False)
    overview = await store.read_overview(ANN, later)
    assert (overview.due, overview.waiting, overview.next_at) == (0, 1, later + DAY_SECONDS)
    third = await store.find(ANN, "game", 4)
    assert third is not None
    assert (third.stage, third.tries) == (0, 2)


async def test_each_game_is_searched_once_and_few_wait(store: MistakeStore) -> None:
    games = [f"game {n:02}" for n in range(MAX_OPEN_SEARCHES + 5)]
    assert await store.request_searches(ANN, games, NOW)
    assert not await store.request_searches(ANN, games, NOW), "as many wait as may"
    assert await store.request_searches(BO, games[:1], NOW + 1)
    claimed = await store.claim(NOW + 1, 60, 100, ())
    assert [row.game for row in claimed] == [*games[:MAX_OPEN_SEARCHES], games[0]]
    assert await store.claim(NOW + 1, 60, 100, ()) == [], "they are leased"
    await store.finish(claimed[0], [mistake(4)], NOW)
    assert await store.request_searches(ANN, games, NOW)
    assert not await store.request_searches(ANN, games[:1], NOW), "it was searched"
    await store.release(claimed[1])
    again = await store.claim(NOW + 1, 60, 100, {search_key(claimed[2])})
    assert claimed[1] in again
    assert claimed[0] not in again
    await store.drop_search(claimed[2])
    assert (await store.read_overview(ANN, NOW)).searching == MAX_OPEN_SEARCHES - 1


async def test_searches_that_are_set_aside_block_no_others(store: MistakeStore) -> None:
    failures = SqlFailures(store.database)
    games = [f"game {n}" for n in range(MAX_OPEN_GUEST_SEARCHES)]
    await store.request_searches(ANN, games, NOW, MAX_OPEN_GUEST_SEARCHES)
    for row in await store.claim(NOW, 60, 10, ()):
        for attempt in range(MAX_ATTEMPTS):
            assert (await store.read_overview(ANN, NOW)).searching > 0, "it is retried"
            await failures.record(
                QUEUE, search_key(row), "Error", 10**9 * (attempt + 1), compute_retry_delay_ms
            )
    assert (await store.read_overview(ANN, NOW)).searching == 0
    assert not await store.request_searches(ANN, games, NOW, MAX_OPEN_GUEST_SEARCHES), "they are known"
    assert await store.request_searches(ANN, ["next"], NOW, MAX_OPEN_GUEST_SEARCHES)
    assert (await store.read_overview(ANN, NOW)).searching == 1
    await failures.clear(QUEUE, search_key(Search(ANN, games[0])))  # the operator puts it back
    assert (await store.read_overview(ANN, NOW)).searching == 2


async def test_people_take_turns_and_fewer_games_of_a_guest_wait(store: MistakeStore) -> None:
    games = [f"game {n}" for n in range(5)]
    await store.request_searches(ANN, games, NOW)
    await store.request_searches(BO, games, NOW + 1, MAX_OPEN_GUEST_SEARCHES)
    order = []
    for now in range(NOW + 10, NOW + 10 + 5 + MAX_OPEN_GUEST_SEARCHES):
        (row,) = await store.claim(now, 60, 1, ())
        await store.finish(row, [], now)
        order.append(row.person)
    assert order == [ANN, BO] * MAX_OPEN_GUEST_SEARCHES + [ANN] * 2


async def test_nothing_is_stored_for_a_person_who_has_gone(store: MistakeStore) -> None:
    """An older worker, which does not know these tables, erased or claimed the person and left the rows."""
    for gone in ({"deleted_at": NOW}, {"deleted_at": None, "claimed_by": BO}):
        await store.database.execute_write(update(players).where(players.c.id == ANN).values(deleted_at=None))
        await store.request_searches(ANN, ["game", "next"], NOW)
        claimed, _ = await store.claim(NOW, 60, 10, ())
        await store.finish(Search(ANN, "earlier"), [mistake(9)], NOW)
        await store.database.execute_write(update(players).where(players.c.id == ANN).values(**gone))
        await store.finish(claimed, [mistake(4)], NOW)
        for table in (mistakes, mistake_searches):
            assert await store.database.fetch_rows(select(table)) == []
    assert not await store.request_searches(ANN, ["other"], NOW)
