"""Personal data: the download, and deletion."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Collection

import httpx
import pytest

from app.play.server import GameServer
from app.play.stand_up import stand_up_everywhere
from tests.databases import connect
from tests.web.running_site import TestSite, code_of, running
from tests.web.tables import command, done, open_table, play_table, sit

PASSWORD = "plank, parrot, doubloon"


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[TestSite]:
    async with running(database_url) as test:
        yield test


async def test_the_download_has_all_personal_data_and_no_secrets(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    await ann.post("/api/v1/account/register", json={"password": PASSWORD})
    room = await play_table(ann, bo)
    await done(ann, room, "chat", text="Well sailed!")
    await done(bo, room, "chat", text="A word of Bo's")
    answer = await ann.get("/api/v1/me/data")
    assert "attachment" in answer.headers["content-disposition"]
    kept = answer.json()
    assert [player["name"] for player in kept["players"]] == ["Anne Bonfire"]
    assert [game["id"] for game in kept["games"]] == [room]
    assert [line["text"] for line in kept["chat"]] == ["Well sailed!"]
    assert len(kept["devices"]) == 1
    for secret in ("argon2", "hash", "skeleton", "A word of Bo's", "server_seed"):
        assert secret not in answer.text, secret
    assert told["person"]["id"] in answer.text


async def test_deletion_anonymises_the_person_and_logs_them_out(site: TestSite) -> None:
    ann, told = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo, title="Anne Bonfire's table")
    await done(ann, room, "chat", text="My own words")
    state = (await ann.get(f"/api/v1/games/{room}")).json()
    answer = await command(bo, room, "act", version=state["seq"], action={"type": "resign"})
    assert answer.status_code == 200, answer.text
    ann_id = told["person"]["id"]
    assert (await ann.post("/api/v1/me/delete", json={})).status_code == 200
    assert (await ann.get("/api/v1/me")).json()["person"] is None
    assert code_of(await bo.get(f"/api/v1/players/{ann_id}")) == "not_found"
    rows = (await bo.get("/api/v1/me/games", params={"status": "finished"})).json()["games"]
    assert {player["name"] for player in rows[0]["players"]} == {"Bo Bellows", None}
    everything = json.dumps(await _every_text(site))
    for word in ("Anne Bonfire", "My own words"):
        assert word not in everything, word
    assert "Bo Bellows" in everything


async def test_a_reloaded_room_plays_on_after_a_name_was_erased(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    bo, _ = await site.guest("Bo Bellows", "203.0.113.9")
    room = await play_table(ann, bo)
    await ann.post("/api/v1/me/delete", json={})
    game_server = site.app.state.game_server
    game_server.rooms._rooms.clear()
    state = (await bo.get(f"/api/v1/games/{room}")).json()
    assert [seat["name"] for seat in state["table"]["seats"]] == [None, "Bo Bellows"]
    answer = await command(bo, room, "act", version=state["seq"], action={"type": "resign"})
    assert answer.status_code == 200, answer.text


async def test_deletion_does_not_depend_on_a_table_that_cannot_be_read(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, told = await site.guest("Anne Bonfire")
    await sit(ann, await open_table(ann))
    rooms = site.app.state.game_server.rooms

    async def fail(game: str) -> None:
        raise ValueError(f"game {game} cannot be read")

    monkeypatch.setattr(rooms, "get", fail)
    assert (await ann.post("/api/v1/me/delete", json={})).status_code == 200
    assert code_of(await ann.get(f"/api/v1/players/{told['person']['id']}")) == "not_found"


async def test_another_tab_cannot_sit_down_while_seats_of_a_deleted_person_are_freed(
    site: TestSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    room = await open_table(ann)
    await sit(ann, room)
    other_tab: list[httpx.Response] = []

    async def free_seats(game_server: GameServer, ids: Collection[str]) -> None:
        await stand_up_everywhere(game_server, ids)
        other_tab.append(await command(ann, room, "sit"))

    monkeypatch.setattr("app.web.api.my_data.stand_up_everywhere", free_seats)
    assert (await ann.post("/api/v1/me/delete", json={})).status_code == 200
    assert [answer.status_code for answer in other_tab] == [401]
    loaded = site.app.state.game_server.rooms.get_loaded(room)
    assert [seat.person for seat in loaded.table.seats] == [None, None]


async def test_deleting_an_account_requires_its_password_and_deletes_its_guests(site: TestSite) -> None:
    ann, _ = await site.guest("Anne Bonfire")
    await ann.post("/api/v1/account/register", json={"password": PASSWORD})
    phone, told = await site.guest("Nettle Quill", "203.0.113.9")
    await phone.post("/api/v1/account/login", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert code_of(await phone.post("/api/v1/me/delete", json={})) == "wrong_login"
    wrong = (await phone.post("/api/v1/me/delete", json={"password": "not this one"})).json()["error"]
    assert (wrong["code"], wrong["message"]) == ("wrong_login", "That password is wrong.")
    assert (await phone.post("/api/v1/me/delete", json={"password": PASSWORD})).status_code == 200
    for browser in (ann, phone):
        assert (await browser.get("/api/v1/me")).json()["person"] is None
    assert await site.site.people.find_player(told["person"]["id"], site.site.now()) is None
    login = {"name": "Anne Bonfire", "password": PASSWORD}
    assert code_of(await phone.post("/api/v1/account/login", json=login)) == "wrong_login"
    again = await phone.post("/api/v1/account/register", json={"name": "Anne Bonfire", "password": PASSWORD})
    assert again.status_code == 200, "the name is free again"


async def _every_text(site: TestSite) -> list[str]:
    """Return every value of every row of every table."""
    from sqlalchemy import select

    from app.store.tables.games import metadata as games
    from app.store.tables.people import metadata as people

    found: list[str] = []
    async with connect(site.site.people.database) as run:
        for table in (*games.sorted_tables, *people.sorted_tables):
            found += [str(tuple(row)) for row in await run.execute(select(table))]
    return found
