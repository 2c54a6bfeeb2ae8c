"""Games and results of a player; blocks and reports."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, open_table, play_table, sit

PASSWORD = "plank, parrot, doubloon"


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url) as test:
        yield test


async def _finished(ann: object, bo: object, **terms: object) -> str:
    room = await play_table(ann, bo, **terms)  # type: ignore[arg-type]
    state = (await bo.get(f"/api/v1/games/{room}")).json()  # type: ignore[attr-defined]
    answer = await command(bo, room, "act", version=state["seq"], action={"type": "resign"})  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    return room


async def test_my_games_show_where_it_is_my_turn(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo)
    waiting = await open_table(ann)
    await sit(ann, waiting)
    mine = (await ann.get("/api/v1/me/games")).json()
    theirs = (await bo.get("/api/v1/me/games")).json()
    assert {row["id"]: row["status"] for row in mine["games"]} == {room: "running", waiting: "open"}
    turns = [row["my_turn"] for row in mine["games"] + theirs["games"] if row["id"] == room]
    assert sorted(turns) == [False, True]
    assert mine["games"][0]["my_turn"] or not any(row["my_turn"] for row in mine["games"])
    assert mine["more"] is False


async def test_results_are_public_and_grouped_by_preset(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await _finished(ann, bo)
    profile = (await site.browser("192.0.2.1").get(f"/api/v1/players/{told['person']['id']}")).json()
    assert profile["player"]["name"] == "Anne Bonfire"
    assert profile["results"] == [{"preset": "tortuga", "played": 1, "won": 1, "places": [1, 0, 0, 0, 0]}]
    assert [(row["id"], row["place"]) for row in profile["games"]] == [(room, 1)]


async def test_a_profile_shows_favourites_modules_and_head_to_head_results(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    for _ in range(2):
        await _finished(ann, bo)
    await _finished(bo, ann)  # ann resigns here
    await _finished(ann, bo, visibility="unlisted")  # not public, but both know it
    path = f"/api/v1/players/{told['person']['id']}"
    seen = (await bo.get(path)).json()
    assert seen["favourite"] == {"preset": "tortuga", "colour": "red"}
    assert seen["between"] == {"played": 4, "won": 1, "lost": 3}
    assert [row["variant"] for row in seen["games"]] == [[], [], []]
    assert (await ann.get(path)).json()["between"] is None  # against oneself
    assert (await site.browser("192.0.2.1").get(path)).json()["between"] is None
    _, known = await site.guest("Nettle Quill", "203.0.113.10")
    empty = (await ann.get(f"/api/v1/players/{known['person']['id']}")).json()
    assert (empty["favourite"], empty["between"]) == ({"preset": None, "colour": None}, None)


async def test_a_profile_shows_whether_its_reader_can_invite_the_player(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    path = f"/api/v1/players/{told['person']['id']}"
    room = await play_table(ann, bo, visibility="unlisted")
    assert (await bo.get(path)).json()["can_invite"] is False, "sitting at the same table is not enough"
    state = (await bo.get(f"/api/v1/games/{room}")).json()
    await command(bo, room, "act", version=state["seq"], action={"type": "resign"})
    assert (await bo.get(path)).json()["can_invite"] is True
    assert (await ann.get(path)).json()["can_invite"] is False, "oneself"
    assert (await site.browser("192.0.2.1").get(path)).json()["can_invite"] is False


async def test_a_profile_does_not_list_unlisted_tables(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await _finished(ann, bo, visibility="unlisted")
    profile = (await site.browser("192.0.2.1").get(f"/api/v1/players/{told['person']['id']}")).json()
    assert profile["games"] == []
    assert len((await ann.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]) == 1


async def test_an_account_shows_the_games_of_the_guests_it_claimed(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    account = (await ann.post("/api/v1/account/register", json={"password": PASSWORD})).json()["person"]["id"]
    phone, _ = await site.guest("Nettle Quill", "203.0.113.9")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.10")
    await _finished(phone, bo)
    running_room = await play_table(phone, bo)
    await phone.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    profile = (await ann.get(f"/api/v1/players/{account}")).json()
    assert profile["results"][0]["played"] == 1
    assert [row["id"] for row in (await ann.get("/api/v1/me/games")).json()["games"]] == [running_room]
    state = (await ann.get(f"/api/v1/games/{running_room}")).json()
    answer = await command(ann, running_room, "act", version=state["seq"], action={"type": "resign"})
    assert answer.status_code == 200, "the account sits where its guest sat"


async def test_a_guest_at_the_accounts_own_table_is_not_claimed(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    await ann.post("/api/v1/account/register", json={"password": PASSWORD})
    phone, _ = await site.guest("Nettle Quill", "203.0.113.9")
    await play_table(ann, phone)
    answer = await phone.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert answer.json()["claimed"] == 0


async def test_a_blocked_player_cannot_sit_down_under_any_identity(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, told = await site.guest("Bo Bellows", "203.0.113.9")
    await bo.post("/api/v1/account/register", json={"password": PASSWORD})
    assert (await ann.put(f"/api/v1/blocks/{told['person']['id']}")).status_code == 200
    assert (await ann.put(f"/api/v1/blocks/{told['person']['id']}")).status_code == 200
    assert (await ann.get("/api/v1/blocks")).json()["blocked"] == [
        {"id": told["person"]["id"], "name": "Bo Bellows"}
    ]
    room = await open_table(ann)
    await sit(ann, room)
    answer = await command(bo, room, "sit")
    assert answer.json()["error"]["code"] == "blocked"
    phone, _ = await site.guest("Nettle Quill", "203.0.113.10")
    await phone.post("/api/v1/account/login", json={"name": "Bo Bellows", "password": PASSWORD})
    answer = await command(phone, room, "sit")
    assert answer.json()["error"]["code"] == "blocked"
    await ann.delete(f"/api/v1/blocks/{told['person']['id']}")
    assert (await command(bo, room, "sit")).status_code == 200


async def test_blocking_or_reporting_oneself_or_an_unknown_player_is_refused(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    me = told["person"]["id"]
    assert code_of(await ann.put(f"/api/v1/blocks/{me}")) == "yourself"
    assert code_of(await ann.put("/api/v1/blocks/nobody-such")) == "not_found"
    assert code_of(await ann.post("/api/v1/reports", json={"player": me, "reason": "other"})) == "yourself"
    report = {"player": "nobody-such", "reason": "other"}
    assert code_of(await ann.post("/api/v1/reports", json=report)) == "not_found"
    assert code_of(await site.browser().post("/api/v1/reports", json=report)) == "who_are_you"


async def test_a_report_reaches_the_operator_and_reports_are_limited(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    _, told = await site.guest("Bo Bellows", "203.0.113.9")
    report = {"player": told["person"]["id"], "reason": "insult", "words": "said \x1b[31mthings\x07"}
    codes = [(await ann.post("/api/v1/reports", json=report)).status_code for _ in range(11)]
    assert codes == [200] * 10 + [429]
    rows = await site.site.social.list_reports()
    assert len(rows) == 10
    assert rows[0]["words"] == "said [31mthings"
