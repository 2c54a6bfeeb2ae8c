"""Many concurrent guests and sessions: few statements in all, and the right result for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.store.database import open_database
from app.store.people.players import SEEN_INTERVAL_SECONDS, LoginTaken, Name, PeopleStore, hash_secret
from app.store.people.social import SocialStore
from tests.store.statements import captured_statements

NOW = 1_800_000_000
CROWD = 50


def make_name(text: str, *also: str) -> Name:
    return Name(text, text, text, (text, *also))


@pytest.fixture
async def people(migrated_url: str) -> AsyncIterator[PeopleStore]:
    database = open_database(migrated_url)
    yield PeopleStore(database)
    await database.close()


async def add_crowd(people: PeopleStore) -> list[tuple[str, str]]:
    """Add fifty guests; return their ids and sessions."""
    added = await asyncio.gather(*(people.add_guest(make_name(f"g{n}"), "x", NOW) for n in range(CROWD)))
    return [(player.id, session) for player, session in added]


async def test_adding_fifty_guests_takes_few_statements(people: PeopleStore) -> None:
    with captured_statements() as statements:
        all_ids = await add_crowd(people)
    assert len(statements) <= 5, statements
    assert len({player for player, _ in all_ids}) == CROWD


async def test_fifty_sessions_are_found_in_few_statements_without_writes(people: PeopleStore) -> None:
    all_ids = await add_crowd(people)
    with captured_statements() as statements:
        found = await asyncio.gather(
            *(people.find_by_session(session, NOW + SEEN_INTERVAL_SECONDS, 0) for _, session in all_ids)
        )
    assert [player.id for player in found if player is not None] == [player for player, _ in all_ids]
    assert len(statements) <= 4, statements
    assert all(statement.startswith("SELECT") for statement in statements)


async def test_seen_times_of_a_batch_are_updated_together(people: PeopleStore) -> None:
    all_ids = await add_crowd(people)
    later = NOW + SEEN_INTERVAL_SECONDS + 1
    with captured_statements() as statements:
        for _ in range(2):  # written once: the second time nothing changes
            await asyncio.gather(
                *(people.find_by_session(session, later, 0, "here") for _, session in all_ids)
            )
    writes = [statement for statement in statements if statement.startswith("UPDATE")]
    assert len(writes) == 2, writes
    assert {row[2] for row in await people.list_devices(all_ids[0][0], None)} == {later}
    found = await people.find_by_session(all_ids[0][1], later, 0)
    assert found is not None
    assert found.seen_at == later


async def test_batched_session_look_ups_return_each_callers_own_player(people: PeopleStore) -> None:
    """Banned, logged out, expired and unknown sessions and a claimed guest, in one batch with others."""
    all_ids = await add_crowd(people)
    social = SocialStore(people.database)
    banned, out, plain = all_ids[0], all_ids[1], all_ids[2]
    await social.ban("op", player=banned[0], address=None, reason="", until=None, now=NOW)
    await people.close_session(out[1])
    asked = [(banned[1], 0), (out[1], 0), (plain[1], 0), ("made up", 0), (plain[1], NOW + 1)]
    found = await asyncio.gather(*(people.find_by_session(session, NOW, oldest) for session, oldest in asked))
    assert [player and player.is_banned for player in found] == [True, None, False, None, None]


async def test_two_tabs_of_one_person_are_the_same_person(people: PeopleStore) -> None:
    (player, session), *_ = await add_crowd(people)
    found = await asyncio.gather(*(people.find_by_session(session, NOW, 0) for _ in range(2)))
    assert [player_found and player_found.id for player_found in found] == [player, player]


async def test_one_of_two_concurrent_guests_gets_a_name(people: PeopleStore) -> None:
    wanted = (make_name("anne"), make_name("anne"), make_name("bo"), make_name("arme", "anne"))
    added = await asyncio.gather(
        *(people.add_guest(name, "x", NOW) for name in wanted), return_exceptions=True
    )
    assert [isinstance(outcome, LoginTaken) for outcome in added] == [False, True, False, True]
    assert await people.is_name_taken(make_name("anne"), NOW)


async def test_two_stores_assign_a_name_once(migrated_url: str, people: PeopleStore) -> None:
    database = open_database(migrated_url)
    other = PeopleStore(database)
    wanted = [make_name(f"n{n % 5}") for n in range(20)]
    added = await asyncio.gather(
        *((people, other)[n % 2].add_guest(name, "x", NOW) for n, name in enumerate(wanted)),
        return_exceptions=True,
    )
    await database.close()
    assert sum(not isinstance(outcome, BaseException) for outcome in added) == 5
    assert all(isinstance(outcome, LoginTaken | tuple) for outcome in added), added


async def test_block_look_ups_are_batched(people: PeopleStore) -> None:
    all_ids = [player for player, _ in await add_crowd(people)]
    social = SocialStore(people.database)
    await social.block(all_ids[1], all_ids[0], NOW, 10)
    with captured_statements() as statements:
        answers = await asyncio.gather(
            social.is_blocked(all_ids[:1], all_ids[1:2]),
            social.is_blocked(all_ids[1:2], all_ids[:1]),
            *(social.is_blocked([person], all_ids[2:4]) for person in all_ids[5:]),
        )
    assert answers[:2] == [True, False]
    assert not any(answers[1:])
    assert len(statements) <= 3, statements


async def test_live_sessions_exclude_closed_ones(people: PeopleStore) -> None:
    (_, kept), (_, closed), *_ = await add_crowd(people)
    await people.close_session(closed)
    assert await people.filter_live_sessions([hash_secret(kept), hash_secret(closed)]) == {hash_secret(kept)}
