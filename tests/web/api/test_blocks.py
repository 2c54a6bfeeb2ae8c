"""What a block hides: profiles, notices, invitations and reopened tables; and what the blocked person may notice."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from app.store.people.pending_notices import find_pending_notices
from tests.web.people import PASSWORD, Someone, befriend, finish_game, make_account, make_guest
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, open_table, sit


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url, guests_per_hour=1000, writes_per_second=1000, writes_burst=1000) as test:
        yield test


@pytest.fixture
async def ann(site: TestSite) -> Someone:
    return await make_account(site, "Anne Bonfire")


@pytest.fixture
async def bo(site: TestSite) -> Someone:
    return await make_account(site, "Bo Bellows")


async def pending(site: TestSite, game: str) -> set[tuple[str, str]]:
    """Return who has which notice about a game."""
    notices = await site.site.notices.database.read(
        lambda conn: find_pending_notices(conn, [game], site.site.now())
    )
    return {(player, item.event) for player, items in notices.items() for item in items}


async def test_a_block_under_a_former_id_is_a_block_of_the_account(site: TestSite, ann: Someone) -> None:
    guest = await make_guest(site, "Nettle Quill")
    game = await finish_game(ann, guest)
    account = await make_account(site, "Quill Nettle")
    login = {"name": "Quill Nettle", "password": PASSWORD}
    assert (await guest.browser.post("/api/v1/account/login", json=login)).json()["claimed"] == 1
    seats = (await ann.get(f"/games/{game}"))["table"]["seats"]
    assert seats[1]["person"] == guest.id, "the table knows the former id"
    await befriend(ann, account)
    await ann.put(f"/blocks/{guest.id}")
    assert [each["id"] for each in (await ann.get("/blocks"))["blocked"]] == [account.id]
    assert await ann.friends() == []
    assert (await ann.get(f"/players/{account.id}"))["is_blocked"] is True
    await ann.delete(f"/blocks/{guest.id}")
    assert (await ann.get("/blocks"))["blocked"] == []


async def test_a_block_hides_results_and_ways_to_meet_from_the_blocker_alone(
    ann: Someone, bo: Someone
) -> None:
    await befriend(ann, bo)
    await finish_game(ann, bo)
    await ann.put(f"/notes/{bo.id}", {"text": "Sore loser."})
    before = await bo.get(f"/players/{ann.id}")
    await ann.put(f"/blocks/{bo.id}")
    seen = await ann.get(f"/players/{bo.id}")
    assert (seen["is_blocked"], seen["between"], seen["can_invite"], seen["can_ask"], seen["relation"]) == (
        True, None, False, False, "none",
    )  # fmt: skip
    assert seen["note"] == "Sore loser."
    assert await bo.get(f"/players/{ann.id}") == before | {"relation": "none"}
    assert code_of(await ann.browser.put(f"/api/v1/friends/{bo.id}")) == "you_blocked"
    assert await bo.put(f"/friends/{ann.id}") == {"relation": "asked"}
    lists = await ann.get("/friends")
    assert (lists["friends"], lists["requests"], (await ann.get("/friends/scores"))["scores"]) == ([], [], {})


async def test_invitations_end_with_a_block_in_either_direction(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    await befriend(ann, bo)
    await finish_game(ann, bo)
    table = await open_table(ann.browser, visibility="unlisted")
    await sit(ann.browser, table)
    for blocker, other in ((ann, bo), (bo, ann)):
        invited = await ann.browser.post(f"/api/v1/games/{table}/invitations", json={"player": bo.id})
        assert invited.status_code == 200
        assert (bo.id, "invited") in await pending(site, table)
        await blocker.put(f"/blocks/{other.id}")
        assert (await bo.get("/friends"))["invitations"] == []
        assert await pending(site, table) == set()
        silent = await ann.browser.post(f"/api/v1/games/{table}/invitations", json={"player": bo.id})
        assert (silent.status_code, silent.json()) == (200, {})
        await blocker.delete(f"/blocks/{other.id}")


async def test_a_blocked_player_is_not_told_of_the_blockers_rematch(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    game = await finish_game(ann, bo)
    await command(ann.browser, game, "rematch")
    rematch = (await ann.get(f"/games/{game}"))["table"]["next"]
    assert (bo.id, "rematch") in await pending(site, rematch)
    for blocker, other in ((ann, bo), (bo, ann)):
        await blocker.put(f"/blocks/{other.id}")
        assert await pending(site, rematch) == set()
        await blocker.delete(f"/blocks/{other.id}")
    await ann.put(f"/blocks/{bo.id}")
    await sit(ann.browser, rematch)
    assert code_of(await command(bo.browser, rematch, "sit")) == "blocked", "their seat was reserved"


async def test_a_reopened_table_keeps_no_seat_for_people_blocked_in_either_direction(
    ann: Someone, bo: Someone
) -> None:
    game = await finish_game(ann, bo)
    for blocker, other in ((ann, bo), (bo, ann)):
        await blocker.put(f"/blocks/{other.id}")
        answer = await ann.browser.post(f"/api/v1/games/{game}/again")
        assert answer.json()["invited"] == 0, answer.text
        seats = (await ann.get(f"/games/{answer.json()['id']}"))["table"]["seats"]
        assert [seat["reserved"] for seat in seats] == [ann.id, None]
        assert (await bo.get("/friends"))["invitations"] == []
        await blocker.delete(f"/blocks/{other.id}")


async def test_listed_tables_of_blocked_players_are_left_out_of_the_api(ann: Someone, bo: Someone) -> None:
    # A table played over days is listed without a socket there.
    game = await open_table(bo.browser, clock={"kind": "days", "days": 1})
    await sit(bo.browser, game)

    async def listed(person: Someone) -> list[str]:
        return [row["id"] for row in (await person.get("/games?list=open"))["games"]]

    assert await listed(ann) == [game]
    await ann.put(f"/blocks/{bo.id}")
    assert (await listed(ann), await listed(bo)) == ([], [game])
