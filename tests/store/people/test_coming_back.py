"""A crowd that comes, or comes back, in the same moment: a few statements for all, and right for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.store.engine import make_engine
from app.store.people.players import SEEN_EVERY, LoginTaken, Name, PeopleStore, hashed
from app.store.people.social import SocialStore
from tests.store.statements import counted

NOW = 1_800_000_000
CROWD = 50


def named(text: str, *also: str) -> Name:
    return Name(text, text, text, (text, *also))


@pytest.fixture
async def people(migrated_url: str) -> AsyncIterator[PeopleStore]:
    engine = make_engine(migrated_url)
    yield PeopleStore(engine)
    await engine.dispose()


async def crowd(people: PeopleStore) -> list[tuple[str, str]]:
    """The ids and sessions of fifty guests."""
    added = await asyncio.gather(*(people.add_guest(named(f"g{n}"), "x", NOW) for n in range(CROWD)))
    return [(player.id, session) for player, session in added]


async def test_fifty_guests_are_a_few_statements(people: PeopleStore) -> None:
    with counted() as statements:
        everybody = await crowd(people)
    assert len(statements) <= 5, statements
    assert len({player for player, _ in everybody}) == CROWD


async def test_fifty_who_come_back_are_a_few_statements_and_none_writes(people: PeopleStore) -> None:
    everybody = await crowd(people)
    with counted() as statements:
        found = await asyncio.gather(
            *(people.by_session(session, NOW + SEEN_EVERY, 0) for _, session in everybody)
        )
    assert [player.id for player in found if player is not None] == [player for player, _ in everybody]
    assert len(statements) <= 4, statements
    assert all(statement.startswith("SELECT") for statement in statements)


async def test_who_was_not_seen_for_long_is_noted_with_the_others(people: PeopleStore) -> None:
    everybody = await crowd(people)
    later = NOW + SEEN_EVERY + 1
    with counted() as statements:
        for _ in range(2):  # noted once: the second time nothing is written
            await asyncio.gather(*(people.by_session(session, later, 0, "here") for _, session in everybody))
    writes = [statement for statement in statements if statement.startswith("UPDATE")]
    assert len(writes) == 2, writes
    assert {row[2] for row in await people.devices(everybody[0][0], None)} == {later}
    found = await people.by_session(everybody[0][1], later, 0)
    assert found is not None
    assert found.seen_at == later


async def test_each_of_a_crowd_is_told_apart(people: PeopleStore) -> None:
    """Banned, logged out, too old, unknown, an account's guest: in one batch with others."""
    everybody = await crowd(people)
    social = SocialStore(people.engine)
    banned, out, plain = everybody[0], everybody[1], everybody[2]
    await social.ban("op", player=banned[0], address=None, reason="", until=None, now=NOW)
    await people.close_session(out[1])
    asked = [(banned[1], 0), (out[1], 0), (plain[1], 0), ("made up", 0), (plain[1], NOW + 1)]
    found = await asyncio.gather(*(people.by_session(session, NOW, oldest) for session, oldest in asked))
    assert [player and player.is_banned for player in found] == [True, None, False, None, None]


async def test_two_tabs_of_one_person_are_the_same_person(people: PeopleStore) -> None:
    (player, session), *_ = await crowd(people)
    found = await asyncio.gather(*(people.by_session(session, NOW, 0) for _ in range(2)))
    assert [each and each.id for each in found] == [player, player]


async def test_of_two_guests_with_one_name_in_the_same_moment_one_has_it(people: PeopleStore) -> None:
    wanted = (named("anne"), named("anne"), named("bo"), named("arme", "anne"))
    added = await asyncio.gather(
        *(people.add_guest(name, "x", NOW) for name in wanted), return_exceptions=True
    )
    assert [isinstance(each, LoginTaken) for each in added] == [False, True, False, True]
    assert await people.is_taken(named("anne"), NOW)


async def test_two_stores_give_a_name_once(migrated_url: str, people: PeopleStore) -> None:
    engine = make_engine(migrated_url)
    other = PeopleStore(engine)
    wanted = [named(f"n{n % 5}") for n in range(20)]
    added = await asyncio.gather(
        *((people, other)[n % 2].add_guest(name, "x", NOW) for n, name in enumerate(wanted)),
        return_exceptions=True,
    )
    await engine.dispose()
    assert sum(not isinstance(each, BaseException) for each in added) == 5
    assert all(isinstance(each, LoginTaken | tuple) for each in added), added


async def test_blocks_of_many_tables_are_asked_together(people: PeopleStore) -> None:
    everybody = [player for player, _ in await crowd(people)]
    social = SocialStore(people.engine)
    await social.block(everybody[1], everybody[0], NOW, 10)
    with counted() as statements:
        answers = await asyncio.gather(
            social.is_blocked(everybody[:1], everybody[1:2]),
            social.is_blocked(everybody[1:2], everybody[:1]),
            *(social.is_blocked([each], everybody[2:4]) for each in everybody[5:]),
        )
    assert answers[:2] == [True, False]
    assert not any(answers[1:])
    assert len(statements) <= 3, statements


async def test_live_sessions_are_those_that_were_not_closed(people: PeopleStore) -> None:
    (_, kept), (_, closed), *_ = await crowd(people)
    await people.close_session(closed)
    assert await people.live_sessions([hashed(kept), hashed(closed)]) == {hashed(kept)}
