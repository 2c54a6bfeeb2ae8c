"""Friends over the API: requests, lists, presence, notes, invitations and the same table again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.web.online import LINGER_SECONDS
from tests.web.people import Someone, befriend, finish_game, make_account, make_guest
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import done, open_table, play_table, sit


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


async def test_a_request_is_answered_with_one_tap(ann: Someone, bo: Someone) -> None:
    assert await ann.put(f"/friends/{bo.id}") == {"relation": "asked"}
    lists = await bo.get("/friends")
    assert [(each["id"], each["name"]) for each in lists["requests"]] == [(ann.id, "Anne Bonfire")]
    assert (await ann.relation(bo), await bo.relation(ann)) == ("asked", "asks_you")
    assert await bo.put(f"/friends/{ann.id}") == {"relation": "friends"}
    (friend,) = (await ann.get("/friends"))["friends"]
    assert (friend["id"], friend["name"], friend["online"], friend["seen_at"]) == (
        bo.id,
        "Bo Bellows",
        None,
        None,
    )
    assert await ann.delete(f"/friends/{bo.id}") == {"relation": "none"}
    assert (await ann.friends(), await bo.friends()) == ([], [])


async def test_a_declined_request_looks_unanswered(ann: Someone, bo: Someone) -> None:
    await ann.put(f"/friends/{bo.id}")
    await bo.delete(f"/friends/requests/{ann.id}")
    assert (await bo.get("/friends"))["requests"] == []
    assert [each["id"] for each in (await ann.get("/friends"))["sent"]] == [bo.id]
    assert await ann.put(f"/friends/{bo.id}") == {"relation": "asked"}
    assert (await bo.get("/friends"))["requests"] == []


async def test_guests_are_told_what_to_do(site: TestSite, ann: Someone) -> None:
    guest = await make_guest(site, "Nettle Quill")
    assert code_of(await guest.browser.put(f"/api/v1/friends/{ann.id}")) == "friends_need_account"
    assert code_of(await ann.browser.put(f"/api/v1/friends/{guest.id}")) == "friend_is_guest"
    assert code_of(await ann.browser.put(f"/api/v1/friends/{ann.id}")) == "yourself"
    assert code_of(await ann.browser.put("/api/v1/friends/nobody")) == "not_found"
    assert (
        code_of(await guest.browser.put("/api/v1/me/visibility", json={"online": True})) == "account_needed"
    )
    assert (await guest.get("/friends"))["friends"] == []
    seen = (await guest.get(f"/friends/relations?player={ann.id}&player={guest.id}&player=nobody"))[
        "relations"
    ]
    assert seen == {
        ann.id: {"relation": "none", "can_ask": True},
        guest.id: {"relation": "none", "can_ask": False},
    }


async def test_requests_are_limited_per_hour_and_accepting_is_not(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    site.site.limits.friend_requests.bucket_for(ann.id).take(site.site.limits.clock(), 29)
    await bo.put(f"/friends/{ann.id}")
    assert await ann.put(f"/friends/{bo.id}") == {"relation": "friends"}  # refunded
    cy = await make_account(site, "Cy Sculpin")
    await ann.put(f"/friends/{cy.id}")
    answer = await ann.browser.put(f"/api/v1/friends/{cy.id}")
    assert (answer.status_code, code_of(answer)) == (429, "too_many")
    assert int(answer.headers["Retry-After"]) > 60
    await cy.delete(f"/friends/requests/{ann.id}")
    dot = await make_account(site, "Dot Urchin")
    await dot.put(f"/friends/{ann.id}")
    assert await ann.put(f"/friends/{dot.id}") == {"relation": "friends"}, "also when no request is left"


async def test_being_online_and_last_seen_are_shown_only_by_those_who_want_it(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    await befriend(ann, bo)

    async def seen() -> tuple[bool | None, bool]:
        (friend,) = (await ann.get("/friends"))["friends"]
        return friend["online"], friend["seen_at"] is not None

    assert await seen() == (None, False)
    await bo.put("/me/visibility", {"online": True})
    assert await seen() == (True, False)
    await bo.put("/me/visibility", {"online": True, "seen": True})
    assert (await bo.get("/me/visibility")) == {"online": True, "seen": True}
    assert await seen() == (True, False), "the time is shown only to those who are away"
    site.pass_time(LINGER_SECONDS + 1)
    await site.site.online.sweep()
    assert await seen() == (False, True)
    await bo.put("/me/visibility", {"online": False, "seen": True})
    assert await seen() == (None, True)
    await bo.put("/me/visibility", {})
    assert await seen() == (None, False)
    await bo.put("/me/visibility", {"seen": True})
    site.pass_time(31 * 86_400)
    assert await seen() == (None, False), "a time that retention has not reached yet"


async def test_friends_show_the_tables_that_the_reader_may_enter(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    await befriend(ann, bo)
    cy = await make_guest(site, "Cy Sculpin")
    watched = await play_table(bo.browser, cy.browser)
    visibilities = ("open", "unlisted", "unlisted")
    open_one, hidden, own = [await open_table(bo.browser, visibility=each) for each in visibilities]
    for game in (open_one, hidden, own):
        await sit(bo.browser, game)
    await sit(ann.browser, own)

    async def ways() -> dict[str, str]:
        (friend,) = (await ann.get("/friends"))["friends"]
        return {table["id"]: table["way"] for table in friend["tables"]}

    assert await ways() == {}
    await bo.put("/me/visibility", {"online": True})
    assert await ways() == {watched: "watch", open_one: "join", own: "play"}
    await ann.put(f"/blocks/{cy.id}")
    assert await ways() == {open_one: "join", own: "play"}, "a blocked player sits at the other"


async def test_scores_count_all_games_that_both_finished(ann: Someone, bo: Someone) -> None:
    await befriend(ann, bo)
    await finish_game(ann, bo)
    await finish_game(ann, bo, visibility="unlisted", spectators=False)
    await finish_game(bo, ann)
    assert (await ann.get("/friends/scores"))["scores"] == {bo.id: {"played": 3, "won": 2, "lost": 1}}
    assert (await bo.get("/friends/scores"))["scores"] == {ann.id: {"played": 3, "won": 1, "lost": 2}}


async def test_notes_are_private_and_checked(site: TestSite, ann: Someone, bo: Someone) -> None:
    guest = await make_guest(site, "Nettle Quill")
    assert await ann.put(f"/notes/{bo.id}", {"text": "  Bluffs\u0007 a lot.\nLikes rum. "}) == {
        "text": "Bluffs a lot.\nLikes rum."
    }
    await guest.put(f"/notes/{bo.id}", {"text": "Kind."})
    assert (await ann.get(f"/players/{bo.id}"))["note"] == "Bluffs a lot.\nLikes rum."
    assert (await guest.get(f"/notes/{bo.id}"))["text"] == "Kind."
    assert (await bo.get(f"/notes/{ann.id}"))["text"] == ""
    assert [row["text"] for row in (await ann.get("/me/data"))["player_notes"]] == [
        "Bluffs a lot.\nLikes rum."
    ]
    assert "Bluffs" not in str(await bo.get("/me/data"))
    too_long = await ann.browser.put(f"/api/v1/notes/{bo.id}", json={"text": "x" * 501})
    assert too_long.status_code == 422
    assert code_of(await ann.browser.put(f"/api/v1/notes/{ann.id}", json={"text": "x"})) == "yourself"
    assert code_of(await ann.browser.put("/api/v1/notes/nobody", json={"text": "x"})) == "not_found"
    for _ in range(2):
        assert await ann.delete(f"/notes/{bo.id}") == {"text": ""}
    assert (await ann.get(f"/players/{bo.id}"))["note"] == ""


async def test_friends_can_invite_each_other_and_invitations_can_be_dismissed(
    ann: Someone, bo: Someone
) -> None:
    table = await open_table(ann.browser, visibility="unlisted")
    await sit(ann.browser, table)
    path = f"/api/v1/games/{table}/invitations"
    assert code_of(await ann.browser.post(path, json={"player": bo.id})) == "not_played_together"
    await befriend(ann, bo)
    assert (await ann.get(f"/friends/{bo.id}/tables"))["open"][0]["id"] == table
    assert (await ann.browser.post(path, json={"player": bo.id})).status_code == 200
    assert (await ann.get("/me/data"))["invitations"] == [], "it would show whether Bo has dismissed it"
    (invitation,) = (await bo.get("/friends"))["invitations"]
    assert (invitation["game"], invitation["by"]) == (table, {"id": ann.id, "name": "Anne Bonfire"})
    for _ in range(2):
        await bo.delete(f"/games/{table}/invitations")
    assert (await bo.get("/friends"))["invitations"] == []
    await ann.browser.post(path, json={"player": bo.id})
    await done(bo.browser, table, "sit")
    assert (await bo.get("/friends"))["invitations"] == [], "whoever sits there needs no invitation"
    assert (await ann.get(f"/friends/{bo.id}/tables"))["open"] == []


async def test_the_same_table_again_keeps_options_and_seats_and_invites(
    site: TestSite, ann: Someone, bo: Someone
) -> None:
    assert (await ann.get(f"/friends/{bo.id}/tables"))["last"] is None
    game = await finish_game(
        ann, bo, title="Old friends", visibility="unlisted", clock={"kind": "turn", "seconds": 60}
    )
    last = (await bo.get(f"/friends/{ann.id}/tables"))["last"]
    assert last == {"id": game, "preset": "tortuga", "seats": 2, "company": ["Anne Bonfire"]}
    headers = {"Idempotency-Key": "0123456789abcdef"}
    answers = await asyncio.gather(
        *(ann.browser.post(f"/api/v1/games/{game}/again", headers=headers) for _ in range(2))
    )
    assert {answer.status_code for answer in answers} == {201}
    (table,) = {answer.json()["id"] for answer in answers}
    state = (await ann.get(f"/games/{table}"))["table"]
    assert [seat["reserved"] for seat in state["seats"]] == [ann.id, bo.id]
    assert (state["title"], state["clock"]["kind"], state["options"]["preset"]) == (
        "Old friends",
        "turn",
        "tortuga",
    )
    assert [each["game"] for each in (await bo.get("/friends"))["invitations"]] == [table]
    for person in (ann, bo):
        await sit(person.browser, table)
    theirs = await bo.browser.post(f"/api/v1/games/{game}/again")
    state = (await bo.get(f"/games/{theirs.json()['id']}"))["table"]
    assert state["title"] == "", "the title belongs to Ann"
    cy = await make_account(site, "Cy Sculpin")
    assert code_of(await cy.browser.post(f"/api/v1/games/{game}/again")) == "not_found"
    assert code_of(await ann.browser.post(f"/api/v1/games/{table}/again")) == "not_over"
